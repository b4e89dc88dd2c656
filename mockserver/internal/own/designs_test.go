package own_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver"
)

// Documents in testdata/own that are designed as public ones are, each in another way.
func newOwnDesign(t *testing.T, name string) *shopClient {
	t.Helper()
	return &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", "../../testdata/own/"+name+".yaml"))}
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
	t.Run("media types have parameters", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "charset").story(`
			POST /notes {"text":"a"} -> 201 {"id":1,"text":"a"}
			PUT /notes/1 {"text":"b"} -> 415 …
			POST /notes {"text":""} -> 400 {"status":400,…
			GET /notes -> 200 [{"id":1,"text":"a"}]
			GET /notes/2 -> 404 {"status":404,…
		`)
	})
	t.Run("answers spell members otherwise than requests", func(t *testing.T) {
		t.Parallel()
		c, form := newOwnDesign(t, "trunks"), "Content-Type: application/x-www-form-urlencoded"
		_, made, _ := c.call("POST /Trunks", "FriendlyName=a&CnamLookupEnabled=true", form)
		address := "/Trunks/" + jsontree.Find(made, "sid").Text()
		c.call("POST "+address, "FriendlyName=b", form)
		_, shown, _ := c.call("GET "+address, "")
		want := strings.Replace(made, `"a"`, `"b"`, 1)
		if shown != want || jsontree.Find(shown, "friendly_name").Text() != "b" || !jsontree.Find(shown, "cnam_lookup_enabled").Bool() {
			t.Errorf("%s, want %s", shown, want)
		}
		_, both, _ := c.call("POST /Trunks", "FriendlyName=a&friendly_name=b&Friendly-Name=c", form)
		if got := jsontree.Find(both, "friendly_name").Text(); got != "b" {
			t.Errorf("of three spellings, that of the answer counts: %q in %s, want b", got, both)
		}
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
		id := jsontree.Find(made, "data.id").Text()
		status, changed, _ := c.call("PATCH /accounts/"+id, `{"data":{"owner":"bea","id":"mine"}}`)
		if got := jsontree.Find(changed, "data.id").Text(); status != http.StatusOK || got != id {
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
			got := fmt.Sprintf(`{"page":%s,"_links":%s}`, jsontree.Find(body, "page").Raw(), jsontree.Find(body, "_links").Raw())
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
	t.Run("a PUT that makes what its path names keeps the key", func(t *testing.T) {
		t.Parallel()
		const a, b = "5f09c0e6-f075-488e-9cd5-14de7ad78ae5", "185b9027-aac9-431e-91a0-1a7dc77934ab"
		newOwnDesign(t, "charts").story(`
			PUT /drawings/` + a + ` {"id":"` + b + `","title":"x"} -> 200 {"id":"` + a + `","title":"x"…
			PUT /drawings/` + a + ` {"id":"` + b + `","title":"y"} -> 200 {"id":"` + a + `","title":"y"…
			GET /drawings/` + a + ` -> 200 {"id":"` + a + `","title":"y"…
		`)
	})
	t.Run("a day is one of the calendar", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "rates").story(`
			PUT /rates/EUR/2026-02-30 {"rate":1.5} -> 400…
			PUT /rates/EUR/2026-02-28 {"rate":1.5} -> 200…
			POST /shifts {"team":"a","day":"2025-02-29"} -> 400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"day: want a date such as 2026-01-15, not \"2025-02-29\""}
			POST /shifts {"team":"a","day":"2024-02-29"} -> 200…
		`)
	})
	t.Run("patterns look ahead and behind", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "habits")
		for body, want := range map[string]string{
			`{"slug":"a-b","code":"ABCD123!","password":"abc12345"}`: "",
			`{"slug":"-a","code":"ABCD123!"}`:                        "slug: want text that does not match ^(?:-)",
			`{"slug":"a-","code":"ABCD123!"}`:                        "slug: want text that does not match (?:-)$",
			`{"slug":"a","code":"ABCD1234"}`:                         `code: want text that matches ^(?:.*[^\w])`,
			`{"slug":"a","code":"ABCD12!"}`:                          `code: want text that matches ^.{8,12}$`,
			`{"slug":"a","code":"ABCD123!","password":"abcdefgh"}`:   `password: want text that matches ^(?:.*\d)`,
			`{"slug":"a","code":"ABCD123!","password":"abc 12345"}`:  `password: want text that does not match ^(?:.*\s)`,
		} {
			_, answer, _ := c.call("POST /members", body)
			if got := jsontree.Find(answer, "detail").Text(); got != want {
				t.Errorf("%s: %q, want %q", body, got, want)
			}
		}
	})
	t.Run("what a PUT leaves out has its default", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "todos")
		c.call("POST /todos", `{"todo":{"title":"a","done":true}}`)
		_, body, _ := c.call("PUT /todos/1", `{"todo":{"title":"b"}}`)
		if done := jsontree.Find(body, "todo.done"); done.Raw() != "false" {
			t.Errorf("done is %q, want false: %s", done.Raw(), body)
		}
	})
	t.Run("an answer of which the document says nothing shows the object, and values stay", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "free")
		c.story(`
			POST /things {"name":"a","x":1} -> 201 {"id":"1","name":"a","x":1}
			PATCH /things/1 {"y":{"z":[null,1]},"x":null} -> 200 {"id":"1","name":"a","y":{"z":[null,1]}}
			GET /things/1 -> 200 {"id":"1","name":"a","y":{"z":[null,1]}}
			PATCH /things/1 {"sizes":{"s":1}} -> 200…
			PATCH /things/1 {"sizes":{"m":"large"},"w":2} -> 200 {"id":"1","name":"a","y":{"z":[null,1]},"sizes":{"s":1},"w":2}
			POST /things/1/check {} -> 200 {"ok":true}
			POST /orders {"item":"i"} -> 202 {"accepted":true}
			GET /orders/1 -> 200 {"id":"1",…
		`)
		merge := func(body, want string) {
			t.Helper()
			status, answer, _ := c.call("PATCH /things/1", body, "Content-Type: application/merge-patch+json")
			if status != http.StatusOK || answer != want {
				t.Errorf("%s: %d %s, want %s", body, status, answer, want)
			}
		}
		merge(`{"name":null,"w":null,"sizes":null,"y":{"z":null,"a":1}}`, `{"id":"1","y":{"a":1}}`)
		merge(`{"v":{"a":null,"b":{"c":null}}}`, `{"id":"1","y":{"a":1},"v":{"b":{}}}`)
	})
	t.Run("a search lists what has the members of its body", func(t *testing.T) {
		t.Parallel()
		const a, b, c = `{"id":1,"name":"a, b","color":"red","size":{"width":1,"height":2}}`,
			`{"id":2,"name":"b","color":"blue","size":{"width":1,"height":3},"isNew":true}`,
			`{"id":3,"name":"c","color":"red"}`
		newOwnDesign(t, "search").story(`
			POST /things {"name":"a, b","color":"red","size":{"width":1,"height":2}} -> 201…
			POST /things {"name":"b","color":"blue","size":{"width":1,"height":3},"isNew":true} -> 201…
			POST /things {"name":"c","color":"red"} -> 201…
			POST /things/search {} -> 200 {"items":[` + a + `,` + b + `,` + c + `],"total":3}
			POST /things/search {"color":["red","green"],"isNew":null} -> 200 {"items":[` + a + `,` + c + `],"total":2}
			POST /things/search {"size":{"width":1}} -> 200 {"items":[` + a + `,` + b + `],"total":2}
			POST /things/search {"name":"a, b"} -> 200 {"items":[` + a + `],"total":1}
			POST /things/search {"isNew":true} -> 200 {"items":[` + b + `],"total":1}
			POST /things/search {"page":{"limit":1,"offset":1},"sort":{"field":"name","direction":"desc"}} -> 200 {"items":[` + b + `],"total":3}
			POST /things:query {"filter":{"color":"red"},"limit":1} -> 200 {"data":[{"id":1,"name":"a, b","color":"red"}],"nextCursor":"1"}
			POST /things:query {"filter":{"color":"red"},"limit":1,"cursor":"1"} -> 200 {"data":[` + c + `],"nextCursor":null}
			GET /things?ids=1,3 -> 200 [` + a + `,` + c + `]
			POST /things/1/notes {"text":"x"} -> 201…
			POST /things/1/notes {"text":"y"} -> 201…
			POST /things/1/notes/search {"text":"y"} -> 200 [{"id":2,"text":"y"}]
			POST /things/9/notes/search {"text":"y"} -> 404…
		`)
	})
	t.Run("a deletion of a collection takes what its filters choose", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "search")
		for _, color := range []string{"red", "blue", "red", "green"} {
			c.story(`POST /things {"color":"` + color + `"} -> 201…`)
		}
		c.story(`
			POST /things/4/notes {"text":"x"} -> 201…
			DELETE /things/4/notes -> 204
			GET /things/4/notes/1 -> 404
			DELETE /things?olderThan=2020-01-01 -> 200 {"deleted":0,"ids":[]}
			DELETE /things?color=red -> 200 {"deleted":2,"ids":[1,3]}
			GET /things/1 -> 404
			DELETE /things?ids=2,9 -> 200 {"deleted":1,"ids":[2]}
			GET /things -> 200 [{"id":4,"color":"green"}]
			DELETE /things -> 200 {"deleted":1,"ids":[4]}
			GET /things -> 200 []
		`)
	})
	t.Run("a list of objects is made as a whole, or not at all", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "bulk").story(`
			POST /things [{"name":"a","size":1},{"name":"b"}] -> 201 [{"id":1,"name":"a","size":1},{"id":2,"name":"b","size":0}]
			GET /things/2 -> 200 {"id":2,"name":"b","size":0}
			POST /things [{"name":"c"},{"name":""}] -> 400…
			GET /things -> 200 {"things":[{"id":1,"name":"a","size":1},{"id":2,"name":"b","size":0}]}
			POST /codes {"codes":[{"code":"x"},{"code":"y"}]} -> 207 {"results":[{"code":{"code":"x"},"status":201},{"code":{"code":"y"},"status":201}]}
			POST /codes {"codes":[{"code":"z"},{"code":"x"}]} -> 409 {"type":"about:blank","title":"Conflict","status":409,"detail":"codes.1: code with code x exists already"}
			GET /codes/z -> 404
			POST /notes {"text":"one"} -> 201 {"id":1,"text":"one"}
			POST /notes/bulk {"notes":[{"text":"two"},{"text":"three"}]} -> 200 {"imported":2}
			GET /notes -> 200 [{"id":1,"text":"one"},{"id":2,"text":"two"},{"id":3,"text":"three"}]
			POST /notes/batchGet {"ids":[1]} -> 200…
		`)
	})
	t.Run("a path below an object may stand for a mark", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "marks").story(`
			PUT /things/1/star -> 404
			PUT /things/mine {"name":"a"} -> 200…
			GET /things/mine/star -> 404
			PUT /things/mine/star -> 204
			PUT /things/mine/star -> 204
			GET /things/mine/star -> 204
			GET /things/mine/readers/ann -> 404
			POST /things/mine/readers/ann -> 204
			GET /things/mine/readers/ann -> 204
			GET /things/mine/readers/bob -> 404
			DELETE /things/mine/star -> 204
			GET /things/mine/star -> 404
			DELETE /things/mine -> 204
			PUT /things/mine {"name":"b"} -> 200…
			GET /things/mine/readers/ann -> 404
		`)
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
		if got := jsontree.Find(body, "amounts").Raw(); status != http.StatusOK || got != `{"eur":{"amount":5}}` {
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
		if got := jsontree.Find(body, "todos.#.title").Raw(); got != `["b"]` {
			t.Errorf("found %s, want b alone", got)
		}
	})
	t.Run("what succeeds by default is refused in another form", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "../defaults")
		if status, body, _ := c.call("POST /pets", "x", "Content-Type: text/plain"); status != http.StatusUnsupportedMediaType {
			t.Errorf("another media type: %d %s, want 415", status, body)
		}
		c.story(`POST /pets {} -> 400…`)
	})
	t.Run("the answer to a HEAD has no body", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "../defaults")
		c.call("POST /pets", `{"name":"a"}`)
		if status, body, header := c.call("HEAD /pets/1", ""); status != http.StatusOK || body != "" ||
			header.Get("Content-Length") == "" {
			t.Errorf("%d %q %v, want a length alone", status, body, header)
		}
	})
	t.Run("several that are made may be shown in short", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "bulk").story(`
			POST /members {"members":[{"name":"a","city":"x"},{"name":"b"}]} -> 201 {"members":[{"memberId":"1","name":"a"},{"memberId":"2","name":"b"}]}
			GET /members/1 -> 200 {"memberId":"1","name":"a","city":"x"}
		`)
	})
	t.Run("a deletion may be a state, and be taken back", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "states").story(`
			POST /projects {"name":"a"} -> 201 {"id":1,"name":"a","archived":false}
			DELETE /projects/1 -> 200 {"id":1,"name":"a","archived":true,"archived_at":"2026-01-15T09:30:00Z"}
			GET /projects/1 -> 200 {"id":1,"name":"a","archived":true,"archived_at":"2026-01-15T09:30:00Z"}
			GET /projects?archived=false -> 200 []
			POST /projects/1/unarchive -> 200 {"id":1,"name":"a","archived":false}
			POST /projects/2/unarchive -> 404
			POST /notes {"data":{"text":"a"}} -> 201 {"data":{"id":"1","text":"a","deletedAt":null}}
			DELETE /notes/1 -> 204
			GET /notes/1 -> 200 {"data":{"id":"1","text":"a","deletedAt":"2026-01-15T09:30:00Z"}}
			POST /notes/1/restore -> 200 {"data":{"id":"1","text":"a","deletedAt":null}}
			POST /subscriptions {} -> 201 {"id":"1","status":"active"}
			DELETE /subscriptions/1 -> 200 {"id":"1","status":"canceled","canceled_at":1768469400}
			GET /subscriptions/1 -> 200 {"id":"1","status":"canceled","canceled_at":1768469400}
			POST /carts {"status":"open"} -> 201 {"id":1,"status":"open"}
			DELETE /carts/1 -> 200 {"id":1,"status":"open"}
			GET /carts/1 -> 404
		`)
	})
	t.Run("lists are filtered and sorted as the document names it", func(t *testing.T) {
		t.Parallel()
		c := newOwnDesign(t, "filters")
		for _, object := range []string{
			`{"name":"a, b","price":12.5,"in_stock":true,"tags":["red","big"],"categories":[{"id":7,"slug":"x"}],"sold_at":"2026-01-03T00:00:00Z"}`,
			`{"name":"c","price":3,"in_stock":false,"tags":["blue"],"categories":[{"id":8,"slug":"y"}],"sold_at":"2026-01-02T00:00:00Z"}`,
			`{"name":"d","price":3,"in_stock":true,"sold_at":"2026-01-04T00:00:00Z"}`,
		} {
			c.call("POST /things", object)
		}
		for query, want := range map[string]string{
			"things?tag=red": "[1]", "things?tag=green": "[]", "things?tags=blue|big": "[1,2]",
			"things?names=c&names=d": "[2,3]",
			"things?category=y":      "[2]", "things?category=7": "[1]", "things?inStock=true": "[1,3]",
			"things?price=12.50": "[1]",
			"things?name=a,+b":   "[1]", "things?where[name]=c": "[2]", "things?where[price]=3.0&tag=blue": "[2]",
			"things?sort=-sold": "[3,1,2]", "things?sort=price,-name": "[3,2,1]", "things?sort=price:desc": "[1,2,3]",
			"things?sort=name_desc": "[3,2,1]", "things?sort=price,desc": "[1,2,3]", "things?sort=relevance": "[1,2,3]",
			"things/list?sort_by=soldAt&order=desc": "[3,1,2]", "things/list?sort_by=sold_at&order=asc": "[2,1,3]",
			"things/list?order=desc": "[3,2,1]", "things/all?order=DESC": "[3,2,1]",
			"things/every?sort=price&sort=-sold_at": "[3,2,1]",
		} {
			_, body, _ := c.call("GET /"+query, "")
			if got := jsontree.Find(body, "#.id").Raw(); got != want {
				t.Errorf("%s: found %s, want %s", query, got, want)
			}
		}
	})
	t.Run("an action may answer with something else than the thing", func(t *testing.T) {
		t.Parallel()
		newOwnDesign(t, "states").story(`
			POST /users {"name":"a"} -> 201 {"id":1}
			GET /users/1 -> 200 {"id":1,"name":"a","isDeleted":false,"status":"active"}
			POST /users/1:deactivate -> 200 {"success":true}
			GET /users/1 -> 200 {"id":1,"name":"a","isDeleted":false,"status":"inactive"}
			POST /users/1:activate -> 200 {"success":true}
			GET /users/1 -> 200 {"id":1,"name":"a","isDeleted":false,"status":"active"}
			DELETE /users/1 -> 200 {"id":1,"isDeleted":true}
			GET /users/1 -> 404
			POST /orders {} -> 201 {"orderId":"1","state":"placed"}
			POST /orders/1/cancel {"reason":"late"} -> 202 {"result":{"has_errors":false,"ok":true,"order_id":"1","state":"cancelled"}}
			GET /orders/1 -> 200 {"orderId":"1","state":"cancelled","reason":"late"}
			POST /orders/2/cancel -> 404
			DELETE /orders/1 -> 200 {"has_errors":false,"ok":true,"order_id":"1","state":"cancelled"}
			GET /orders/1 -> 404
			POST /articles {"slug":"a"} -> 201 {"slug":"a","isPublished":false}
			PUT /articles/a/publish -> 204
			GET /articles/a -> 200 {"slug":"a","isPublished":true,"published_at":1768469400}
			DELETE /articles/a/publish -> 204
			GET /articles/a -> 200 {"slug":"a","isPublished":false}
		`)
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
