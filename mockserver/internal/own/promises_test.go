package own_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// promises is a document with a constraint of each kind. The mock keeps what it says, and the checker judges by it.
const promises = "../../../contract/internal/rule/testdata/promises.yaml"

var promiseChecker = sync.OnceValues(func() (*contract.Checker, error) {
	return contract.NewChecker(contract.WithSpec("shop", promises), contract.WithComplete("auto"))
})

// buyer sends random requests to a shop, and knows the ids that it has seen.
type buyer struct {
	*rand.Rand
	handler http.Handler
	seen    map[string][]string
}

func (b *buyer) one(list ...string) string { return list[b.IntN(len(list))] }

// known returns the id of an object that was made, be it there or not, or of one that never was.
func (b *buyer) known(collection string) string {
	if list := b.seen[collection]; len(list) > 0 && b.IntN(12) > 0 {
		return list[len(list)-1-b.IntN(min(4, len(list)))]
	}
	return "0"
}

// customer, order and basket return the members of a random one, each with some of them.
func (b *buyer) some(members ...string) string {
	members = slices.DeleteFunc(members, func(string) bool { return b.IntN(2) == 0 })
	return "{" + strings.Join(members, ",") + "}"
}

func (b *buyer) customer() string {
	return b.some(`"email":"`+b.one("a@x", "A@x", "b@x", "c@x")+`"`, `"name":"`+b.one("n", "m")+`"`,
		`"city":"`+b.one("x", "y")+`"`, `"born":"`+b.one("1990", "1991")+`"`)
}

func (b *buyer) order() string {
	return b.some(`"customer":"`+b.known("customers")+`"`, `"coupons":["`+b.one("A", "B")+`","C"]`,
		`"basket":"`+b.known("baskets")+`"`, fmt.Sprintf(`"total":%d`, b.IntN(3)), `"status":"`+b.one("open", "shipped")+`"`)
}

var madeID = regexp.MustCompile(`^{"(?:id|code)":"([^"]*)"`)

func (b *buyer) act() {
	c, o, k, l := b.known("customers"), b.known("orders"), b.known("baskets"), b.known("lines")
	line := "/baskets/" + k + "/lines"
	switch b.IntN(20) {
	case 0, 1:
		b.send("POST", "/customers", b.customer())
	case 2:
		b.send("GET", "/customers", "")
	case 3:
		b.send("GET", "/customers/"+c, "")
	case 4:
		b.send("PATCH", "/customers/"+c, b.customer())
	case 5:
		b.send("DELETE", "/customers/"+c, "")
	case 6, 7:
		b.send("POST", "/orders", b.order())
	case 8:
		b.send("GET", b.one("/orders", "/orders?of="+c), "")
		b.send("GET", b.one("/orders", "/orders?most=3", "/orders?skip=2", "/orders?skip=1&most=2", "/orders?of="+c), "")
	case 9:
		b.send("GET", "/orders/"+o, "")
	case 10:
		b.send("PUT", "/orders/"+o, b.order())
	case 11:
		b.send(b.one("DELETE", "GET"), "/orders/"+o, "")
	case 12:
		b.send("POST", "/orders/"+o+"/cancel", "")
	case 13:
		code := b.one("A", "B", "C")
		if body := `{"code":"` + code + `","off":1}`; b.IntN(2) == 0 {
			b.send("PUT", "/coupons/"+code, body)
		} else {
			b.send("POST", "/coupons", body)
		}
	case 14:
		b.send(b.one("DELETE", "GET"), "/coupons/"+b.one("A", "B", "C"), "")
	case 15:
		b.send("POST", "/baskets", b.some(`"size":1`, `"color":"red"`))
	case 16:
		b.send("PATCH", "/baskets/"+k, `[{"op":"`+b.one("add", "replace")+`","path":"/`+b.one("size", "size")+`","value":2}]`)
	case 17:
		b.send(b.one("DELETE", "GET"), "/baskets/"+k, "")
	case 18:
		b.send("POST", line, `{"sku":"`+b.one("s", "t")+`"}`)
	default:
		b.send(b.one("DELETE", "GET"), line+"/"+l, "")
	}
}

