package specs_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

func TestReaderReadsQueries(t *testing.T) {
	t.Parallel()
	both := "[query, bodies]"
	for _, test := range []struct {
		name, operation, lenient string
		sent                     specs.Sent
		query, body              string
	}{
		{"booleans in any case", "b", both, specs.Sent{Query: url.Values{"dry": {"True"}}}, "dry=true", ""},
		{"one is true", "b", both, specs.Sent{Query: url.Values{"dry": {"1"}}}, "dry=true", ""},
		{
			"what is neither true nor false is false", "b", both,
			specs.Sent{Query: url.Values{"dry": {"yes"}}},
			"dry=false",
			"",
		},
		{
			"empty parameters are absent", "a", "[query]",
			specs.Sent{Query: url.Values{"from": {""}, "status": {""}, "dry": {""}, "tags": {"", ""}, "x": {""}}},
			"", "",
		},
		{
			"a strict interface reads them as they are", "b", "[]",
			specs.Sent{Query: url.Values{"dry": {"True"}, "from": {""}}},
			"dry=True&from=", "",
		},
		{
			"members of the body in the query", "a", both,
			specs.Sent{Query: url.Values{"count": {"1"}, "from": {"2"}}},
			"count=1&from=2", `{"count":1}`,
		},
		{
			"the body comes before", "a", both,
			specs.Sent{Query: url.Values{"count": {"1"}, "name": {"a"}}, ContentType: typeJSON, Body: []byte(`{"count":2}`)},
			"count=1&name=a", `{"count":2,"name":"a"}`,
		},
		{"neither a body nor members", "a", both, specs.Sent{}, "", `{}`},
		{
			"parameters in a form", "a", both,
			specs.Sent{Query: url.Values{"from": {"1"}}, ContentType: typeForm, Body: []byte("from=2&dry=1&count=3")},
			"dry=true&from=2", `{"count":3}`,
		},
		{
			"parameters in multipart", "a", both,
			specs.Sent{ContentType: typeMultipart, Body: []byte(multipartOf(url.Values{"dry": {"TRUE"}}))},
			"dry=true", `{}`,
		},
		{
			"parameters in a form where no body is documented", "b", both,
			specs.Sent{ContentType: typeForm, Body: []byte("dry=true")},
			"dry=true", "dry=true",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			read, err := reader(t, test.operation, test.lenient, typeJSON).Read(test.sent)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.query, test.body}, []string{read.Query.Encode(), string(read.Body)}); diff != "" {
				t.Errorf("query and body (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLenient(t *testing.T) {
	t.Parallel()
	for _, lenient := range []string{"[queries]", "query", "[1]", "{query: true}"} {
		t.Run(lenient+" is refused", func(t *testing.T) {
			t.Parallel()
			source := strings.NewReplacer("LENIENT", lenient, "CONTENT", typeJSON).Replace(readDocument)
			if _, err := specs.Parse("core", "own.yaml", []byte(source), ""); err == nil ||
				!strings.Contains(err.Error(), "x-lenient") {
				t.Errorf("error %v", err)
			}
		})
	}
	for name, want := range map[string]specs.Lenient{
		specs.Core: {Query: true, Bodies: true}, specs.Workflow: {Query: true}, specs.LLM: {}, specs.Ingestion: {VendorTypes: true},
	} {
		t.Run("of "+name, func(t *testing.T) {
			t.Parallel()
			if got := load(t, specs.Interface(name)).Lenient; got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestVendorTypesAreJSON(t *testing.T) {
	t.Parallel()
	r := reader(t, "a", "[vendor-types]", typeJSON)
	for sent, isJSON := range map[string]bool{
		"application/vnd.svc.v1+json": true, "application/vnd.svc.v1.js+json": true,
		"Application/VND.acme-data.v1.mobile+JSON; charset=utf-8": true, "application/vnd.acme.cdp.v1+json": true,
		"application/vnd.api+json": false, "application/vnd.svc.v2+json": false, "application/vnd.svc.v1+xml": false,
		"application/vnd.svc.v1+jsonx": false, "application/vnd..v1+json": false, "text/vnd.svc.v1+json": false, "": false,
	} {
		want := sent
		if isJSON {
			want = typeJSON
		}
		if got := r.ContentType(sent); got != want {
			t.Errorf("%q is read as %q, want %q", sent, got, want)
		}
		if got := reader(t, "a", "[bodies]", typeJSON).ContentType(sent); got != sent {
			t.Errorf("where vendors' types are not taken, %q is read as %q", sent, got)
		}
	}
}
