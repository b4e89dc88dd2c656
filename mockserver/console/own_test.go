package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
)

// serveShop serves a user's own document alone, with products of which each next one costs less.
func serveShop(t *testing.T, products int, opts ...mockserver.Option) (base string) {
	t.Helper()
	base = start(t, append([]mockserver.Option{
		mockserver.WithScenario("quickstart"), mockserver.WithSpec("shop", "../testdata/own/shop.yaml"),
		mockserver.WithInterfaces("shop"),
	}, opts...)...)
	for i := range products {
		must(t, toShop(t, http.MethodPost, base+"/shop/v1/products",
			fmt.Sprintf(`{"name":"flower %d","price":%d}`, i+1, products-i)))
	}
	return base
}

// toShop sends a request to the shop.
func toShop(t *testing.T, method, address, body string) shown {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer any")
	r.Header.Set("Content-Type", "application/json")
	return do(t, http.DefaultClient, r)
}

// Each page shows a user's own interface as it shows those of the platform, and nothing of these where they are not
// served.
func TestOwnInterfaces(t *testing.T) {
	t.Parallel()
	base := serveShop(t, 1)
	page := base + console.Path
	for path, wants := range map[string][]string{
		"":                                   {"This is a mock of shop", "/shop/v1 ", "Authorization: Bearer any", "shop.listProducts"},
		"w/default/resources":                {"shop Orders Products 1 Users"},
		"w/default/resources/shop.product":   {"name id price", "flower 1 1 1", "Create product"},
		"w/default/resources/shop.product/1": {"flower 1 Product 1", "Replace product", "Delete product", "Create review"},
		"w/default/operations/shop.createProduct": {"name required price required", "Write the body as JSON", "Credential"},
		"w/default/journal":                       {"shop.createProduct"},
		"w/default/journal?interface=shop":        {"shop.createProduct"},
		"w/default/rules":                         {"1 / 18 operations"},
		"w/default/script":                        {"No faults planned."},
		"documents?q=product":                     {"shop.createProduct"},
		"documents":                               {"shop Shop"},
		"worlds":                                  {"quickstart"},
	} {
		got := open(t, http.DefaultClient, page+path)
		for _, want := range wants {
			if !strings.Contains(text(got.body), want) {
				t.Errorf("%s lacks %q: %d %s", path, want, got.status, text(got.body))
			}
		}
		for _, alien := range []string{"the platform", "SVC1", "1/admin", "workflow", "core."} {
			if path != "worlds" && strings.Contains(text(got.body), alien) {
				t.Errorf("%s has %q: %s", path, alien, text(got.body))
			}
		}
	}
	if got := open(t, http.DefaultClient, page+"documents/shop"); !strings.Contains(got.body, `server-url="../call/shop/v1"`) {
		t.Errorf("the document's page calls another address: %s", got.body)
	}
	if got := toShop(t, http.MethodGet, page+"call/shop/v1/products/1", ""); got.status != http.StatusOK {
		t.Errorf("a call of the document's page: %d %s", got.status, got.body)
	}
	if got := open(t, http.DefaultClient, page+"documents/core"); got.status != http.StatusNotFound {
		t.Errorf("the document of an interface that is not served: %d", got.status)
	}
}

