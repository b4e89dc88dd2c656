package own_test

import (
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver"
)

// newOwnShape serves a document of testdata/shapes: small ones, as teams write them, each with some shapes of
// interfaces.
func newOwnShape(t *testing.T, name string) *shopClient {
	t.Helper()
	return &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", "testdata/shapes/"+name+".yaml"))}
}

// send plays one request with a header, and returns the status and the body.
func (c *shopClient) send(request, body, header string) (status int, answer string) {
	c.t.Helper()
	status, answer, _ = c.call(request, body, header)
	return status, answer
}

func TestOwnShapes(t *testing.T) {
	t.Parallel()
	t.Run("several keys may name a thing together", func(t *testing.T) {
		t.Parallel()
		c := newOwnShape(t, "pairs")
		c.story(`
			POST /repos {"owner":"ann","name":"x"} -> 201 {"name":"x","owner":"ann","private":false}
			POST /repos {"owner":"bob","name":"x"} -> 201 {"name":"x","owner":"bob","private":false}
			POST /repos {"owner":"bob","name":"x"} -> 409…
			POST /repos {"name":"x"} -> 400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"owner: want the owner of the repo"}
			PATCH /repos/bob/x {"private":true} -> 200 {"name":"x","owner":"bob","private":true}
			GET /repos/ann/x -> 200 {"name":"x","owner":"ann","private":false}
			GET /repos/ann/y -> 404…
			GET /repos -> 200 [{"name":"x","owner":"ann","private":false},{"name":"x","owner":"bob","private":true}]
			DELETE /repos/ann/x -> 204
			GET /repos/ann/x -> 404…
			GET /repos/bob/x -> 200…
			PUT /rates/EUR/USD {"value":1.1} -> 200…
			PUT /rates/CHF/USD {"value":1.2} -> 200…
			GET /rates -> 200 [{"to":"USD","from":"EUR","value":1.1},{"to":"USD","from":"CHF","value":1.2}]
		`)
		_, _, header := c.call("POST /repos", `{"owner":"cy d","name":"x"}`)
		if at := header.Get("Location"); !strings.HasSuffix(at, "/repos/cy%20d/x") {
			t.Errorf("Location %q", at)
		}
	})
	t.Run("fixtures name them by their members", func(t *testing.T) {
		t.Parallel()
		c := newOwnShape(t, "pairs")
		err := c.transport.World().Load([]byte(`interfaces: {shop: {repo: [{owner: ann, name: x}, {owner: bob, name: x}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		c.story(`
			GET /repos/bob/x -> 200 {"name":"x","owner":"bob"}
			POST /repos {"owner":"ann","name":"x"} -> 409…
		`)
	})
	t.Run("a list may have what is below all parents", func(t *testing.T) {
		t.Parallel()
		newOwnShape(t, "pairs").story(`
			GET /pods -> 200 {"items":[]}
			POST /namespaces/a/pods {"name":"x","image":"i"} -> 201 {"name":"x","namespace":"a","image":"i"}
			POST /namespaces/b/pods {"name":"x","image":"j"} -> 201 {"name":"x","namespace":"b","image":"j"}
			GET /namespaces/a/pods -> 200 {"items":[{"name":"x","namespace":"a","image":"i"}]}
			GET /pods -> 200 {"items":[{"name":"x","namespace":"a","image":"i"},{"name":"x","namespace":"b","image":"j"}]}
			GET /pods?image=j -> 200 {"items":[{"name":"x","namespace":"b","image":"j"}]}
			DELETE /namespaces/a/pods/x -> 204
			GET /pods -> 200 {"items":[{"name":"x","namespace":"b","image":"j"}]}
		`)
	})
	t.Run("the key may stand in a member that the path does not name", func(t *testing.T) {
		t.Parallel()
		newOwnShape(t, "pairs").story(`
			POST /menu {"title":"tea"} -> 201 {"sku":"1","title":"tea"}
			GET /menu/1 -> 200 {"sku":"1","title":"tea"}
			DELETE /menu/1 -> 204
			GET /menu -> 200 []
		`)
	})
	t.Run("what a path stands for is there once it was put, also without a resource", func(t *testing.T) {
		t.Parallel()
		newOwnShape(t, "kept").story(`
			GET /user/starred/ann/x -> 404…
			PUT /user/starred/ann/x -> 204
			PUT /user/starred/ann/x -> 204
			GET /user/starred/ann/x -> 204
			GET /user/starred/bob/x -> 404…
			DELETE /user/starred/ann/x -> 204
			GET /user/starred/ann/x -> 404…
			GET /health -> 204
		`)
	})
	t.Run("what is deleted or archived is shown to those who ask for it", func(t *testing.T) {
		t.Parallel()
		const a, b, c = `{"id":1,"text":"a"}`, `{"id":2,"text":"b","deleted_at":"2026-01-15T09:30:00Z"}`,
			`{"id":3,"text":"c","archived":true}`
		transport := mockserver.NewTransport(t, mockserver.WithSpec("shop", "testdata/shapes/trash.yaml"),
			mockserver.WithClock(mockserver.ClockFrozen))
		(&shopClient{t, transport}).story(`
			POST /notes {"text":"a"} -> 201 ` + a + `
			POST /notes {"text":"b"} -> 201…
			POST /notes {"text":"c"} -> 201…
			POST /notes/2/trash -> 200 ` + b + `
			POST /notes/3/archive -> 200 ` + c + `
			GET /notes -> 200 [` + a + `]
			GET /notes?include_deleted=false -> 200 [` + a + `]
			GET /notes?include_deleted=true -> 200 [` + a + `,` + b + `]
			GET /notes?withArchived=true -> 200 [` + a + `,` + c + `]
			GET /notes?archived=true -> 200 [` + c + `]
			GET /notes?archived=true&include_deleted=true -> 200 [` + c + `]
			GET /notes/2 -> 404…
			GET /notes/2?include_deleted=true -> 200 ` + b + `
			GET /notes/3 -> 200 ` + c + `
			POST /notes/2/restore -> 200 {"id":2,"text":"b","deleted_at":null,"archived":false}
			GET /notes/2 -> 200…
		`)
	})
	t.Run("a job that an answer shows is there", func(t *testing.T) {
		t.Parallel()
		c := newOwnShape(t, "begun")
		c.story(`
			GET /jobs/1 -> 404…
			POST /orders {"item":"a"} -> 201 {"id":1,"item":"a","status":"open"}
			POST /orders/1/cancel -> 202 {"job_id":"1","state":"queued"}
			GET /jobs/1 -> 200 {"job_id":"1","state":"queued"}
			GET /orders/1 -> 200 {"id":1,"item":"a","status":"cancelled"}
			POST /orders/2/cancel -> 404…
			GET /jobs/2 -> 404…
			POST /exports {"format":"csv"} -> 202 {"job":{"job_id":"2","format":"csv","state":"queued"}}
			GET /jobs/2 -> 200 {"job_id":"2","format":"csv","state":"queued"}
			POST /exports {"callback":"what answers cannot show"} -> 202 {"job":{"callback":"https://…
			DELETE /orders/1 -> 202 {"job_id":"4","state":"queued"}
			GET /orders/1 -> 404…
			GET /jobs/4 -> 200…
		`)
		if _, _, header := c.call("POST /exports", `{}`); !strings.HasSuffix(header.Get("Location"), "/jobs/5") {
			t.Errorf("Location %q", header.Get("Location"))
		}
	})
	t.Run("filters, orders, states and defaults are those of the attributes", func(t *testing.T) {
		t.Parallel()
		const a, b = `{"id":"1","type":"articles","attributes":{"title":"A","status":"published"}}`,
			`{"id":"2","type":"articles","attributes":{"title":"Bee","status":"draft"}}`
		newOwnShape(t, "attributes").story(`
			POST /articles {"data":{"type":"articles","attributes":{"title":"A"}}} -> 201 {"data":{"id":"1","type":"articles","attributes":{"title":"A","status":"draft"}}}
			POST /articles {"data":{"type":"articles","attributes":{"title":"Bee"}}} -> 201 {"data":` + b + `}
			POST /articles/1/publish -> 200 {"data":` + a + `}
			GET /articles?filter[status]=published -> 200 {"data":[` + a + `]}
			GET /articles?sort=-title -> 200 {"data":[` + b + `,` + a + `]}
			GET /articles?q=BEE -> 200 {"data":[` + b + `]}
			GET /articles?q=status:none -> 200 {"data":[` + a + `,` + b + `]}
			GET /articles?q=none -> 200 {"data":[]}
		`)
	})
	t.Run("a new thing has no parts yet, and what is null until it happens", func(t *testing.T) {
		t.Parallel()
		newOwnShape(t, "attributes").story(`
			POST /projects {"name":"a"} -> 201 {"id":"1","name":"a","assignee_id":null,"board_count":0}
			PUT /projects/mine {"name":"b"} -> 201 {"id":"mine","name":"b","assignee_id":null,"board_count":0}
			PUT /projects/mine {"name":"c"} -> 200…
			PUT /projects/mine {} -> 400 {"error":{"code":"bad_request","field":"name","message":"name: property \"name\" is missing"}}
			GET /projects/none -> 404 {"error":{"code":"not_found","message":"project with id none not found"}}
		`)
	})
	t.Run("bytes that were sent are shown", func(t *testing.T) {
		t.Parallel()
		c := newOwnShape(t, "kept")
		c.story(`
			POST /files {"name":"a"} -> 201 {"name":"a"}
			GET /files/b/content -> 404…
			PUT /files/b/content x -> 404…
			GET /files/a/content -> 200 sample…
		`)
		const pixels = "\x89PNG\x00\xff"
		if status, _ := c.send("PUT /files/a/content", pixels, "Content-Type: image/png"); status != http.StatusNoContent {
			t.Fatalf("the upload is answered with %d", status)
		}
		status, body, header := c.call("GET /files/a/content", "")
		if status != http.StatusOK || body != pixels || header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%d %q of %s, want the bytes as a type that the document has", status, body, header.Get("Content-Type"))
		}
		c.story(`
			DELETE /files/a/content -> 204
			GET /files/a/content -> 404…
			DELETE /files/a -> 204
			POST /files {"name":"a"} -> 201 {"name":"a"}
			GET /files/a/content -> 200 sample…
		`)
		c.send("PUT /motd", "hello", "Content-Type: text/plain; charset=utf-8")
		c.story(`GET /motd -> 200 hello`)
	})
	t.Run("conditions hold for single objects and lists, and for what is not to be there", func(t *testing.T) {
		t.Parallel()
		c := newOwnShape(t, "kept")
		c.story(`PUT /profile {"name":"a"} -> 200 {"name":"a"}`)
		c.story(`POST /payments {"amount":1} -> 201 {"id":1,"amount":1}`)
		for request, body := range map[string]string{"/profile": `{"name":"b"}`, "/payments/1": `{"amount":2}`} {
			if status, _ := c.send("PUT "+request, body, `If-Match: "other"`); status != http.StatusPreconditionFailed {
				t.Errorf("PUT %s of another tag: %d", request, status)
			}
			if status, _ := c.send("PUT "+request, body, "If-None-Match: *"); status != http.StatusPreconditionFailed {
				t.Errorf("PUT %s of what is not to be there: %d", request, status)
			}
		}
		for _, path := range []string{"/profile", "/payments"} {
			_, before, header := c.call("GET "+path, "")
			tag := header.Get("Etag")
			if status, _ := c.send("GET "+path, "", "If-None-Match: "+tag); status != http.StatusNotModified || tag == "" {
				t.Errorf("GET %s with its tag %s: %d, after %s", path, tag, status, before)
			}
		}
		if _, _, header := c.call("GET /profile", ""); header.Get("Etag") != "" {
			if status, _ := c.send("PUT /profile", `{"name":"b"}`, "If-Match: "+header.Get("Etag")); status != http.StatusOK {
				t.Errorf("PUT with the tag that the GET had: %d", status)
			}
		}
	})
	t.Run("a request with the key of an earlier one gets its answer", func(t *testing.T) {
		t.Parallel()
		c := newOwnShape(t, "kept")
		const first, second = "Idempotency-Key: one", "Idempotency-Key: two"
		for _, step := range []struct {
			header, body, want string
			status             int
		}{
			{first, `{"amount":101}`, "", http.StatusBadRequest}, // and has not happened
			{first, `{"amount":1}`, `{"id":1,"amount":1}`, http.StatusCreated},
			{first, `{"amount":1}`, `{"id":1,"amount":1}`, http.StatusCreated},
			{first, `{"amount":2}`, "", http.StatusConflict},
			{second, `{"amount":1}`, `{"id":2,"amount":1}`, http.StatusCreated},
			{"X-Other: one", `{"amount":1}`, `{"id":3,"amount":1}`, http.StatusCreated},
		} {
			status, body := c.send("POST /payments", step.body, step.header)
			if status != step.status || !strings.HasPrefix(body, step.want) {
				t.Errorf("%s %s: %d %s, want %d %s", step.header, step.body, status, body, step.status, step.want)
			}
		}
		if _, body, _ := c.call("GET /payments", ""); jsontree.Find(body, "#").Int() != 3 {
			t.Errorf("there are %s, want three payments", body)
		}
	})
	t.Run("parameters may be bounds", func(t *testing.T) {
		t.Parallel()
		c := newOwnShape(t, "ranges")
		c.story(`
			POST /orders {"item":"a","price":1,"created_at":"2026-01-01T00:00:00Z","due":"2026-02-01"} -> 201…
			POST /orders {"item":"b","price":2,"created_at":"2026-01-02T00:00:00+02:00","due":"2026-02-02"} -> 201…
			POST /orders {"item":"c","price":10,"created_at":"2026-01-03T00:00:00Z"} -> 201…
		`)
		for query, want := range map[string]string{
			"min_price=2": "bc", "maxPrice=2": "ab", "price[gt]=2": "c", "price__lt=2": "a", "filter[price][lte]=2": "ab",
			"min_price=2&maxPrice=2": "b", "created_after=2026-01-01T22:00:00Z": "c", "createdBefore=2026-01-01T22:00:00Z": "a",
			"due_from=2026-02-02": "b", "due_to=2026-02-01": "a", "item_from=b": "abc",
			"fields=id&expand=customer": "abc",
		} {
			status, body, _ := c.call("GET /orders?"+query, "")
			got := ""
			for item := range jsontree.Find(body, "#.item").List {
				got += item.Text()
			}
			if status != http.StatusOK || got != want {
				t.Errorf("%s: %d %s, want the orders %s", query, status, body, want)
			}
		}
		if _, body, _ := c.call("POST /orders/search", `{"filter":{"priceMin":10}}`); jsontree.Find(body, "#.item").Raw() != `["c"]` {
			t.Errorf("the search finds %s, want c", body)
		}
		c.story(`
			DELETE /orders?max_price=2 -> 204
			GET /orders/2 -> 404…
			GET /orders/3 -> 200…
		`)
	})
	t.Run("texts have the formats of the document, and null stands where anything may", func(t *testing.T) {
		t.Parallel()
		c := newOwnShape(t, "hooks")
		for member, values := range map[string][2]string{
			"url": {"urn:isbn:1", "nope"}, "mail": {"a@b.example", "nope"}, "at": {"2024-02-29T00:00:00Z", "2025-02-29T00:00:00Z"},
			"ref": {"123e4567-e89b-42d3-a456-426614174000", "123e4567"}, "ip": {"10.0.0.1", "10.0.0.256"},
			"ip6": {"::1", "10.0.0.1"},
		} {
			if status, body, _ := c.call("POST /hooks", `{"`+member+`":"`+values[0]+`"}`); status != http.StatusCreated {
				t.Errorf("%s %s: %d %s", member, values[0], status, body)
			}
			status, body, _ := c.call("POST /hooks", `{"`+member+`":"`+values[1]+`"}`)
			if status != http.StatusUnprocessableEntity || !strings.Contains(body, member+": want ") {
				t.Errorf("%s %s: %d %s, want 422 that names the member", member, values[1], status, body)
			}
		}
		c.story(`
			POST /hooks?since=nope {} -> 422…
			POST /hooks {"kind":"any"} -> 201…
			GET /hooks/nope -> 404…
		`)
		for _, body := range []string{`"note":null`, `"value":null`, `"value":[null]`} {
			if status, answer, _ := c.call("POST /hooks", "{"+body+"}"); !strings.HasSuffix(answer, ","+body+"}") {
				t.Errorf("%s: %d %s", body, status, answer)
			}
		}
	})
	t.Run("keys stand beside objects, one is shown for several, and a list may have to have items", func(t *testing.T) {
		t.Parallel()
		c := newOwnShape(t, "../../../../testdata/own/gallery")
		c.story(`
			POST /layers/ {"name":"a"} -> 201 {"id":1,"result":{"name":"a"}}
			GET /layers/1 -> 200 {"id":"1","result":{"id":1,"name":"a"}}
			GET /layers/ -> 200 {"count":1,"result":[{"id":1,"name":"a"}]}
			POST /posts [{"text":"x"},{"text":"y"}] -> 200 {"id":"1","text":"x"}
			GET /posts/2 -> 200 {"id":"2","text":"y"}
			GET /tours -> 200 {}
			POST /tours {} -> 201 {"id":1}
			GET /tours -> 200 {"data":[{"id":1}]}
			GET /tours/1/stops -> 200…
			POST /tours/1/stops {"room":"blue"} -> 201 {"id":1,"room":"blue"}
			GET /tours/1/stops?room=red -> 200…
			GET /tours/1/stops -> 200 [{"id":1,"room":"blue"}]
		`)
		_, _, header := c.call("POST /visitors", `{"name":"Ada","paid":0.07}`)
		if at := header.Get("Location"); !strings.HasSuffix(at, "/visitors/1") {
			t.Errorf("Location %q", at)
		}
		if _, visitor, _ := c.call("GET /visitors/1", ""); strings.Contains(visitor, "null") {
			t.Errorf("a member that nullable adds no null to is null: %s", visitor)
		}
	})
}
