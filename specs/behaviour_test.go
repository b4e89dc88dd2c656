package specs_test

import (
	"os"
	"strings"
	"testing"

	"svc.example/understudy/specs"
)

// What x-resources says of how objects are kept is checked at the start, with file and line.
func TestBehaviourMistakes(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../mockserver/testdata/orders.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := specs.Parse("shop", "orders.yaml", source, specs.Neutral); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, mistake, want string }{
		{"id: sequence", "id: number", `:10: /x-resources/customer/make/id: value must be one of "sequence", "uuid", "digits", "path", "client"`},
		{"[/made]", "[/mad]", `:10: /x-resources/customer/make/now/0: "/mad" does not match anything`},
		{"{/level: new}", "{/levl: new}", `/x-resources/customer/make/begin/~1levl: "/levl" does not match anything`},
		{"begin:", "start:", "want one of begin, id, now"},
		{"[/seen]", "[/sen]", `:11: /x-resources/customer/touch/now/0: "/sen" does not match`},
		{"once: [/email]", "once: [/mail]", `:12: /x-resources/customer/once/0: "/mail" does not match`},
		{"once: [/email]", "once: [/a/b]", `:12: /x-resources/customer/once/0: does not match pattern`},
		{"strict: reject", "strict: very", `value must be one of "reject", "ignore"`},
		{"update: merge", "update: mix", `value must be one of "merge", "replace", "json-patch"`},
		{"at: /email, fold", "at: /mail, fold", `:14: /x-resources/customer/unique/0/at: "/mail" does not match`},
		{"[/city]", "[/town]", `/x-resources/customer/unique/1/within: "/town" does not match`},
		{"[/city]", "[parent]", "a customer has no parent that the path names: want a member"},
		{"error: name-taken}", "error: nme-taken}", "unknown code nme-taken: want one of conflict, invalid, name-taken, not-found, unprocessable"},
		{"must: exist", "must: be", `must: value must be "exist"`},
		{"onDelete: refuse", "onDelete: reject", `value must be one of "refuse", "cascade", "clear", "keep"`},
		{", at: /basket", "", "/x-resources/order/refers/2: want at"},
		{"resource: coupon, at: /coupons/*", "resource: coupn, at: /coupons/*", "unknown resource shop.coupn"},
		{"order: -/total", "order: -/totl", `/x-resources/order/list/order: "/totl" does not match`},
		{"style: cursor", "style: corsur", `value must be one of "offset", "page", "lastId", "cursor"`},
		{"at: from", "at: form", "/x-resources/order/list/page/at: no list of shop.order has the query parameter form"},
		{"limit: most", "limit: mst", "has the query parameter mst"},
		{"filter: {of: /customer}", "filter: {off: /customer}", "has the query parameter off"},
		{"filter: {of: /customer}", "filter: {of: /custom}", `"/custom" does not match`},
		{"sort: [/total]", "sort: [/totl]", `/x-resources/order/list/sort/0: "/totl" does not match`},
		{"{status: 410}", "{status: 200}", ":6: /x-errors/not-found/status"},
		{"{status: 410}", "{state: 410}", "want one of form, status"},
	} {
		t.Run(test.mistake, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(string(source), test.old, test.mistake, 1)
			if text == string(source) {
				t.Fatalf("%q is missing", test.old)
			}
			_, err := specs.Parse("shop", "orders.yaml", []byte(text), specs.Neutral)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "orders.yaml:") {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}
