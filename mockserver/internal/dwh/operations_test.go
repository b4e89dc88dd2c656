package dwh_test

import (
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/specs"
)

// Every operation refuses a body that it cannot read, even where it wants none, and knows nothing of a world that is
// not there.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	doc, err := specs.Load(specs.DWH, "")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t)
	for _, operation := range doc.Operations {
		path := strings.ReplaceAll(operation.Path, "{dwh_id}", "1")
		c.Call(operation.Method, path, "{}", "Content-Encoding", "br").Refused(400, "Content-Encoding")
		c.Call(operation.Method, path, "{}", "X-Understudy-World", "nowhere").Refused(404, "nowhere")
		if path == operation.Path {
			continue
		}
		for _, id := range []string{"1", "0", "-1", "x", "9223372036854775808"} {
			path := strings.ReplaceAll(operation.Path, "{dwh_id}", id)
			c.Call(operation.Method, path, body(operation)).Wants("error.code", "404", "error.title", "Not Found").
				Refused(404, "integration with id "+id+" not found")
		}
	}
}

func body(o *specs.Operation) string {
	if o.Spec.RequestBody == nil {
		return ""
	}
	return "{}"
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for value, status := range map[string]int{
		"SVC1 1/admin": 200, "svc1 1/admin": 200, "1/admin": 200, "1/owner": 200,
		"1/nobody": 401, "1/write": 403, "Bearer 1/admin": 401, "1/admin 1/admin": 401,
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			c := mocktest.New(t, "dwh")
			c.As("").Call("GET", "/v1/dwh/", "", "Authorization", value).Want(status)
		})
	}
}
