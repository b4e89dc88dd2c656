package manual_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/manual"
)

func document(t *testing.T, name specs.Interface, brand specs.Brand) *specs.Document {
	t.Helper()
	d, err := specs.Readable(name, brand)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func of(t *testing.T, op *specs.Operation) *manual.Operation {
	t.Helper()
	page, err := manual.Of(op)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// Every operation has all that its document says of it.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	for _, name := range specs.Interfaces() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			for _, op := range document(t, name, specs.Neutral).All() {
				page := of(t, op)
				var b bytes.Buffer
				if err := page.WriteText(&b); err != nil {
					t.Fatal(err)
				}
				words := []string{page.Name, page.Summary, page.Method + " " + page.Path, string(page.Provenance)}
				for _, p := range op.Parameters {
					words = append(words, p.Value.Name)
				}
				for status := range op.Spec.Responses.Map() {
					words = append(words, "  "+status+" ")
				}
				for _, word := range words {
					if word == "" || !strings.Contains(b.String(), word) {
						t.Errorf("%s: the text lacks %q", op.Name(), word)
					}
				}
				if _, err := json.Marshal(page); err != nil {
					t.Error(err)
				}
				for line := range strings.SplitSeq(b.String(), "\n") {
					if strings.HasPrefix(line, "  curl") && strings.ContainsAny(line, "{}") {
						t.Errorf("%s: a parameter of the path has no value: %s", op.Name(), line)
					}
				}
			}
		})
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	t.Run("the base path belongs to the path", func(t *testing.T) {
		t.Parallel()
		page := of(t, document(t, specs.Core, specs.Neutral).Operation("issueJob"))
		if page.Path != "/v3/job/issue/{job_type}/{database_name}" {
			t.Errorf("path %s", page.Path)
		}
	})
	t.Run("fields have their way, their limits and where they are known from", func(t *testing.T) {
		t.Parallel()
		page := of(t, document(t, specs.Workflow, specs.Neutral).Operation("listPools"))
		i := slices.IndexFunc(page.Responses, func(r manual.Response) bool { return r.Status == "200" })
		var got []string
		for _, f := range page.Responses[i].Bodies[0].Fields {
			got = append(got, strings.Join(append([]string{f.Name, f.Type, string(f.Provenance)}, f.Limits...), "|"))
		}
		want := []string{
			"pools|array of object|public", "pools[].concurrencyLimit|integer|public|1 or more",
			"pools[].default|boolean|public",
			"pools[].id|string|public|matches ^[1-9][0-9]*$", "pools[].name|string|public|1 to 256 characters",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("fields (-want +got):\n%s", diff)
		}
	})
	t.Run("the example is for the address, the key and the brand that are given", func(t *testing.T) {
		t.Parallel()
		page := of(t, document(t, specs.Workflow, "ACME").Operation("deletePool"))
		page.At(manual.Address{URL: "https://mock.example/", Key: "1/other"})
		if n := strings.Count(page.Example.Curl, "'https://mock.example/workflow/api/pools"); n != 2 {
			t.Errorf("%d addresses in %s", n, page.Example.Curl)
		}
		if n := strings.Count(page.Example.Curl, "'Authorization: ACME1 1/other'"); n != 2 {
			t.Errorf("%d keys in %s", n, page.Example.Curl)
		}
	})
	t.Run("a document without examples gets values that fit its schemas", func(t *testing.T) {
		t.Parallel()
		const text = `{"openapi":"3.0.3","info":{"title":"shop","version":"1"},"paths":{"/carts/{id}":{"put":{
			"operationId":"putCart","parameters":[{"name":"id","in":"path","required":true,
			"schema":{"type":"string","format":"uuid"}}],"requestBody":{"required":true,"content":{"application/json":{
			"schema":{"type":"object","required":["size"],"properties":{"size":{"type":"string","enum":["large"]}}}}}},
			"responses":{"204":{"description":"done"}}}}}}`
		d, err := specs.Parse("shop", "shop.json", []byte(text), specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		curl := of(t, d.Operation("putCart")).Example.Curl
		if !regexp.MustCompile(`/shop/carts/[0-9a-f]{8}-[0-9a-f-]{27}'`).MatchString(curl) ||
			!strings.Contains(curl, `-d '{"size":"large"}'`) {
			t.Errorf("%s, want a UUID and a large cart", curl)
		}
	})
}
