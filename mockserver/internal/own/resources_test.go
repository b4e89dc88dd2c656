package own_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver"
)

// shopClient calls the shop of testdata/own/shop.yaml.
type shopClient struct {
	t         *testing.T
	transport *mockserver.Transport
}

func newOwnShop(t *testing.T, opts ...mockserver.Option) *shopClient {
	t.Helper()
	opts = append([]mockserver.Option{
		mockserver.WithSpec("shop", "../../testdata/own/shop.yaml"), mockserver.WithClock(mockserver.ClockFrozen),
	}, opts...)
	return &shopClient{t, mockserver.NewTransport(t, opts...)}
}

// call sends METHOD /path, with headers as "Name: value" lines before the body.
func (c *shopClient) call(request, body string, headers ...string) (status int, answer string, header http.Header) {
	c.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	address := "https://api.shop.example/v1" + path
	r, err := http.NewRequestWithContext(c.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer token")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	response, err := c.transport.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

// story plays lines of "METHOD /path [body] -> status [answer]". An answer of … is any.
func (c *shopClient) story(text string) {
	c.t.Helper()
	for line := range strings.Lines(strings.TrimSpace(text)) {
		request, want, _ := strings.Cut(strings.TrimSpace(line), " -> ")
		fields := strings.SplitN(request, " ", 3)
		body := ""
		if len(fields) == 3 {
			body = fields[2]
		}
		status, answer, _ := c.call(fields[0]+" "+fields[1], body)
		got := strings.TrimSpace(fmt.Sprintf("%d %s", status, answer))
		if prefix, isOpen := strings.CutSuffix(want, "…"); got != want && !(isOpen && strings.HasPrefix(got, prefix)) {
			c.t.Errorf("%s\n got %s\nwant %s", request, got, want)
		}
	}
}

const rose = `{"id":1,"name":"rose","price":2.50,"stock":0,"created_at":"2026-01-15T09:30:00Z","updated_at":"2026-01-15T09:30:00Z"}`

func TestOwnResources(t *testing.T) {
	t.Parallel()
	t.Run("what a POST sends, a GET shows, as it was written", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t)
		c.story(`
			GET /products/1 -> 404 {"code":404,"message":"product with id 1 not found"}
			POST /products {"name":"rose","price":2.50} -> 201 ` + rose + `
			GET /products/1 -> 200 ` + rose + `
			GET /products?limit=1 -> 200 {"has_more":false,"items":[` + rose + `],"offset":0,"total":1}
			DELETE /products/1 -> 204
			GET /products/1 -> 404 {"code":404,"message":"product with id 1 not found"}
			GET /products -> 200 {"has_more":false,"items":[],"offset":0,"total":0}
			POST /products {"name":"tulip","price":1} -> 201 {"id":2,…`)
	})
	t.Run("PATCH merges, PUT replaces, and neither changes what only the service sets", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t)
		c.story(`
			POST /products {"name":"rose","price":2,"category":"red","tags":{"a":"1","b":"2"}} -> 201 {"id":1,…
			PATCH /products/1 {"price":3,"category":null,"tags":{"a":null,"c":"3"}} -> 200 {"id":1,"name":"rose","price":3,"tags":{"b":"2","c":"3"},…
			PUT /products/1 {"id":9,"name":"lily","price":4,"created_at":"2020-01-01T00:00:00Z"} -> 200 {"id":1,"created_at":"2026-01-15T09:30:00Z","updated_at":"2026-01-15T09:30:00Z","name":"lily","price":4,"stock":0}
			PUT /products/7 {"name":"lily","price":4} -> 404…
			PATCH /products/1 {"name":""} -> 400…`)
		status, answer, _ := c.call("PATCH /products/1", `[{"op":"replace","path":"/price","value":5}]`,
			"Content-Type: application/json-patch+json")
		if status != 200 || !strings.Contains(answer, `"price":5`) {
			t.Errorf("JSON Patch: %d %s", status, answer)
		}
		for patch, want := range map[string]int{
			`[{"op":"replace","path":"/price","value":"x"}]`: 422, `[{"op":"remove","path":"/nothing"}]`: 409,
			`[{"op":"replace"}]`: 400,
		} {
			if status, answer, _ := c.call("PATCH /products/1", patch, "Content-Type: application/json-patch+json"); status != want {
				t.Errorf("%s: %d %s, want %d", patch, status, answer, want)
			}
		}
		c.story(`GET /products/1 -> 200 {"id":1,"created_at":"2026-01-15T09:30:00Z","updated_at":"2026-01-15T09:30:00Z","name":"lily","price":5,"stock":0}`)
	})
	t.Run("what a POST sends stays where the service sets members of the same part", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t, mockserver.WithSpec("shop", "../../testdata/own/tickets.yaml"))
		const ticket = `{"data":{"id":"1","type":"tickets","attributes":{"title":"Aida","seat":{"row":7,"isTaken":false},"createdAt":"2026-01-15T09:30:00Z"}}}`
		c.story(`
			POST /tickets {"data":{"type":"tickets","attributes":{"title":"Aida","seat":{"row":7}}}} -> 201 ` + ticket + `
			GET /tickets/1 -> 200 ` + ticket)
	})
	t.Run("parts beside a list say which page it is, and show nothing that is not there", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t, mockserver.WithSpec("shop", "../../testdata/own/tickets.yaml"))
		for range 3 {
			c.story(`POST /tickets {"data":{"type":"tickets","attributes":{"title":"Aida","seat":{"row":7}}}} -> 201…`)
		}
		_, answer, _ := c.call("GET /tickets?page[limit]=1&page[offset]=1", "")
		page := func(offset int) string {
			return fmt.Sprintf("https://api.shop.example/v1/tickets?page%%5Blimit%%5D=1&page%%5Boffset%%5D=%d", offset)
		}
		for at, want := range map[string]string{
			"data.#.id": `["2"]`, "meta.total": "3", "included": "", "links.first": page(0), "links.prev": page(0),
			"links.next": page(2), "links.last": page(2),
		} {
			if got := jsontree.Find(answer, at).Text(); got != want {
				t.Errorf("%s is %s, want %s: %s", at, got, want, answer)
			}
		}
		_, answer, _ = c.call("GET /tickets", "")
		if jsontree.Find(answer, "links.next").Exists() || jsontree.Find(answer, "links.prev").Exists() {
			t.Errorf("the only page leads to others: %s", answer)
		}
	})
	t.Run("a change of what has been changed is refused", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t)
		c.story(`POST /products {"name":"rose","price":2} -> 201…`)
		_, _, header := c.call("GET /products/1", "")
		tag := header.Get("ETag")
		if status, _, _ := c.call("GET /products/1", "", "If-None-Match: "+tag); status != http.StatusNotModified || tag == "" {
			t.Errorf("tag %q: status %d", tag, status)
		}
		for i, want := range []int{200, 412} {
			if status, answer, _ := c.call("PATCH /products/1", `{"price":3}`, "If-Match: "+tag); status != want {
				t.Errorf("change %d: %d %s, want %d", i, status, answer, want)
			}
		}
	})
	t.Run("a created thing says where it is", func(t *testing.T) {
		t.Parallel()
		_, _, header := newOwnShop(t).call("POST /products", `{"name":"rose","price":2}`)
		if got := header.Get("Location"); got != "https://api.shop.example/v1/products/1" {
			t.Errorf("Location %q", got)
		}
	})
	t.Run("what belongs to a thing needs it, and goes with it", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t, mockserver.WithSeed(1))
		c.story(`
			POST /products/1/reviews {"stars":5} -> 404 {"code":404,"message":"product with productId 1 not found"}
			POST /products {"name":"rose","price":2} -> 201…
			POST /products {"name":"lily","price":2} -> 201…
			POST /products/1/reviews {"stars":6} -> 400…
			POST /products/1/reviews {"stars":5} -> 201 {"id":"…
			GET /products/2/reviews -> 200 []
			GET /products/1/reviews -> 200 [{"id":"…
			DELETE /products/1 -> 204
			GET /products/1/reviews -> 404…`)
	})
	t.Run("lists have pages, filters and an order", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t)
		for i, name := range []string{"c", "a", "b"} {
			c.story(fmt.Sprintf(`POST /products {"name":"%s","price":%d,"category":"k%d"} -> 201…`, name, i+8, i%2))
		}
		for query, want := range map[string]string{
			"": "c a b, 3, false", "?limit=2": "c a, 3, true", "?limit=2&offset=2": "b, 3, false", "?offset=9": ", 3, false",
			"?category=k0": "c b, 2, false", "?category=none": ", 0, false", "?sort=name": "a b c, 3, false",
			"?sort=-name": "c b a, 3, false", "?sort=price:desc": "b a c, 3, false",
		} {
			_, answer, _ := c.call("GET /products"+query, "")
			if got := shownProducts(t, answer); got != want {
				t.Errorf("%q: %s, want %s", query, got, want)
			}
		}
		if status, _, _ := c.call("GET /products?limit=51", ""); status != 400 && status != 422 {
			t.Errorf("too large a page: %d", status)
		}
	})
	t.Run("an action answers with the thing, and leads to the state of its name", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t)
		_, answer, _ := c.call("POST /orders", `{"productId":1}`)
		id := between(answer, `"id":"`, `"`)
		if !strings.HasPrefix(id, "ord_") || len(id) != len("ord_0123456789abcdef") {
			t.Errorf("the id %q is not like the example", id)
		}
		order := func(status string) string {
			return `{"order":{"id":"` + id + `","productId":1,"quantity":1,"status":"` + status + `"}}`
		}
		c.story(`
			GET /orders/` + id + ` -> 200 ` + order("placed") + `
			POST /orders/` + id + `/cancel -> 200 ` + order("cancelled") + `
			GET /orders/` + id + ` -> 200 ` + order("cancelled") + `
			POST /orders/ord_9/cancel -> 404…`)
	})
	t.Run("a PUT makes what the client names, and shows no secrets", func(t *testing.T) {
		t.Parallel()
		newOwnShop(t).story(`
			GET /users/ann -> 404…
			PUT /users/ann {"userName":"ann","email":"a@example.com","password":"x"} -> 201 {"userName":"ann","email":"a@example.com"}
			PUT /users/ann {"email":"b@example.com"} -> 200 {"userName":"ann","email":"b@example.com"}
			GET /users/ann -> 200 {"userName":"ann","email":"b@example.com"}
			GET /users/bob/settings -> 404…
			PATCH /users/ann/settings {"newsletter":true} -> 200 {…
			GET /users/ann/settings -> 200 {"language":"…`)
	})
	t.Run("what is no resource is answered with the example of the document, or a sample of its schema", func(t *testing.T) {
		t.Parallel()
		newOwnShop(t).story(`
			GET /tax-rates -> 200 {"DE":19,"FR":20}
			GET /logo -> 200…`)
	})
	t.Run("errors have the form of the document", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t)
		c.story(`
			POST /products {"price":"x"} -> 422 {"code":422,"message":"…
			POST /products -> 422…
			GET /nothing -> 404 {"code":404,"message":"no operation GET /nothing"}
			DELETE /products -> 405…`)
		for _, test := range []struct {
			header string
			want   int
		}{{"Authorization: ", 401}, {"Authorization: Basic eDp5", 401}, {"Authorization: Bearer ", 401}, {"Authorization: bearer x", 200}} {
			status, answer, header := c.call("GET /products", "", test.header)
			if status != test.want || status == 401 && (!strings.Contains(answer, "Bearer") || header.Get("WWW-Authenticate") == "") {
				t.Errorf("%s: %d %s", test.header, status, answer)
			}
		}
		if status, _, _ := c.call("GET /tax-rates", "", "Authorization: "); status != 200 {
			t.Errorf("what needs no credentials: %d", status)
		}
	})
	t.Run("worlds, faults, counts and keys are as for every interface", func(t *testing.T) {
		t.Parallel()
		c := newOwnShop(t)
		world := c.transport.World()
		c.story(`POST /products {"name":"rose","price":2} -> 201…`)
		fork := world.Fork()
		header := "X-Understudy-World: " + fork.ID()
		c.story(`DELETE /products/1 -> 204`)
		if status, _, _ := c.call("GET /products/1", "", header); status != 200 {
			t.Errorf("the fork has lost what it had: %d", status)
		}
		world.Checkpoint("empty")
		c.story(`
			POST /products {"name":"lily","price":2} -> 201 {"id":2,…
			GET /products/2 -> 200 {"id":2,…`)
		if err := world.Restore("empty"); err != nil {
			t.Fatal(err)
		}
		c.story(`GET /products/2 -> 404…`)
		if n := world.Calls("shop.deleteProduct", 204); n != 1 {
			t.Errorf("%d deletions, want 1", n)
		}
	})
}

// shownProducts lists the names in a page, the total, and whether there are more.
func shownProducts(t *testing.T, answer string) string {
	t.Helper()
	var names []string
	for _, part := range strings.Split(answer, `"name":"`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		names = append(names, name)
	}
	return strings.Join(names, " ") + ", " + between(answer, `"total":`, `}`) + ", " + between(answer, `"has_more":`, `,`)
}

func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	part, _, _ := strings.Cut(rest, after)
	return part
}

func TestOverlaidDocument(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "overlay.yaml")
	text := "overlay: 1.0.0\ninfo: {title: x, version: '1'}\nactions:\n" +
		"- {target: \"$.paths['/products/{productId}'].delete\", remove: true}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	shop := newOwnShop(t, mockserver.WithOverlay("", file))
	if status, _, _ := shop.call("DELETE /products/1", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("the overlay removes the operation: status %d, want 405", status)
	}
	shop = newOwnShop(t)
	if status, _, _ := shop.call("DELETE /products/1", ""); status == http.StatusMethodNotAllowed {
		t.Error("without the overlay the operation is there: status 405")
	}
}
