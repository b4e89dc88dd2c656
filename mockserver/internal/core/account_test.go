package core_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
)

func TestAccount(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "core").Load("core: {databases: [{name: shop, tables: [{name: orders}]}]}\n")
	size := func() float64 {
		account, _ := c.Get("/account/show").Want(200).Object()["account"].(map[string]any)
		if account["id"] != 1.0 || account["plan"] != 0.0 || account["maximum_cores"] != 0.0 || account["created_at"] == "" {
			t.Errorf("the account is %v", account)
		}
		return account["storage_size"].(float64)
	}
	before := size()
	c.As("1/write").At("ingestion").Post("/postback/v3/event/shop/orders", `{"n":"1"}`).Want(200)
	if after := size(); after != before+float64(len(`{"n":"1"}`)) {
		t.Errorf("the size is %v after a record came in, and was %v", after, before)
	}
}

func TestCoreUtilization(t *testing.T) {
	t.Parallel()
	c := mocktest.New(t, "core").Load("core: {databases: [{name: shop, tables: [{name: orders}]}]}\n")
	c.Post("/job/issue/trino/shop", `{"query":"SELECT 1"}`).Want(200)
	c.Advance(2 * time.Second)
	c.Advance(time.Hour)
	read := func(from, to string) map[string]any {
		return c.Get("/account/core_utilization?" + url.Values{"from": {from}, "to": {to}}.Encode()).Want(200).Object()
	}
	want := map[string]any{
		"from": read("1768467600", "")["from"], "to": read("1768467600", "")["to"], "interval": 3600.0,
		"history": []any{0.0, 1.0, 0.0},
	}
	for _, from := range []string{
		"1768464000", "2026-01-15 08:00:00 UTC", "2026-01-15T08:00:00Z",
		"2026-01-15 09:00:00 +0100",
	} {
		got := read(from, "2026-01-15 11:00:00 UTC")
		want["from"], want["to"] = got["from"], got["to"]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("from %s (-want +got)\n%s", from, diff)
		}
	}
	if got := c.Get("/account/core_utilization").Want(200).Object()["history"].([]any); len(got) != 24 {
		t.Errorf("a day has %d intervals", len(got))
	}
	for _, query := range []string{"from=noon", "to=-1", "from=2026-01-16", "from=2025-01-01", "from=1&to=253402300799"} {
		c.Get("/account/core_utilization?"+query).Refused(400, "want a time")
	}
}