func (b *buyer) send(method, path, body string) {
	r := httptest.NewRequestWithContext(context.Background(), method, "http://127.0.0.1/shop"+path,
		strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
		if body[0] == '[' {
			r.Header.Set("Content-Type", "application/json-patch+json")
		}
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	collection := path[strings.LastIndexByte(path, '/')+1:]
	if m := madeID.FindStringSubmatch(w.Body.String()); m != nil && w.Code == http.StatusCreated {
		b.seen[collection] = append(b.seen[collection], m[1])
	}
}

// shopping returns the recording of a random session with a shop.
func shopping(t *testing.T, seed uint64, document string) []*recording.Exchange {
	t.Helper()
	server, err := mockserver.New(mockserver.WithSpec("shop", document))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	recorder := contract.NewRecorder(nil)
	b := &buyer{rand.New(rand.NewPCG(seed, 1)), recorder.Handler(server), map[string][]string{}}
	for range 45 {
		b.act()
	}
	return recorder.Exchanges()
}

// violations lists what the checker finds in a recording against the document.
func violations(t *testing.T, list []*recording.Exchange) (found []string) {
	t.Helper()
	c, err := promiseChecker()
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Check(t.Context(), contract.Exchanges(slices.Values(list)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Verdict == "fail" || f.Rule == "consistency" || f.Rule == "use-after-delete" {
			found = append(found, fmt.Sprintf("%s %s %v: %s", f.Rule, f.Verdict, f.Evidence, f.Message))
		}
	}
	return found
}

// No session with the mock breaks what the document says.
// SESSIONS is the number of sessions, 100 by default.
func TestOwnPromisesAreKept(t *testing.T) {
	t.Parallel()
	for seed := range uint64(mocktest.AtLeast(100, "SESSIONS")) {
		list := shopping(t, seed, promises)
		if seed%3 == 0 { // somebody else's part is missing
			chance := rand.New(rand.NewPCG(seed, 2))
			list = slices.DeleteFunc(list, func(e *recording.Exchange) bool {
				return e.Request.Method == http.MethodGet && chance.IntN(2) == 0
			})
		}
		if found := violations(t, list); len(found) > 0 {
			t.Errorf("session %d:\n%s", seed, strings.Join(found, "\n"))
		}
	}
}

// A mock that does not keep one of the promises is found out.
func TestBrokenOwnPromisesAreFound(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(promises)
	if err != nil {
		t.Fatal(err)
	}
	for name, broken := range map[string]struct{ was, is, message string }{
		"unique":  {"    unique: [{at: /email, fold: true}, {at: /name, within: [/city]}]\n", "", "was given the email of"},
		"fold":    {", fold: true", "", "was given the email of"},
		"within":  {", {at: /name, within: [/city]}", "", "was given the name of"},
		"parent":  {", unique: [{at: /sku, within: [parent]}]", "", "was given the sku of"},
		"once":    {"    once: [/born]\n", "", "although only a creation sets it"},
		"merge":   {"update: merge", "update: replace", "after an update that does not name it"},
		"replace": {"update: replace", "update: merge", "after an update without it"},
		"exist":   {"must: exist, ", "", "was referenced"},
		"refuse":  {"onDelete: refuse", "onDelete: keep", "was deleted although order"},
		"clear":   {"onDelete: clear", "onDelete: keep", "still refers to coupon"},
		"cascade": {"onDelete: cascade", "onDelete: keep", "with which it goes"},
		"cleared": {"onDelete: cascade", "onDelete: clear", "with which it goes"},
		"order":   {"order: /id", "order: -/id", "not in ascending order"},
		"size":    {", size: 2}", ", size: 5}", "items, but at most 2"},
		"filter":  {"      filter: {of: /customer}\n", "", "the list was asked for of"},
		"skip":    {"skip", "begin", "is on two pages"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "broken.yaml")
			changed := strings.ReplaceAll(string(text), broken.was, broken.is)
			if changed == string(text) {
				t.Fatalf("the document has no %q", broken.was)
			}
			if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(40) {
				found := violations(t, shopping(t, seed, file))
				if slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, " fail ") && strings.Contains(f, broken.message) }) {
					return
				}
			}
			t.Errorf("nothing like %q was found", broken.message)
		})
	}
}

// cannotCancelShipped is a rule that the mock keeps and the checker judges by.
func cannotCancelShipped(c specs.Change[struct{ Status string }]) error {
	if c.Verb == "cancel" && c.Before.Status == "shipped" {
		return mockserver.Refuse(http.StatusConflict, "an order that is shipped cannot be cancelled")
	}
	return nil
}

func TestOneRuleForBoth(t *testing.T) {
	t.Parallel()
	checker, err := contract.NewChecker(contract.WithSpec("shop", promises),
		contract.WithChanges(contract.CheckChanges("shop.order", cannotCancelShipped)))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		opts []mockserver.Option
		skip string // what the recording lacks
		want string
	}{
		"a mock without the rule": {want: "consistency fail [1 2]: cancel of order 1 was accepted: an order that is shipped cannot be cancelled"},
		"a mock with it": {
			opts: []mockserver.Option{mockserver.WithRules(mockserver.CheckChanges("shop.order", cannotCancelShipped))},
		},
		"a recording that does not show that it was shipped": {skip: "/shop/orders"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := mockserver.New(append(test.opts, mockserver.WithSpec("shop", promises))...)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = server.Close() }()
			recorder := contract.NewRecorder(nil)
			b := &buyer{handler: recorder.Handler(server), seen: map[string][]string{}}
			b.send("POST", "/orders", `{"status":"shipped"}`)
			b.send("POST", "/orders/1/cancel", "")
			list := slices.DeleteFunc(recorder.Exchanges(), func(e *recording.Exchange) bool {
				return test.skip != "" && strings.HasSuffix(e.Request.URL, test.skip)
			})
			r, err := checker.Check(t.Context(), contract.Exchanges(slices.Values(list)))
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, f := range r.Findings {
				if f.Rule == "consistency" {
					found = append(found, fmt.Sprintf("%s %s %v: %s", f.Rule, f.Verdict, f.Evidence, f.Message))
				}
			}
			if got := strings.Join(found, "\n"); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
	_, err = contract.NewChecker(contract.WithSpec("shop", promises),
		contract.WithChanges(contract.CheckChanges("shop.ordr", cannotCancelShipped)))
	if err == nil || !strings.Contains(err.Error(), "shop.ordr: unknown resource; want one of a document of your own, of which WithSpec gives: shop.basket") {
		t.Errorf("an unknown resource: %v", err)
	}
}