// A table has all objects of a list, whatever the pages of the list, and is sorted as a whole.
func TestTables(t *testing.T) {
	t.Parallel()
	const products = 130
	page := serveShop(t, products) + console.Path + "w/default/resources/shop.product"
	keys := regexp.MustCompile(`resources/shop\.product/(\d+)"`)
	rows := func(address string) (list []string) {
		got := open(t, http.DefaultClient, address)
		for _, match := range keys.FindAllStringSubmatch(got.body, -1) {
			list = append(list, match[1])
		}
		return list
	}
	for query, want := range map[string]struct {
		rows        int
		first, last string
	}{
		"":                                   {100, "1", "100"},
		"?table:from=100":                    {30, "101", "130"},
		"?table:sort=/price":                 {100, "130", "31"}, // a number: 9 comes before 10
		"?table:sort=-/price&table:from=100": {30, "101", "130"},
		"?table:sort=-/id":                   {100, "130", "31"},
		"?table:sort=/nothing&table:from=nonsense":  {100, "1", "100"},
		"?table:from=5000":                          {1, "130", "130"},
		"?limit=50&offset=120":                      {10, "121", "130"},
		"?table:sort=%2Fname&limit=7&table:from=-3": {100, "1", "62"}, // flower 1, flower 10, flower 100
	} {
		got := rows(page + query)
		if len(got) != want.rows || got[0] != want.first {
			t.Errorf("%q: %d rows from %v, want %+v", query, len(got), got[:min(len(got), 3)], want)
			continue
		}
		if want.last != "62" && got[len(got)-1] != want.last {
			t.Errorf("%q: the last row is %s, want %s", query, got[len(got)-1], want.last)
		}
	}
}

// What a form sends is held against the document first, and what is wrong is shown beside the member. Whoever insists
// can send it.
func TestForms(t *testing.T) {
	t.Parallel()
	base := serveShop(t, 0)
	page := base + console.Path + "w/default/"
	count := func() string {
		return open(t, http.DefaultClient, base+"/_understudy/worlds/default/journal/counts").body
	}
	for name, test := range map[string]struct {
		form url.Values
		want string
	}{
		"two are wrong":            {url.Values{"number:price": {"-1"}}, "&#34;name&#34; is missing price required number must be at least 0"},
		"a member is lacking":      {url.Values{"number:price": {"2"}}, "name required property &#34;name&#34; is missing"},
		"a member is out of range": {url.Values{"string:name": {"rose"}, "number:price": {"-1"}}, "number must be at least 0"},
		"a number is none":         {url.Values{"string:name": {"rose"}, "number:price": {"x"}}, "&#34;x&#34; is not a number"},
		"a member is no JSON":      {url.Values{"string:name": {"rose"}, "number:price": {"1"}, "json:tags": {"["}}, "is not JSON"},
		"a text is no JSON":        {url.Values{"body": {"{"}}, "Body is not JSON"},
		"a text does not fit":      {url.Values{"body": {`{"name":1,"price":1}`}}, "name: value must be a string"},
	} {
		before := count()
		for _, button := range []string{"send", "check"} {
			test.form.Set(button, "1")
			got := post(t, http.DefaultClient, page+"operations/shop.createProduct", test.form)
			test.form.Del(button)
			if !strings.Contains(text(got.body), test.want) || !strings.Contains(got.body, "Nothing was sent") ||
				!strings.Contains(got.body, `aria-invalid="true"`) {
				t.Errorf("%s, %s: %d %s", name, button, got.status, text(got.body))
			}
		}
		if after := count(); after != before {
			t.Errorf("%s: something was sent: %s", name, after)
		}
	}
	forced := post(t, http.DefaultClient, page+"operations/shop.createProduct", url.Values{
		"string:name": {"rose"}, "number:price": {"-1"}, "force": {"1"},
	})
	if !strings.Contains(forced.body, `class="status s4"`) || !strings.Contains(forced.body, `id="number-price-wrong"`) {
		t.Errorf("what is sent all the same: %s", text(forced.body))
	}

	made := post(t, http.DefaultClient, page+"operations/shop.createProduct", url.Values{
		"string:name": {"rose"}, "number:price": {"2.50"}, "json:tags": {`{"colour":"red"}`}, "send": {"1"},
	})
	if !strings.Contains(made.body, `w/default/resources/shop.product/1"`) {
		t.Errorf("what is made has no link: %s", text(made.body))
	}
	if got := toShop(t, http.MethodGet, base+"/shop/v1/products/1", ""); !strings.Contains(got.body, `"price":2.50`) ||
		!strings.Contains(got.body, `"tags":{"colour":"red"}`) {
		t.Errorf("the product is %s", got.body)
	}
	edit := open(t, http.DefaultClient, page+"operations/shop.replaceProduct?path:productId=1")
	for _, want := range []string{`value="rose"`, `value="2.50"`, `{&#34;colour&#34;:&#34;red&#34;}`} {
		if !strings.Contains(edit.body, want) {
			t.Errorf("the form to edit lacks %s: %s", want, edit.body)
		}
	}
	if strings.Contains(edit.body, "created_at") {
		t.Errorf("the form to edit has what the mock makes")
	}
	gone := post(t, http.DefaultClient, page+"operations/shop.deleteProduct", url.Values{"path:productId": {"1"}, "send": {"1"}})
	if !strings.Contains(gone.body, `w/default/resources/shop.product"`) {
		t.Errorf("after deleting: %s", text(gone.body))
	}
	if got := toShop(t, http.MethodGet, base+"/shop/v1/products/1", ""); got.status != http.StatusNotFound {
		t.Errorf("what was deleted: %d", got.status)
	}
}

