package rule_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/rule"
)

// shopChecker checks recordings of a document that says how its objects are kept.
var shopChecker = sync.OnceValues(func() (*contract.Checker, error) {
	return contract.NewChecker(contract.WithSpec("shop", "testdata/promises.yaml"))
})

// What x-resources promises is kept, broken, or cannot be known.
func TestPromisesOfDocuments(t *testing.T) {
	t.Parallel()
	const (
		ann      = `POST shop:/customers {"email":"a@x"} => 201 {"id":"1","email":"a@x"}` + "\n"
		annAgain = `POST shop:/customers {"email":"A@x"} => 201 {"id":"2","email":"A@x"}` + "\n"
		noAnn    = "DELETE shop:/customers/1 => 204\n"
		order    = `POST shop:/orders {"customer":"1"} => 201 {"id":"7","customer":"1"}` + "\n"
		used     = `POST shop:/orders {"coupons":["A","B"]} => 201 {"id":"7","coupons":["A","B"]}` + "\n"
		filled   = `POST shop:/orders {"basket":"3"} => 201 {"id":"7","basket":"3"}` + "\n"
		noCoupon = "DELETE shop:/coupons/A => 204\n"
		noBasket = "DELETE shop:/baskets/3 => 204\n"
		born     = `GET shop:/customers/1 => 200 {"id":"1","email":"a@x","city":"x","born":"1990"}` + "\n"
		basket   = `GET shop:/baskets/3 => 200 {"id":"3","size":4,"color":"red"}` + "\n"
	)
	for name, tt := range map[string]ruleCase{
		// an id in a body
		"an id beside that of the path":   {`PATCH shop:/customers/1 {"id":8} => 200 {"id":1,"email":"a@x"}`, nil},
		"an id that the service gives":    {`POST shop:/customers {"id":8} => 201 {"id":1,"email":"a@x"}`, nil},
		"a number that is ignored by one": {`PATCH shop:/baskets/3 {"size":8} => 200 {"id":"3","size":4}`, []string{"consistency fail 1"}},
		// unique
		"one email for two":            {ann + annAgain, []string{"consistency fail 1 2"}},
		"the email of one that went":   {ann + noAnn + annAgain, nil},
		"the email of one that may":    {ann + "DELETE shop:/customers/1 => 0\n" + annAgain, nil},
		"a refused email":              {ann + `POST shop:/customers {"email":"A@x"} => 409 {"detail":"x"}`, nil},
		"an email that was given back": {ann + `PATCH shop:/customers/1 {"email":"b@x"} => 200 {"id":"1","email":"b@x"}` + "\n" + annAgain, nil},
		"an email that may have been given back": {
			ann + `PATCH shop:/customers/1 {"email":"b@x"} => 204` + "\n" + annAgain, nil,
		},
		"an email of its own":        {ann + `PATCH shop:/customers/1 {"email":"a@x"} => 200 {"id":"1","email":"a@x"}`, nil},
		"one email at the same time": {"1-5 " + ann + "2-4 " + annAgain, []string{"consistency inconclusive 1 2"}},
		"one email in a list": {
			`GET shop:/customers => 200 [{"id":"1","email":"a@x"},{"id":"2","email":"a@X"}]`, []string{"consistency fail 1"},
		},
		"one name in two cities": {
			`POST shop:/customers {} => 201 {"id":"1","name":"n","city":"x"}` + "\n" +
				`POST shop:/customers {} => 201 {"id":"2","name":"n","city":"y"}`, nil,
		},
		"one name in one city": {
			`POST shop:/customers {} => 201 {"id":"1","name":"n","city":"x"}` + "\n" +
				`POST shop:/customers {} => 201 {"id":"2","name":"n","city":"x"}`, []string{"consistency fail 1 2"},
		},
		"one SKU in two baskets": {
			`POST shop:/baskets/3/lines {} => 201 {"id":"1","sku":"s"}` + "\n" +
				`POST shop:/baskets/4/lines {} => 201 {"id":"1","sku":"s"}`, nil,
		},
		"one SKU in one basket": {
			`POST shop:/baskets/3/lines {} => 201 {"id":"1","sku":"s"}` + "\n" +
				`POST shop:/baskets/3/lines {} => 201 {"id":"2","sku":"s"}`, []string{"consistency fail 1 2"},
		},
		"an email that a recorder took out": {
			strings.ReplaceAll(ann+annAgain, "x\"", "[redacted]\""), nil,
		},
		// refers, must: exist
		"an order of one that went":      {ann + noAnn + order, []string{"use-after-delete fail 1 2 3"}},
		"an order of one that is absent": {"GET shop:/customers/1 => 404 {\"detail\":\"x\"}\n" + order, []string{"use-after-delete fail 1 2"}},
		"an order of one that came since": {
			"GET shop:/customers/1 => 404 {\"detail\":\"x\"}\n" + ann + order, nil,
		},
		"an order of nobody known": {order, nil},
		"an order that is refused": {ann + noAnn + `POST shop:/orders {"customer":"1"} => 400 {"detail":"x"}`, nil},
		"an order that is made while another caller deletes": {
			"1-1 " + ann + "2-6 " + noAnn + "3-4 " + order, nil,
		},
		"a reference that was not taken": {
			ann + noAnn + `PUT shop:/orders/7 {"customer":"1"} => 200 {"id":"7"}`, nil,
		},
		// onDelete: refuse
		"one with an order goes": {ann + order + noAnn, []string{"use-after-delete fail 2 3"}},
		"one with an order stays": {
			ann + order + `DELETE shop:/customers/1 => 409 {"detail":"x"}`, nil,
		},
		"one whose order went": {ann + order + "DELETE shop:/orders/7 => 204\n" + noAnn, nil},
		"one whose order is another's": {
			ann + order + `PUT shop:/orders/7 {"customer":"2"} => 200 {"id":"7","customer":"2"}` + "\n" + noAnn, nil,
		},
		"one whose order may have gone": {
			ann + order + "DELETE shop:/orders/7 => 0\n" + noAnn, []string{"use-after-delete inconclusive 3 4"},
		},
		"one whose order is being deleted":    {"1-1 " + ann + "2-2 " + order + "3-6 DELETE shop:/orders/7 => 204\n4-5 " + noAnn, nil},
		"one whose order went with a basket":  {ann + `POST shop:/orders {} => 201 {"id":"7","customer":"1","basket":"3"}` + "\n" + noBasket + noAnn, nil},
		"one whose order somebody took away":  {ann + order + "GET shop:/orders/7 => 404 {\"detail\":\"x\"}\n" + noAnn, []string{"use-after-delete inconclusive 2 3 4"}},
		"one with an order that shows itself": {"GET shop:/orders/7 => 200 {\"id\":\"7\",\"customer\":\"1\"}\n" + noAnn, []string{"use-after-delete fail 1 2"}},
		"an order shows one that went": {
			ann + noAnn + `GET shop:/orders/7 => 200 {"id":"7","customer":"1"}`, []string{"use-after-delete fail 1 2 3"},
		},
		// onDelete: clear
		"a coupon that stays": {
			used + noCoupon + `GET shop:/orders/7 => 200 {"id":"7","coupons":["A","B"]}`, []string{"use-after-delete fail 1 2 3"},
		},
		"a coupon that is taken out": {used + noCoupon + `GET shop:/orders/7 => 200 {"id":"7","coupons":["B"]}`, nil},
		"a coupon in an order that is new": {
			noCoupon + `GET shop:/orders/7 => 200 {"id":"7","coupons":["A"]}`, []string{"use-after-delete inconclusive 1 2"},
		},
		"a coupon that is made anew": {
			used + noCoupon + `POST shop:/coupons {} => 201 {"code":"A"}` + "\n" + `GET shop:/orders/7 => 200 {"id":"7","coupons":["A"]}`, nil,
		},
		"a coupon that is put anew": {
			used + noCoupon + `PUT shop:/coupons/A {} => 201 {"code":"A"}` + "\n" + `GET shop:/orders/7 => 200 {"id":"7","coupons":["A"]}`, nil,
		},
		"a coupon that is put as if it were there": {
			noCoupon + `PUT shop:/coupons/A {} => 200 {"code":"A"}`, []string{"use-after-delete fail 1 2"},
		},
		"a coupon in a list": {
			used + noCoupon + `GET shop:/orders => 200 {"items":[{"id":"7","coupons":["A"]}]}`, []string{"use-after-delete fail 1 2 3"},
		},
		// onDelete: cascade
		"an order that outlives its basket": {
			filled + noBasket + `GET shop:/orders/7 => 200 {"id":"7","basket":"3"}`, []string{"use-after-delete fail 1 2 3"},
		},
		"an order that loses its basket": {
			filled + noBasket + `GET shop:/orders/7 => 200 {"id":"7"}`, []string{"use-after-delete fail 1 2 3"},
		},
		"an order that goes with its basket": {filled + noBasket + "GET shop:/orders/7 => 404 {\"detail\":\"x\"}", nil},
		"an order that left its basket": {
			filled + `PUT shop:/orders/7 {} => 200 {"id":"7"}` + "\n" + noBasket + `GET shop:/orders/7 => 200 {"id":"7"}`, nil,
		},
		"an order while its basket goes": {"1-1 " + filled + "2-6 " + noBasket + `3-4 GET shop:/orders/7 => 200 {"id":"7","basket":"3"}`, nil},
		"a line that outlives its basket": {
			"GET shop:/baskets/3/lines/1 => 200 {\"id\":\"1\"}\n" + noBasket + `GET shop:/baskets/3/lines/1 => 200 {"id":"1"}`,
			[]string{"use-after-delete fail 2 3"},
		},
		// once
		"a birthday that changes": {
			born + `PATCH shop:/customers/1 {"born":"1991"} => 200 {"id":"1","email":"a@x","city":"x","born":"1991"}`,
			[]string{"consistency fail 1 2"},
		},
		"a birthday that stays": {
			born + `PATCH shop:/customers/1 {"born":"1991"} => 200 {"id":"1","email":"a@x","city":"x","born":"1990"}`, nil,
		},
		"a birthday that changes unseen": {
			born + "PATCH shop:/customers/1 {} => 204\n" + strings.Replace(born, "1990", "1991", 1), []string{"consistency fail 1 3"},
		},
		"a birthday of another": {born + noAnn + strings.Replace(born, "GET shop:/customers/1 => 200", "POST shop:/customers {} => 201", 1), nil},
		// update
		"a city that is lost": {
			born + `PATCH shop:/customers/1 {"email":"b@x"} => 200 {"id":"1","email":"b@x","born":"1990"}`,
			[]string{"consistency fail 1 2"},
		},
		"a city that is lost behind an answer without it": {
			born + `PATCH shop:/customers/1 {"email":"b@x"} => 204` + "\n" + `GET shop:/customers/1 => 200 {"id":"1","email":"b@x","born":"1990"}`,
			[]string{"consistency fail 1 2 3"},
		},
		"a city that is kept": {
			born + `PATCH shop:/customers/1 {"email":"b@x"} => 200 {"id":"1","email":"b@x","city":"x","born":"1990"}`, nil,
		},
		"a city that another caller changes": {
			"1-1 " + born + `2-6 PATCH shop:/customers/1 {"city":"y"} => 200 {"id":"1","email":"a@x","city":"y","born":"1990"}` + "\n" +
				`3-4 PATCH shop:/customers/1 {"email":"b@x"} => 200 {"id":"1","email":"b@x","city":"y","born":"1990"}`, nil,
		},
		"a total that a replacement keeps": {
			`GET shop:/orders/7 => 200 {"id":"7","total":3}` + "\n" + `PUT shop:/orders/7 {"basket":"3"} => 200 {"id":"7","basket":"3","total":3}`,
			[]string{"consistency fail 1 2"},
		},
		"a total that a replacement takes away": {
			`GET shop:/orders/7 => 200 {"id":"7","total":3}` + "\n" + `PUT shop:/orders/7 {"basket":"3"} => 200 {"id":"7","basket":"3"}`, nil,
		},
		"a color that a patch loses": {
			basket + `PATCH shop:/baskets/3 [{"op":"replace","path":"/size","value":5}] => 200 {"id":"3","size":5}`,
			[]string{"consistency fail 1 2"},
		},
		"a color that a patch takes away": {
			basket + `PATCH shop:/baskets/3 [{"op":"remove","path":"/color"}] => 200 {"id":"3","size":4}`, nil,
		},
		// what stays
		"a city that differs": {born + strings.Replace(born, `"city":"x"`, `"city":"y"`, 1), []string{"consistency inconclusive 1 2"}},
		"a city that differs after another customer came": {
			born + `POST shop:/customers {} => 201 {"id":"2"}` + "\n" + strings.Replace(born, `"city":"x"`, `"city":"y"`, 1),
			[]string{"consistency inconclusive 1 3"},
		},
		"a city that may follow from an order": {born + order + strings.Replace(born, `"city":"x"`, `"city":"y"`, 1), nil},
		"a total that differs": {
			`GET shop:/orders/7 => 200 {"id":"7","total":3}` + "\n" + `GET shop:/orders/7 => 200 {"id":"7","total":4}`,
			[]string{"consistency inconclusive 1 2"},
		},
		"a total that may follow from another order": {
			`GET shop:/orders/7 => 200 {"id":"7","total":3}` + "\n" + `POST shop:/orders {} => 201 {"id":"8"}` + "\n" +
				`GET shop:/orders/7 => 200 {"id":"7","total":4}`, nil,
		},
		// pages
		"a page that is too long": {
			`GET shop:/orders => 200 {"items":[{"id":"1"},{"id":"2"},{"id":"3"}]}`, []string{"consistency fail 1"},
		},
		"a page that is as long as was asked": {
			`GET shop:/orders?most=3 => 200 {"items":[{"id":"1"},{"id":"2"},{"id":"3"}]}`, nil,
		},
		"a page that is longer than was asked": {
			`GET shop:/orders?most=1 => 200 {"items":[{"id":"1"},{"id":"2"}]}`, []string{"consistency fail 1"},
		},
		"a page out of order":       {`GET shop:/orders => 200 {"items":[{"id":"2"},{"id":"1"}]}`, []string{"consistency fail 1"}},
		"a page of other customers": {`GET shop:/orders?of=1 => 200 {"items":[{"id":"1","customer":"2"}]}`, []string{"consistency fail 1"}},
		"one order on two pages": {
			`GET shop:/orders => 200 {"items":[{"id":"1"},{"id":"2"}]}` + "\n" + `GET shop:/orders?skip=2 => 200 {"items":[{"id":"2"},{"id":"3"}]}`,
			[]string{"consistency fail 1 2"},
		},
		"one order that moved between two pages": {
			`GET shop:/orders => 200 {"items":[{"id":"1"},{"id":"2"}]}` + "\nDELETE shop:/orders/1 => 204\n" +
				`GET shop:/orders?skip=1 => 200 {"items":[{"id":"2"},{"id":"3"}]}`, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := shopChecker()
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.Check(t.Context(), contract.Exchanges(slices.Values(script(t, tt.script))))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				if f.Rule == rule.Consistency || f.Rule == rule.UseAfterDelete {
					line := fmt.Sprint(f.Rule, " ", f.Verdict, " ", f.Evidence)
					got = append(got, strings.NewReplacer("[", "", "]", "").Replace(line))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				var text strings.Builder
				_ = r.WriteText(&text)
				t.Errorf("verdicts (-want +got):\n%s\n%s", diff, text.String())
			}
		})
	}
}
