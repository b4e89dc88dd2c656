package judge_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// plants are secrets that an engine would write with escapes, or cut, or not quote at all.
var plants = []string{
	"hunter2", "it's hunter2", "hunter2\nhunter2", `"hunter2`, "hunter2: hunter2",
	"' does not match pattern hunter2",
}

// planted returns a value that has the secret wherever its schema has a value, and beside.
func planted(schema *openapi3.Schema, secret string, depth int) any {
	if schema == nil || depth > 6 {
		return secret
	}
	object := map[string]any{"password": secret, "undeclared": []any{secret}}
	for _, part := range append(append(openapi3.SchemaRefs{{Value: schema}}, schema.AllOf...),
		append(schema.AnyOf, schema.OneOf...)...) {
		for name, property := range part.Value.Properties {
			object[name] = planted(property.Value, secret, depth+1)
		}
	}
	switch {
	case schema.Items != nil:
		return []any{planted(schema.Items.Value, secret, depth+1), secret}
	case len(object) > 2:
		return object
	}
	return secret
}

func bodyOf(content openapi3.Content, secret string) (recording.Headers, *recording.Body) {
	for kind, media := range content {
		if strings.HasSuffix(kind, "json") && media.Schema != nil {
			text, _ := json.Marshal(planted(media.Schema.Value, secret, 0))
			return recording.Headers{{"Content-Type", kind}}, &recording.Body{Bytes: text}
		}
	}
	return recording.Headers{}, nil
}

// plantedIn returns an exchange of an operation in which everything is the secret.
func plantedIn(op *specs.Operation, secret string) record.Item {
	e := &recording.Exchange{Request: recording.Request{Method: op.Method}}
	if op.Spec.RequestBody != nil {
		e.Request.Headers, e.Request.Body = bodyOf(op.Spec.RequestBody.Value.Content, secret)
	}
	path, query := op.Path, url.Values{"token": {secret}}
	for _, ref := range op.Parameters {
		switch p := ref.Value; p.In {
		case openapi3.ParameterInPath:
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(secret))
		case openapi3.ParameterInQuery:
			query.Set(p.Name, secret)
		case openapi3.ParameterInHeader:
			e.Request.Headers = append(e.Request.Headers, [2]string{p.Name, secret})
		}
	}
	e.Request.Headers = append(e.Request.Headers, [2]string{"Authorization", secret + " key"})
	e.Request.URL = "https://" + string(op.Interface) + ".svc.example" + op.Document.BasePath + path + "?" + query.Encode()
	for code, ref := range op.Spec.Responses.Map() {
		if status := 0; ref.Value != nil && code[0] == '2' {
			_, _ = fmt.Sscan(code, &status)
			e.Response = &recording.Response{Status: status}
			e.Response.Headers, e.Response.Body = bodyOf(ref.Value.Content, secret)
		}
	}
	return record.Item{Exchange: e, Position: record.Position{Number: 1}}
}

// No message repeats what was sent: not of a secret, and not of anything else that may be one.
func TestMessagesRepeatNoValues(t *testing.T) {
	t.Parallel()
	var documents []*specs.Document
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, d)
	}
	j, err := judge.New(judge.Config{Documents: documents, Engine: libopenapi.New()})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, d := range documents {
		for i, op := range d.Operations {
			r := j.Exchange(plantedIn(op, plants[i%len(plants)]))
			for _, f := range r.Findings {
				found++
				text := f.Message
				for _, v := range f.Engines {
					text += " " + v.Message
				}
				if strings.Contains(text, "hunter2") {
					t.Errorf("%s: %s", op.Name(), text)
				}
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d findings", found)
	}
}

func TestMessagesHideWhatMayBeAKey(t *testing.T) {
	t.Parallel()
	j := probe(t)
	for name, tt := range map[string]talk{
		"a scheme that is none": {"GET /things", "", 200, `[]`, requestHeader("Authorization", "hunter2 key")},
		"a path":                {"GET /things/hunter2/hunter2", "", 200, `[]`, nil},
		"a method":              {"hunter2 /things", "", 200, `[]`, nil},
		"a secret of any type":  {"POST /jobs/trino", `{"query":"q","secret":["hunter2"]}`, 200, "", nil},
		"a secret of an event": {
			"GET /stream", "", 200, "data: {\"secret\":\"hunter2\"}\n\n",
			contentType("text/event-stream"),
		},
		"a secret header":        {"POST /jobs/trino", `{"query":"q"}`, 200, "", requestHeader("X-Second-Key", "hunter2")},
		"a secret in the query":  {"POST /jobs/trino?query=q&secret=hunter2", "", 200, "", nil},
		"what is no JSON at all": {"GET /things", "", 200, `hunter2`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := j.Exchange(tt.item())
			messages := strings.Join(findingLines(r), "\n")
			if len(r.Findings) == 0 || strings.Contains(messages, "hunter2") {
				t.Errorf("%d findings: %s", len(r.Findings), messages)
			}
		})
	}
}

// An answer that was judged, and so was read, is read anew once its secrets are taken out.
func TestARedactedAnswerHasNoSecrets(t *testing.T) {
	t.Parallel()
	r := probe(t).Exchange(talk{line: "POST /pets", status: 200, response: `{"password":"tea time"}`}.item())
	if before := r.JSONResponse(&jsontree.Tree{}); before.Get("password").Text() != "tea time" {
		t.Fatalf("the answer is %q", before.Raw())
	}
	clean := r.Redacted(&recording.Redactor{Salt: []byte("salt")})
	after := clean.JSONResponse(&jsontree.Tree{})
	if !strings.HasPrefix(after.Get("password").Text(), recording.Mark) {
		t.Errorf("the answer is %q", after.Raw())
	}
}