// Parts are listed, made and sorted with what they are parts of. What no list has can be opened by its key.
func TestPartsAndWhatNoListHas(t *testing.T) {
	t.Parallel()
	base := serveShop(t, 1)
	page := base + console.Path + "w/default/"
	for i := range 25 {
		must(t, toShop(t, http.MethodPost, base+"/shop/v1/products/1/reviews", fmt.Sprintf(`{"stars":%d}`, i%5+1)))
	}
	product := open(t, http.DefaultClient, page+"resources/shop.product/1")
	if !strings.Contains(text(product.body), "1 to 20 of 25 All of them") ||
		!strings.Contains(product.body, `operations/shop.createReview?path%3AproductId=1"`) {
		t.Errorf("the product's page: %s", text(product.body))
	}
	reviews := open(t, http.DefaultClient, page+"resources/shop.review?table:of=1&table:sort=-/stars")
	if !strings.Contains(text(reviews.body), "product 1 Reviews Create review") || strings.Count(reviews.body, "<tr>") != 26 {
		t.Errorf("the page of all: %s", text(reviews.body))
	}
	id := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(
		must(t, toShop(t, http.MethodPost, base+"/shop/v1/orders", `{"productId":1}`)))[1]
	made := open(t, http.DefaultClient, page+"resources/shop.order?key="+id)
	if !strings.HasSuffix(made.url.Path, "/shop.order/"+id) || !strings.Contains(text(made.body), "product flower 1 Cancel order") {
		t.Errorf("an order by its key: %s %s", made.url, text(made.body))
	}
	order := open(t, http.DefaultClient, page+"resources/shop.order?key=none")
	if order.status != http.StatusNotFound {
		t.Errorf("an order that there is not: %d %s", order.status, text(order.body))
	}
	if orders := open(t, http.DefaultClient, page+"resources/shop.order"); !strings.Contains(orders.body, `name="key"`) {
		t.Errorf("the page of orders: %s", text(orders.body))
	}
}

// The pages say which service answers an interface. To look at something never asks it.
func TestInterfacesThatAreAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(service.Close)
	base := start(t, mockserver.WithScenario("quickstart"), mockserver.WithSpec("shop", "../testdata/own/shop.yaml"),
		mockserver.WithTarget("shop", service.URL))
	if page := text(must(t, open(t, http.DefaultClient, base+console.Path))); !strings.Contains(page, "answered by "+service.URL+"/v1") {
		t.Errorf("the home page is %s", page)
	}
	for _, path := range []string{"w/default/resources", "w/default/resources/shop.product", "w/default/operations/shop.createProduct"} {
		must(t, open(t, http.DefaultClient, base+console.Path+path))
	}
	if asked.Load() != 0 {
		t.Errorf("pages asked the service %d times", asked.Load())
	}
	if got := toShop(t, http.MethodGet, base+"/shop/v1/products", ""); got.status != http.StatusTeapot || asked.Load() != 1 {
		t.Errorf("got %d; the service was asked %d times", got.status, asked.Load())
	}
	journal := text(must(t, open(t, http.DefaultClient, base+console.Path+"w/default/journal")))
	if !strings.Contains(journal, "shop.listProducts") || !strings.Contains(journal, "418") {
		t.Errorf("the journal is %s", journal)
	}
}
