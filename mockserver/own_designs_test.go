package mockserver_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"svc.example/understudy/mockserver"
)

// Documents in testdata/own that are designed as public ones are, each in another way.
func newOwnDesign(t *testing.T, name string) *shopClient {
	t.Helper()
	return &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", "testdata/own/"+name+".yaml"))}
}

func TestOwnDesigns(t *testing.T) {
	t.Parallel()
	t.Run("paths may end in a format", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "library").story(`
			POST /authors.json {"name":"Ann"} -> 201 {"id":1,"name":"Ann"}
			PUT /authors/1.json {"name":"Bea"} -> 200 {"id":1,"name":"Bea"}
			GET /authors.json -> 200 [{"id":1,"name":"Bea"}]
			POST /authors/1/books {"isbn":"X1","title":"T"} -> 201
			GET /authors/2/books -> 404
			DELETE /authors/1.json -> 200 {"id":1,"name":"Bea"}
			GET /authors/1.json -> 404
			GET /authors/1/books/X1 -> 404
		`)
	})
	t.Run("an action that sends and shows nothing has happened", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "jobs").story(`
			POST /jobs {"kind":"k"} -> 202
			POST /jobs/1/cancel -> 204
			GET /jobs/1 -> 200 {"id":"1","kind":"k","state":"cancelled"}
		`)
	})
	t.Run("an error whose schema says nothing says what is wrong", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "jobs").story(`
			GET /jobs/9 -> 404 {"type":"about:blank","title":"Not Found","status":404,"detail":"job with id 9 not found"}
		`)
	})
	t.Run("a header has the number of all", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "jobs")
		for range 3 {
			c.call("POST /jobs", `{"kind":"k"}`)
		}
		if _, _, header := c.call("GET /jobs?per_page=1", ""); header.Get("X-Total-Count") != "3" {
			t.Errorf("X-Total-Count %q, want 3", header.Get("X-Total-Count"))
		}
	})
	t.Run("a key that the request does not describe stays", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "accounts")
		_, made, _ := c.call("POST /accounts", `{"data":{"owner":"ann"}}`)
		id := gjson.Get(made, "data.id").Str
		status, changed, _ := c.call("PATCH /accounts/"+id, `{"data":{"owner":"bea","id":"mine"}}`)
		if got := gjson.Get(changed, "data.id").Str; status != http.StatusOK || got != id {
			t.Errorf("%d, and the id is %q, want %q", status, got, id)
		}
		if status, _, _ := c.call("GET /accounts/"+id, ""); status != http.StatusOK {
			t.Errorf("the account is answered with %d afterwards, want 200", status)
		}
	})
	t.Run("what is beside a list in any depth is that of its page", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "hal")
		for range 3 {
			c.call("POST /orders", `{"item":"i"}`)
		}
		const orders = "https://api.shop.example/v1/orders"
		for query, want := range map[string]string{
			"": `{"page":{"number":0,"size":2,"totalElements":3,"totalPages":2},` +
				`"_links":{"next":{"href":"` + orders + `?page=1&size=2"},"self":{"href":"` + orders + `"}}}`,
			"?page=1": `{"page":{"number":1,"size":2,"totalElements":3,"totalPages":2},` +
				`"_links":{"self":{"href":"` + orders + `?page=1"}}}`,
		} {
			_, body, _ := c.call("GET /orders"+query, "", "Accept-Version: 1")
			got := fmt.Sprintf(`{"page":%s,"_links":%s}`, gjson.Get(body, "page").Raw, gjson.Get(body, "_links").Raw)
			if got != want {
				t.Errorf("%q\n got %s\nwant %s", query, got, want)
			}
		}
	})
	t.Run("what names the parent is as in the path", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "rates").story(`
			PUT /rates/EUR/2026-01-02 {"base":"USD","rate":1.5} -> 200 {"date":"2026-01-02","base":"EUR","rate":1.5}
			PUT /rates/EUR/2026-01-02 {"base":"USD","rate":2} -> 200 {"date":"2026-01-02","base":"EUR","rate":2}
			GET /rates/EUR -> 200 [{"date":"2026-01-02","base":"EUR","rate":2}]
		`)
	})
	t.Run("what a PUT leaves out has its default", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "todos")
		c.call("POST /todos", `{"todo":{"title":"a","done":true}}`)
		_, body, _ := c.call("PUT /todos/1", `{"todo":{"title":"b"}}`)
		if done := gjson.Get(body, "todo.done"); done.Type != gjson.False {
			t.Errorf("done is %q, want false: %s", done.Raw, body)
		}
	})
	t.Run("a key may stand in a member beside others", func(t *testing.T) {
		t.Parallel()
		const web = `{"metadata":{"name":"web"},"kind":"Pod","spec":{"image":"a"}}`
		const changed = `{"metadata":{"labels":{"a":"b"},"name":"web"},"spec":{"image":"b","replicas":2}}`
		newOwnDesign(t, "clusters").story(`
			POST /spaces {"metadata":{"name":"home"}} -> 201 {"metadata":{"name":"home"}}
			POST /spaces {"metadata":{"name":"home"}} -> 409 …
			POST /spaces/work/pods {"metadata":{"name":"web"}} -> 404 …
			POST /spaces/home/pods {"metadata":{"name":"web"},"kind":"Pod","spec":{"image":"a"}} -> 201 ` + web + `
			GET /spaces/home/pods/web -> 200 ` + web + `
			GET /spaces/home/pods -> 200 {"items":[` + web + `],…
			PUT /spaces/home/pods/web {"metadata":{"labels":{"a":"b"}},"spec":{"image":"b","replicas":2}} -> 200 ` + changed + `
			GET /spaces/home/pods/web/status -> 200 ` + changed + `
			PUT /spaces/home/pods/web/status {"metadata":{"name":"other"},"status":{"phase":"Up"}} -> 200 {"metadata":{"name":"web"},"spec":{"image":"b","replicas":2},"status":{"phase":"Up"}}
			GET /spaces/home/pods/web/status -> 200 {"metadata":{"name":"web"},"spec":{"image":"b","replicas":2},"status":{"phase":"Up"}}
			GET /spaces/home/pods/other -> 404 …
			POST /spaces/home/pods {"spec":{"image":"c"}} -> 201 {"metadata":{"name":"2"},"spec":{"image":"c"}}
			DELETE /spaces/home/pods/web -> 200 …
			GET /spaces/home/pods/web -> 404 …
			GET /spaces/home/pods -> 200 {"items":[{"metadata":{"name":"2"},"spec":{"image":"c"}}],…
		`)
	})
	t.Run("an answer of any media type is JSON where an object is described", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "offers")
		status, made, header := c.call("POST /offers", `{"title":"Spring"}`)
		if status != http.StatusOK || header.Get("Content-Type") != "application/json" {
			t.Errorf("%d with %s: %s", status, header.Get("Content-Type"), made)
		}
		c.story(`
			GET /offers/1 -> 200 {"id":1,"title":"Spring"}
			GET /offers -> 200 [{"id":1,"title":"Spring"}]
			DELETE /offers/1 -> 204
			GET /offers/1 -> 404 …`)
	})
	t.Run("nothing is made with a key that its objects cannot show, or a default that does not fit", func(t *testing.T) {
		t.Parallel()
		const id = "0b8e6d0c-3a53-4b3c-9f5e-1c8a1d3b7a11"
		newOwnDesign(t, "charts").story(`
			POST /charts {"id":"abc","title":"T"} -> 400
			POST /charts {"id":"` + id + `","title":"T"} -> 201 {"id":"` + id + `","title":"T"}
			PUT /drawings/abc {"title":"T"} -> 404
			PUT /drawings/` + id + ` {"title":"T"} -> 200 {"id":"` + id + `","title":"T"}
			GET /drawings/` + id + ` -> 200 {"id":"` + id + `","title":"T"}`)
	})
	t.Run("members that stand in brackets have the types of the document", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "prices")
		const form = "Content-Type: application/x-www-form-urlencoded"
		status, body, _ := c.call("POST /prices", "amounts[eur][amount]=5", form)
		if got := gjson.Get(body, "amounts").Raw; status != http.StatusOK || got != `{"eur":{"amount":5}}` {
			t.Errorf("%d: %s", status, body)
		}
		if status, body, _ := c.call("POST /prices", "amounts[eur][amount]=five", form); status != http.StatusBadRequest {
			t.Errorf("%d: %s", status, body)
		}
		c.story(`
			GET /prices?scope[kind]=user&scope[since]=7 -> 200 [{"id":"1",…
			GET /prices?scope[kind]=user&scope[since]=x -> 400
			GET /prices?scope[since]=7 -> 400
			GET /prices?scope[kind]=bus -> 400
			GET /prices -> 400`)
	})
	t.Run("a path whose parameter has another name is another one, and a POST makes what its path names", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "snippets").story(`
			POST /snippets/ann {"title":"T"} -> 201 {"id":1,"title":"T"}
			GET /snippets/ann -> 200 {"values":[{"id":1,"title":"T"}]}
			GET /snippets/bea -> 200 {"values":[]}
			GET /snippets/ann/1 -> 200 {"id":1,"title":"T"}
			DELETE /snippets/1 -> 404 …
			GET /repositories/ann/web -> 404 …
			POST /repositories/ann/web {"name":"Web"} -> 200 {"slug":"web","name":"Web"}
			GET /repositories/ann/web -> 200 {"slug":"web","name":"Web"}
			GET /repositories/ann -> 200 {"values":[{"slug":"web","name":"Web"}]}
			DELETE /repositories/ann/web -> 204
			GET /repositories/ann/web -> 404 …`)
	})
	t.Run("a filter may say that it is one", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "todos")
		c.call("POST /todos", `{"todo":{"title":"a","list":"home"}}`)
		c.call("POST /todos", `{"todo":{"title":"b","list":"work"}}`)
		_, body, _ := c.call("GET /todos?filter[list]=work", "")
		if got := gjson.Get(body, "todos.#.title").Raw; got != `["b"]` {
			t.Errorf("found %s, want b alone", got)
		}
	})
}

