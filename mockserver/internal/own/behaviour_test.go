package own_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

func newOrders(t *testing.T, opts ...mockserver.Option) *shopClient {
	t.Helper()
	opts = append([]mockserver.Option{
		mockserver.WithSpec("shop", "../../testdata/orders.yaml"), mockserver.WithClock(mockserver.ClockFrozen),
	}, opts...)
	return &shopClient{t, mockserver.NewTransport(t, opts...)}
}

// without returns the orders without a text of x-resources, in a file of its own.
func without(t *testing.T, text string) mockserver.Option {
	t.Helper()
	return replaced(t, text, "")
}

// replaced returns the orders with one text in place of another one, in a file of its own.
func replaced(t *testing.T, text, other string) mockserver.Option {
	t.Helper()
	whole, err := os.ReadFile("../../testdata/orders.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(whole), text) {
		t.Fatalf("%q is missing", text)
	}
	file := filepath.Join(t.TempDir(), "orders.yaml")
	if err := os.WriteFile(file, []byte(strings.Replace(string(whole), text, other, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return mockserver.WithSpec("shop", file)
}

const (
	ann     = `{"id":"1","email":"a@x","level":"new","made":"2026-01-15T09:30:00Z","seen":1768469400}`
	patched = `{"id":"1","email":"a@x","level":"old","made":"2026-01-15T09:30:00Z","seen":1768469400}`
)

func TestOwnBehaviour(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		without   string // a key of x-resources, with which the first story holds
		with, off string
	}{
		"make begins members, and sets the time": {
			"make: {id: sequence, now: [/made], begin: {/level: new}}",
			`POST /customers {"email":"a@x"} -> 201 ` + ann,
			`POST /customers {"email":"a@x"} -> 201 {"id":"1","email":"a@x","seen":1768469400}`,
		},
		"touch sets the time of a change, and no client does": {
			"touch: {now: [/seen]}",
			`POST /customers {"email":"a@x"} -> 201 ` + ann + `
			PATCH /customers/1 {"level":"old"} -> 200 ` + patched + `
			PATCH /customers/1 {"seen":1} -> 400 {"detail":"seen: no client sets it: leave it out"}`,
			`POST /customers {"seen":1} -> 201 {"id":"1","seen":1,"level":"new","made":"2026-01-15T09:30:00Z"}`,
		},
		"what is set once is not changed": {
			"once: [/email]",
			`POST /customers {"email":"a@x"} -> 201 ` + ann + `
			PATCH /customers/1 {"email":"a@x","level":"old"} -> 200 ` + patched + `
			PATCH /customers/1 {"email":"b@x"} -> 400 {"detail":"email: it is set once: want the value that it has, or leave it out"}`,
			`POST /customers {"email":"a@x"} -> 201 ` + ann + `
			PATCH /customers/1 {"email":"b@x"} -> 200 {"id":"1","email":"b@x",…`,
		},
		"strict refuses what is ignored otherwise": {
			"strict: reject",
			`POST /customers {"email":"a@x","id":"7"} -> 400 {"detail":"id: no client sets it: leave it out"}`,
			`POST /customers {"email":"a@x","id":"7"} -> 201 ` + ann + `
			PATCH /customers/1 {"email":"b@x","level":"old"} -> 200 ` + patched,
		},
		"unique folds case": {
			"{at: /email, fold: true}, ",
			`POST /customers {"email":"a@x"} -> 201…
			POST /customers {"email":"A@x"} -> 409…
			POST /customers {"name":"ann"} -> 201…
			POST /customers {"name":"bob"} -> 201…
			PATCH /customers/1 {"email":"a@x"} -> 200…`,
			`POST /customers {"email":"a@x"} -> 201…
			POST /customers {"email":"A@x"} -> 201…`,
		},
		"unique within a member, with an error of x-errors": {
			", {at: /name, within: [/city], error: name-taken}",
			`POST /customers {"name":"a","city":"x"} -> 201…
			POST /customers {"name":"a","city":"y"} -> 201…
			POST /customers {"name":"a","city":"x"} -> 422 {"error":"name_taken","message":"customer with name \"a\" exists already"}
			PATCH /customers/2 {"city":"x"} -> 422…`,
			`POST /customers {"name":"a","city":"x"} -> 201…
			POST /customers {"name":"a","city":"x"} -> 201…`,
		},
		"x-errors gives the status and the form of any error": {
			"  not-found: {status: 410}\n",
			`GET /customers/1 -> 410 {"detail":"customer with id 1 not found"}`,
			`GET /customers/1 -> 404 {"detail":"customer with id 1 not found"}`,
		},
		"what is referred to exists, and cannot be deleted": {
			"- {resource: customer, at: /customer, must: exist, onDelete: refuse}",
			`POST /customers {"email":"a@x"} -> 201…
			POST /orders {"customer":"2"} -> 400 {"detail":"customer: no customer is 2"}
			POST /orders {"customer":null} -> 201…
			POST /orders {"customer":"1"} -> 201…
			DELETE /customers/1 -> 409…
			GET /customers/1 -> 200…`,
			`POST /customers {"email":"a@x"} -> 201…
			POST /orders {"customer":"2"} -> 201…
			DELETE /customers/1 -> 204`,
		},
		"a reference is cleared": {
			"- {resource: coupon, at: /coupons/*, must: exist, onDelete: clear}",
			`POST /coupons {"code":"A"} -> 201…
			POST /coupons {"code":"B"} -> 201…
			POST /orders {"coupons":["A","B"],"total":1} -> 201…
			POST /orders {"coupons":["A","C"]} -> 400 {"detail":"coupons/*: no coupon is C"}
			DELETE /coupons/A -> 204
			GET /orders -> 200 {"items":[{"id":"ID","coupons":["B"],"total":1}],"next":null}`,
			`POST /coupons {"code":"A"} -> 201…
			POST /orders {"coupons":["A","C"],"total":1} -> 201…
			DELETE /coupons/A -> 204
			GET /orders -> 200 {"items":[{"id":"ID","coupons":["A","C"],"total":1}],"next":null}`,
		},
		"what refers goes as well": {
			"- {resource: basket, at: /basket, onDelete: cascade}",
			`POST /baskets {"size":1} -> 201 {"id":"DIGITS","size":1}
			POST /orders {"basket":"LAST"} -> 201…
			DELETE /baskets/LAST -> 204
			GET /orders -> 200 {"items":[],"next":null}`,
			`POST /baskets {"size":1} -> 201 {"id":"DIGITS","size":1}
			POST /orders {"basket":"LAST"} -> 201…
			DELETE /baskets/LAST -> 204
			GET /orders -> 200 {"items":[{"id":"ID","basket":"DIGITS"}],"next":null}`,
		},
		"a client gives the key": {
			"    make: {id: client}\n",
			`POST /coupons {"code":"A"} -> 201 {"code":"A"}
			POST /coupons {"code":"A"} -> 409…
			POST /coupons {} -> 400 {"detail":"code: want the code of the new coupon"}`,
			`POST /coupons {} -> 201 {"code":"1"}`,
		},
		"ids are made as make says": {
			"    make: {id: digits}\n",
			`POST /baskets {"id":"7"} -> 201 {"id":"DIGITS"}
			POST /orders {"id":"7"} -> 201 {"id":"ID"}
			POST /customers {} -> 201 {"id":"1",…`,
			`POST /baskets {"id":"7"} -> 201 {"id":"7"}
			POST /baskets {} -> 201 {"id":"2"}`,
		},
		"an update is a JSON Patch": {
			"    update: json-patch\n",
			`POST /baskets {"size":1} -> 201 {"id":"DIGITS","size":1}
			PATCH /baskets/LAST [{"op":"replace","path":"/size","value":2}] -> 200 {"id":"DIGITS","size":2}`,
			`POST /baskets {"size":1} -> 201 {"id":"DIGITS","size":1}
			PATCH /baskets/LAST [{"op":"replace","path":"/size","value":2}] -> 200 {"id":"DIGITS","size":1}`,
		},
		"an update merges": {
			"    update: merge\n",
			`POST /orders {"total":1,"status":"open"} -> 201 {"id":"ID","total":1,"status":"open"}
			PUT /orders/LAST {"total":2} -> 200 {"id":"ID","total":2,"status":"open"}`,
			`POST /orders {"total":1,"status":"open"} -> 201 {"id":"ID","total":1,"status":"open"}
			PUT /orders/LAST {"total":2} -> 200 {"id":"ID","total":2}`,
		},
		"a path names a new one": {
			"    make: {id: path}\n",
			`PUT /notes/mine {"text":"x"} -> 200 {"id":"mine","text":"x"}`,
			`PUT /notes/mine {"text":"x"} -> 410…`,
		},
		"lists have an order, pages, filters, and members to sort by": {
			"    list:\n      order: -/total\n      page: {style: cursor, at: from, limit: most, size: 2}\n" +
				"      filter: {of: /customer}\n      sort: [/total]\n",
			`POST /customers {"email":"a@x"} -> 201…
			POST /orders {"total":1} -> 201…
			POST /orders {"total":3,"customer":"1"} -> 201…
			POST /orders {"total":2} -> 201…
			GET /orders -> 200 {"items":[{"id":"ID","total":3,"customer":"1"},{"id":"ID","total":2}],"next":"CURSOR"}
			GET /orders?from=NEXT -> 200 {"items":[{"id":"ID","total":1}],"next":null}
			GET /orders?most=3&sort=total -> 200 {"items":[{"id":"ID","total":1},{"id":"ID","total":2},{"id":"ID","total":3,"customer":"1"}],"next":null}
			GET /orders?of=1 -> 200 {"items":[{"id":"ID","total":3,"customer":"1"}],"next":null}
			GET /orders?sort=status -> 400 {"detail":"sort: want one of total, not \"status\""}`,
			`POST /orders {"total":1} -> 201…
			POST /orders {"total":3} -> 201…
			POST /orders {"total":2} -> 201…
			GET /orders?of=1 -> 200 {"items":[{"id":"ID","total":1},{"id":"ID","total":3},{"id":"ID","total":2}],…`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newOrders(t).masked(test.with)
			newOrders(t, without(t, test.without)).masked(test.off)
		})
	}
}

// A document may say that a GET deletes something. The method is a safe one all the same.
func TestOwnGetChangesNothing(t *testing.T) {
	t.Parallel()
	c := newOrders(t, replaced(t, "get: {x-resource: {resource: customer, verb: get}",
		"get: {x-resource: {resource: customer, verb: delete}"))
	c.story(`POST /customers {"email":"a@x"} -> 201 ` + ann + `
		GET /customers/1 -> 200…
		GET /customers/1 -> 200…
		PATCH /customers/1 {"level":"old"} -> 200 ` + patched)
}

func TestOwnBehaviourInOtherStyles(t *testing.T) {
	t.Parallel()
	const orders = `POST /orders {"total":1} -> 201…
			POST /orders {"total":3} -> 201…
			POST /orders {"total":2} -> 201…
			`
	one, two, three := `{"id":"ID","total":1}`, `{"id":"ID","total":2}`, `{"id":"ID","total":3}`
	for name, test := range map[string]struct{ from, to, story string }{
		"a page begins at an offset": {
			"style: cursor", "style: offset",
			orders + `GET /orders -> 200 {"items":[` + three + `,` + two + `],…
			GET /orders?from=1 -> 200 {"items":[` + two + `,` + one + `],…
			GET /orders?from=1&most=1 -> 200 {"items":[` + two + `],…
			GET /orders?from=3 -> 200 {"items":[],…`,
		},
		"a page has a number": {
			"style: cursor", "style: page",
			orders + `GET /orders -> 200 {"items":[` + three + `,` + two + `],…
			GET /orders?from=1 -> 200 {"items":[` + three + `,` + two + `],…
			GET /orders?from=2 -> 200 {"items":[` + one + `],…
			GET /orders?from=2&most=1 -> 200 {"items":[` + two + `],…
			GET /orders?from=3 -> 200 {"items":[],…`,
		},
		"a page begins after the object with an id": {
			"style: cursor", "style: lastId",
			orders + `GET /orders -> 200 {"items":[` + three + `,` + two + `],…
			GET /orders?from=LAST -> 200 {"items":[` + one + `],…`,
		},
		"an update replaces": {
			"once: [/email]", "update: replace",
			`POST /customers {"email":"a@x","name":"ann"} -> 201…
			PATCH /customers/1 {"email":"b@x","level":"old"} -> 200 {"id":"1",` +
				`"made":"2026-01-15T09:30:00Z","seen":1768469400,"email":"b@x","level":"old"}`,
		},
		"what no client sets is ignored": {
			"strict: reject", "strict: ignore",
			`POST /customers {"email":"a@x","id":"7"} -> 201 ` + ann + `
			PATCH /customers/1 {"email":"b@x","level":"old","seen":1} -> 200 ` + patched,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newOrders(t, replaced(t, test.from, test.to)).masked(test.story)
		})
	}
}

