package contract_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/suggest"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// said returns an exchange with the platform's workflow interface; bodies are JSON.
func said(method, path, request string, status int, answer string) *recording.Exchange {
	headers := recording.Headers{{"Authorization", "SVC1 1/admin"}, {"Content-Type", "application/json"}}
	e := &recording.Exchange{
		Request:  recording.Request{Method: method, URL: "https://workflow.svc.example" + path, Headers: headers},
		Response: &recording.Response{Status: status, Headers: headers[1:], Body: &recording.Body{Bytes: []byte(answer)}},
	}
	if request != "" {
		e.Request.Body = &recording.Body{Bytes: []byte(request)}
	}
	return e
}

// news returns traffic that the documents do not have.
func news() contract.Source {
	const pool = `{"id":"1","name":"a","concurrencyLimit":1,"default":false,"owner":%s,"region":"eu-1","apiToken":"hunter2"}`
	keys := map[string]int{}
	for i := range 80 {
		keys[fmt.Sprint("k", 1000+i)] = i
	}
	many, _ := json.Marshal(keys)
	list := []*recording.Exchange{
		said("GET", "/api/ponds/17?deep=true", "", 200,
			`{"id":17,"at":"2026-01-15T09:30:00Z","fish":[{"name":"carp","age":3},{"name":"pike","age":null,"size":1.5}]}`),
		said("GET", "/api/ponds/18?deep=false&from=2", "", 200,
			`{"id":18,"at":"2026-01-16T09:30:00Z","fish":[],"url":"https://u:hunter2@h/"}`),
		said("POST", "/api/ponds", `{"name":"a","password":"hunter2","note":"[redacted:1a2b3c4d]"}`, 201, `{"id":19}`),
		said("GET", "/api/pools/1", "", 200, fmt.Sprintf(pool, `{"id":4,"mail":null}`)),
		said("GET", "/api/pools/1", "", 200, fmt.Sprintf(pool, `null`)),
		said("GET", "/api/pools/1?verbose=1", "", 418, `{"message":"short and stout","keys":`+string(many)+`}`),
		said("PATCH", "/api/pools/1", `{"name":"[redacted:1a2b3c4d]"}`, 200, `{"id":"1"}`),
	}
	plain := said("GET", "/api/pools", "", 200, "pools")
	plain.Response.Headers = recording.Headers{{"Content-Type", "text/csv"}}
	return contract.Exchanges(slices.Values(append(list, plain)))
}

func suggested(t *testing.T, source contract.Source, opts ...contract.Option) *suggest.Patch {
	t.Helper()
	patches, err := checker(t, opts...).Suggest(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if len(patches) != 1 || len(patches[0].Left) > 0 {
		t.Fatalf("%d patches, want one: %+v", len(patches), patches)
	}
	return patches[0]
}

// treeOf reads YAML or JSON as JSON has it.
func treeOf(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

var step = regexp.MustCompile(`\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]`)

// overlaid returns a document after the actions of an overlay.
func overlaid(t *testing.T, document, overlay map[string]any) map[string]any {
	t.Helper()
	for _, action := range overlay["actions"].([]any) {
		target, update := action.(map[string]any)["target"].(string), action.(map[string]any)["update"]
		var node any = document
		set := func(any) {}
		for _, match := range step.FindAllStringSubmatch(target, -1) {
			switch v := node.(type) {
			case map[string]any:
				key := strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(match[1])
				if node = v[key]; node == nil {
					t.Fatalf("%s leads nowhere", target)
				}
				set = func(value any) { v[key] = value }
			case []any:
				i, _ := strconv.Atoi(match[2])
				node = v[i]
			}
		}
		if items, isList := node.([]any); isList {
			set(append(items, update))
			continue
		}
		union(node.(map[string]any), update.(map[string]any))
	}
	return document
}

func union(into, from map[string]any) {
	for key, value := range from {
		inner, isObject := value.(map[string]any)
		old, both := into[key].(map[string]any)
		if isObject && both {
			union(old, inner)
			continue
		}
		into[key] = value
	}
}

// patched returns a document after a merge patch, as RFC 7396 has it.
func patched(into, patch map[string]any) map[string]any {
	for key, value := range patch {
		inner, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case isObject:
			old, _ := into[key].(map[string]any)
			if old == nil {
				old = map[string]any{}
			}
			into[key] = patched(old, inner)
		default:
			into[key] = value
		}
	}
	return into
}

// Either form of the patch makes of a document one that lacks nothing of the recording.
func TestSuggest(t *testing.T) {
	t.Parallel()
	source, err := specs.Source(specs.Workflow, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	for name, apply := range map[string]func(p *suggest.Patch, document map[string]any, asJSON bool) map[string]any{
		"overlay": func(p *suggest.Patch, document map[string]any, asJSON bool) map[string]any {
			return overlaid(t, document, treeOf(t, written(t, p.Overlay(), asJSON)))
		},
		"merge patch": func(p *suggest.Patch, document map[string]any, asJSON bool) map[string]any {
			return patched(document, treeOf(t, written(t, p.MergePatch(), asJSON)))
		},
	} {
		for _, asJSON := range []bool{false, true} {
			document := apply(suggested(t, news()), treeOf(t, source), asJSON)
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := openapi3.NewLoader().LoadFromData(text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := loaded.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			r := checked(t, news(), contract.WithSpec(specs.Workflow, write(t, "own.json", string(text))))
			for _, f := range r.Findings {
				if strings.HasPrefix(f.Rule, "undocumented-") || f.Rule == "undeclared-field" {
					t.Errorf("%s: still %s at %s: %s", name, f.Rule, f.Pointer, f.Message)
				}
			}
			if left, err := checker(t,
				contract.WithSpec(specs.Workflow, write(t, "own.json", string(text)))).Suggest(t.Context(), news()); err != nil ||
				len(left) > 0 {
				t.Errorf("%s: there is still something to suggest: %v, %v", name, left, err)
			}
		}
	}
}

func written(t *testing.T, patch map[string]any, asJSON bool) []byte {
	t.Helper()
	text, err := suggest.Write(patch, asJSON)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The patch is the same every time, has no secrets, and says how often each part was seen.
func TestSuggestWhatWasSeen(t *testing.T) {
	t.Parallel()
	text := string(written(t, suggested(t, news()).Overlay(), false))
	for range 3 {
		if diff := cmp.Diff(text, string(written(t, suggested(t, news()).Overlay(), false))); diff != "" {
			t.Fatalf("the patch differs from time to time (-first +again):\n%s", diff)
		}
	}
	if strings.Contains(text, "hunter2") || strings.Contains(text, "redacted") {
		t.Errorf("a secret is in the patch:\n%s", text)
	}
	if path := "testdata/suggested.yaml"; os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/suggested.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("testdata/suggested.yaml (-want +got, UPDATE=1 writes it anew):\n%s", diff)
	}
}

// What is documented gives nothing to suggest.
func TestSuggestNothing(t *testing.T) {
	t.Parallel()
	patches, err := checker(t).Suggest(t.Context(), contract.Files("testdata/pools.ndjson"))
	if err != nil || len(patches) > 0 {
		t.Errorf("%d patches, %v", len(patches), err)
	}
}