func TestOwnMultipartIsHeldAgainstTheDocument(t *testing.T) {
	t.Parallel()
	c := newOwnDesign(t, "uploads")
	const picture, name = "file image/png x", "name  nn"
	for what, test := range map[string]struct {
		parts string // a line for each: its name, its media type and what it holds
		want  int
	}{
		"all of it":                 {picture + "\n" + name + "\nsize  3\nmeta application/json {\"a\":1}", 201},
		"a file of no type":         {"file  x\n" + name, 400},
		"another listed type":       {"file image/jpeg x\n" + name, 201},
		"a part of another type":    {"file image/gif x\n" + name, 400},
		"a part is missing":         {name, 400},
		"a text is too short":       {picture + "\nname  n", 400},
		"a text for a number":       {picture + "\n" + name + "\nsize  x", 400},
		"JSON that does not fit":    {picture + "\n" + name + "\nmeta application/json {\"a\":\"x\"}", 400},
		"JSON that is not labelled": {picture + "\n" + name + "\nmeta  {\"a\":\"x\"}", 400},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			for line := range strings.SplitSeq(test.parts, "\n") {
				part := strings.SplitN(line, " ", 3)
				header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + part[0] + `"`}}
				if part[1] != "" {
					header.Set("Content-Type", part[1])
				}
				if part[0] == "file" {
					header.Set("Content-Disposition", header.Get("Content-Disposition")+`; filename="a.png"`)
				}
				w, err := form.CreatePart(header)
				if err == nil {
					_, err = w.Write([]byte(part[2]))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := form.Close(); err != nil {
				t.Fatal(err)
			}
			status, answer, _ := c.call("POST /files", body.String(), "Content-Type: "+form.FormDataContentType())
			if status != test.want {
				t.Errorf("status %d, want %d: %s", status, test.want, answer)
			}
		})
	}
	if status, _, _ := c.call("POST /files", "cut", "Content-Type: multipart/form-data"); status != http.StatusBadRequest {
		t.Errorf("a form without a boundary: status %d, want 400", status)
	}
}