var (
	uuidText   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)
	digitsText = regexp.MustCompile(`"[1-9][0-9]{9}"`)
	idText     = regexp.MustCompile(`"id":"([^"]*)"`)
	nextText   = regexp.MustCompile(`"next":"([^"]*)"`)
)

// masked plays a story as story does, with ID, DIGITS and CURSOR for what is made, LAST for the key of what was made
// last in the collection, and of the last basket in a body, and NEXT for the cursor that was shown last.
func (c *shopClient) masked(text string) {
	c.t.Helper()
	last, next := map[string]string{}, ""
	for line := range strings.Lines(strings.TrimSpace(text)) {
		request, want, _ := strings.Cut(strings.TrimSpace(line), " -> ")
		if request == "" {
			continue
		}
		fields := append(strings.SplitN(strings.ReplaceAll(request, "NEXT", next), " ", 3), "")
		collection, _, _ := strings.Cut(strings.SplitN(fields[1], "/", 3)[1], "?")
		path := strings.ReplaceAll(fields[1], "LAST", last[collection])
		body := strings.ReplaceAll(fields[2], "LAST", last["baskets"])
		status, answer, _ := c.call(fields[0]+" "+path, body)
		if m := idText.FindStringSubmatch(answer); m != nil && status == http.StatusCreated {
			last[collection] = m[1]
		}
		if m := nextText.FindStringSubmatch(answer); m != nil {
			next = m[1]
			answer = strings.Replace(answer, m[0], `"next":"CURSOR"`, 1)
		}
		got := strings.TrimSpace(fmt.Sprintf("%d %s", status, answer))
		got = digitsText.ReplaceAllString(uuidText.ReplaceAllString(got, "ID"), `"DIGITS"`)
		if prefix, isOpen := strings.CutSuffix(want, "…"); got != want && !(isOpen && strings.HasPrefix(got, prefix)) {
			c.t.Errorf("%s\n got %s\nwant %s", request, got, want)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	t.Run("a refused change has no effect", func(t *testing.T) {
		t.Parallel()
		type order struct{ Total int }
		var seen []string
		c := newOrders(t, mockserver.WithRules(
			mockserver.CheckChanges("shop.order", func(c mockserver.Change[order]) error {
				seen = append(seen, fmt.Sprint(c.Verb, " ", c.Before != nil, c.After != nil, len(c.Keys)))
				if c.After != nil && c.After.Total > 5 {
					return mockserver.Refuse(http.StatusUnprocessableEntity, "too much")
				}
				return nil
			}),
			mockserver.CheckChanges("shop.order", func(c mockserver.Change[order]) error {
				if c.Verb == "create" && c.After.Total == 4 {
					return mockserver.Refuse(http.StatusConflict, "not four")
				}
				return nil
			})))
		c.masked(`POST /orders {"total":6} -> 422…
			POST /orders {"total":4} -> 409…
			POST /orders {"total":1} -> 201…
			PUT /orders/LAST {"total":6} -> 422…
			GET /orders/LAST -> 200 {"id":"ID","total":1}`)
		want := "create false true 1 create false true 1 create false true 1 update true true 1"
		if got := strings.Join(seen, " "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("those of resources that are not there are mistakes", func(t *testing.T) {
		t.Parallel()
		for resource, want := range map[string]string{
			"shop.ordr": "want one of shop.basket", "core.user": "want a resource of an interface that WithSpec gives",
		} {
			_, err := mockserver.New(mockserver.WithSpec("shop", "../../testdata/orders.yaml"),
				mockserver.WithRules(mockserver.CheckChanges(resource, func(mockserver.Change[any]) error { return nil })))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", resource, err, want)
			}
		}
	})
}
