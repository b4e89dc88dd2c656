package validate_test

import (
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// What no client library sends is refused although requests are read leniently, and changes nothing.
func TestStrictStillRefuses(t *testing.T) {
	t.Parallel()
	const (
		form  = "application/x-www-form-urlencoded"
		parts = "multipart/form-data; boundary=b"
		issue = "/core/v3/job/issue/presto/shop"
	)
	field := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n--b--\r\n"
	}
	for name, tt := range map[string]struct {
		path, contentType, body string
		status                  int
		says                    string
	}{
		"a form for workflow": {
			"/workflow/api/pools", form, "name=a&concurrencyLimit=1", 400,
			"application/json",
		},
		"multipart for workflow": {"/workflow/api/pools", parts, field("name", "a"), 400, "application/json"},
		"a number as text for workflow": {
			"/workflow/api/pools", "application/json",
			`{"name":"a","concurrencyLimit":"1"}`, 400, "concurrencyLimit",
		},
		"multipart for llm":        {"/llm/api/projects", parts, field("name", "a"), 415, ""},
		"null for a number of llm": {"/llm/api/projects", "application/json", `{"data":null}`, 400, ""},
		"a text that is no number, in JSON": {
			issue, "application/json", `{"query":"SELECT 1","priority":"high"}`, 400,
			"priority",
		},
		"a text that is no number, in parts": {issue, parts, field("priority", "high"), 400, "priority"},
		"a number out of range, as text":     {issue, form, "query=SELECT+1&priority=3", 400, "priority"},
		"a list where an object belongs":     {issue, "application/json", `[1]`, 400, ""},
		"a number where a text belongs":      {issue, "application/json", `{"query":5}`, 400, "query"},
		"plain text":                         {issue, "text/plain", "SELECT 1", 415, "text/plain"},
		"null for what is required":          {issue, "application/json", `{"query":null}`, 422, "query"},
		"a form that is not UTF-8":           {issue, form, "query=%FF", 400, "UTF-8"},
		"multipart without a boundary":       {issue, "multipart/form-data", field("query", "SELECT 1"), 400, "boundary"},
		"multipart that ends early": {
			issue, parts,
			"--b\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\nSEL", 400, "form",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t, mockserver.WithScenario("quickstart"))
			before := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Body
			a := mocktest.Call(t, s, "POST", tt.path, tt.body, "Content-Type", tt.contentType).Want(tt.status)
			if !strings.Contains(a.Body, tt.says) {
				t.Errorf("the answer does not say %q: %s", tt.says, a.Body)
			}
			if after := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Body; after != before {
				t.Error("the state has changed")
			}
		})
	}
}
