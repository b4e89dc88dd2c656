package data_test

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// packed returns a text in gzip.
func packed(tb testing.TB, plain string) string {
	tb.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(plain)); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// msgpackRows returns an upload of rows.
func msgpackRows(tb testing.TB, rows ...map[string]any) string {
	tb.Helper()
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	e.SetSortMapKeys(true)
	for _, row := range rows {
		if err := e.Encode(row); err != nil {
			tb.Fatal(err)
		}
	}
	return packed(tb, b.String())
}

// put uploads rows.
func (c client) put(path, body string, headers ...string) mocktest.Answer {
	c.Helper()
	return c.Call(http.MethodPut, path, body, append([]string{"Content-Type", "application/octet-stream"}, headers...)...)
}

const importPlace = `
core:
  databases:
  - name: shop
    tables:
    - {name: orders}
    - {name: fixed, detectSchema: false}
    - {name: typed, schema: [[n, string]]}
    - {name: events, records: [{page: /a}]}
`

const ordersImport = "/table/import/shop/orders/msgpack.gz"

func TestImport(t *testing.T) {
	t.Parallel()
	one := map[string]any{"time": mocktest.Now.Unix() - 60, "n": 1, "price": 2.5, "name": "tea", "tags": []string{"a"}}
	t.Run("puts rows into the table that counts, tails and schemas show", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		body := msgpackRows(t, one, map[string]any{"n": 2})
		sum := md5.Sum([]byte(body))
		want := map[string]any{
			"unique_id": nil, "database": "shop", "table": "orders", "md5_hex": hex.EncodeToString(sum[:]), "elapsed_time": 0.0,
		}
		if diff := cmp.Diff(want, c.put(ordersImport, body).Want(200).Object()); diff != "" {
			t.Errorf("the answer (-want +got)\n%s", diff)
		}
		table := c.Get("/table/show/shop/orders").Want(200).Object()
		if table["count"] != 2.0 ||
			table["schema"] != `[["n","long"],["name","string"],["price","double"],["tags","string"]]` {
			t.Errorf("the table is %v", table)
		}
		const wantTail = `[{"n":"1","name":"tea","price":"2.5","tags":"[\"a\"]","time":1768469340},{"n":"2","time":1768469400}]`
		if got := c.Get("/table/tail/shop/orders?count=5").Want(200).Body; got != wantTail {
			t.Errorf("tail is %s, want %s", got, wantTail)
		}
	})
	t.Run("drops a column without a name, and never adds the reserved column", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		c.put(ordersImport, msgpackRows(t, map[string]any{"": 0, "v": 1, "V": 2, "n": 3})).Want(200)
		c.ingest("typed", `{"n":"1","v":"2","total":"3"}`)
		for name, want := range map[string]string{
			"orders": `[["n","long"]]`, "typed": `[["n","string"],["total","string"]]`,
		} {
			if got := c.Get("/table/show/shop/" + name).Want(200).Object(); got["schema"] != want || got["count"] != 1.0 {
				t.Errorf("the table %s is %v, want the schema %s", name, got, want)
			}
		}
	})
	t.Run("reads JSON lines and a JSON array", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		c.put("/table/import/shop/orders/json.gz", packed(t, "{\"n\":1}\n{\"n\":2}\n")).Want(200)
		c.put("/table/import/shop/orders/json.gz", packed(t, `[{"n":3}]`)).Want(200)
		if got := c.Get("/table/show/shop/orders").Object()["count"]; got != 3.0 {
			t.Errorf("count is %v, want 3", got)
		}
	})
	t.Run("takes any media type, none, and a gzip coding that has unpacked the rows already", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		body := msgpackRows(t, one)
		for _, media := range []string{"application/x-gzip", "application/x-www-form-urlencoded", "application/json", ""} {
			c.put(ordersImport, body, "Content-Type", media).Want(200)
		}
		c.put(ordersImport, body, "Content-Encoding", "gzip").Want(200)
		c.put(ordersImport, packed(t, body), "Content-Encoding", "gzip").Want(200)
		if got := c.Get("/table/show/shop/orders").Object()["count"]; got != 6.0 {
			t.Errorf("count is %v, want 6", got)
		}
	})
	t.Run("takes a write-only key, whose purpose it is", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		c.as("1/write").put(ordersImport, msgpackRows(t, one)).Want(200)
		c.as("1/write").put("/table/import_with_id/shop/orders/x/msgpack.gz", msgpackRows(t, one)).Want(200)
	})
	t.Run("refuses users without the right, and tables that are not there", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		body := msgpackRows(t, one)
		for _, path := range []string{"/table/import/%s/%s/msgpack.gz", "/table/import_with_id/%s/%s/x/msgpack.gz"} {
			c.as("1/analyst").put(fmt.Sprintf(path, "shop", "orders"), body).Refused(403, "import", "shop")
			c.put(fmt.Sprintf(path, "none", "orders"), body).Refused(404, "database", "none")
			c.put(fmt.Sprintf(path, "shop", "none"), body).Refused(404, "table", "none")
			c.put(fmt.Sprintf(path, "shop", "orders"), "tea").Refused(400, "not valid gzip")
		}
		c.Call(http.MethodPut, ordersImport, "").Refused(400, "no body")
	})
	t.Run("refuses a body with one wrong row, and stores nothing of it", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		c.put(ordersImport, packed(t, "\x81\xa1n\x01\x05")).Refused(400, "row 2", "want a map")
		c.put(ordersImport, packed(t, "\x81\xa1n\x01\x81")).Refused(400, "row 2", "ends")
		if table := c.Get("/table/show/shop/orders").Object(); table["count"] != 0.0 || table["schema"] != "[]" {
			t.Errorf("the table is %v", table)
		}
	})
	t.Run("refuses another format, also when requests are not validated", func(t *testing.T) {
		t.Parallel()
		for _, mode := range []mockserver.Validation{mockserver.Strict, mockserver.Off} {
			c := newClient(t, mockserver.WithValidation(mode)).load(importPlace)
			c.put("/table/import/shop/orders/csv.gz", packed(t, "n\n1\n")).Refused(400, "format", "msgpack.gz", "json.gz")
		}
	})
	t.Run("that is too large is refused before it is read", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "http://localhost/core/v3"+ordersImport,
			strings.NewReader("x"))
		r.ContentLength = 32<<20 + 1
		r.Header.Set("Authorization", "SVC1 1/admin")
		mocktest.Send(c.TB, c.Server, r).Refused(400, "exceeds 33554432 bytes")
	})
	t.Run("counts against what a world may hold, and the oldest rows go", func(t *testing.T) {
		t.Parallel()
		const limit = 100_000
		c := newClient(t, mockserver.WithRecordLimit(limit)).load(importPlace)
		var rows []map[string]any
		for n := range 10_000 {
			rows = append(rows, map[string]any{"n": n})
		}
		c.put(ordersImport, msgpackRows(t, rows...)).Want(200)
		var kept []map[string]any
		c.Get("/table/tail/shop/orders?count=10000").Want(200).Into(&kept)
		if len(kept) > limit/32 || len(kept) < limit/100 || kept[len(kept)-1]["n"] != "9999" {
			t.Errorf("%d rows are kept, the last is %v", len(kept), kept[len(kept)-1])
		}
		if got := c.Get("/table/show/shop/orders").Object()["count"]; got != 10_000.0 {
			t.Errorf("count is %v, want 10000", got)
		}
	})
}

func TestImportWithID(t *testing.T) {
	t.Parallel()
	const path = "/table/import_with_id/shop/%s/once/msgpack.gz"
	c := newClient(t).load(importPlace)
	body := msgpackRows(t, map[string]any{"n": 1})
	first := c.put(fmt.Sprintf(path, "orders"), body).Want(200)
	if got := first.Object()["unique_id"]; got != "once" {
		t.Errorf("unique_id is %v", got)
	}
	t.Log("repeated, also with other rows and in a world that was loaded again, it changes nothing")
	c.replace(c.Dump())
	again := c.put(fmt.Sprintf(path, "orders"), msgpackRows(t, map[string]any{"n": 2}, map[string]any{"n": 3})).Want(200)
	if diff := cmp.Diff(first.Object(), again.Object()); diff != "" {
		t.Errorf("the second answer (-first +second)\n%s", diff)
	}
	c.put(fmt.Sprintf(path, "typed"), body).Want(200)
	for table, want := range map[string]float64{"orders": 1, "typed": 1} {
		if got := c.Get("/table/show/shop/" + table).Object()["count"]; got != want {
			t.Errorf("%s has %v rows, want %v", table, got, want)
		}
	}
	t.Log("a refused import may be repeated with its id")
	const other = "/table/import_with_id/shop/orders/twice/msgpack.gz"
	c.put(other, "tea").Want(400)
	c.put(other, body).Want(200)
	if got := c.Get("/table/show/shop/orders").Object()["count"]; got != 2.0 {
		t.Errorf("count is %v, want 2", got)
	}
}

func TestImportedColumns(t *testing.T) {
	t.Parallel()
	row := func(n any) string { return msgpackRows(t, map[string]any{"n": n, "Page": "/b", "a b": 1}) }
	for name, test := range map[string]struct {
		table, want string
		values      []any
	}{
		"join the schema of a table, in lower case, when they are names": {
			"orders", `[["page","string"],["n","long"]]`,
			[]any{1},
		},
		"keep the type that the schema has":                {"typed", `[["n","string"],["page","string"]]`, []any{1}},
		"join none that does not detect schemas":           {"fixed", `[]`, []any{1}},
		"join those that queries could see before":         {"events", `[["page","string"],["n","long"]]`, []any{1}},
		"widen to the type that holds all of their values": {"orders", `[["page","string"],["n","long"]]`, []any{1, nil}},
		"do so for texts":                                  {"orders", `[["page","string"],["n","long"]]`, []any{1, "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t).load(importPlace)
			for _, value := range test.values {
				c.put("/table/import/shop/"+test.table+"/msgpack.gz", row(value)).Want(200)
			}
			if got := c.Get("/table/show/shop/" + test.table).Want(200).Object()["schema"]; got != test.want {
				t.Errorf("schema is %s, want %s", got, test.want)
			}
		})
	}
	t.Run("take the type that holds all values of one import", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		c.put("/table/import/shop/orders/json.gz", packed(t, `{"a":1,"b":1,"c":1.5}{"a":1.5,"b":"x","c":2}`)).Want(200)
		const want = `[["a","double"],["b","string"],["c","double"]]`
		if got := c.Get("/table/show/shop/orders").Object()["schema"]; got != want {
			t.Errorf("schema is %s, want %s", got, want)
		}
	})
	t.Run("are a thousand at most", func(t *testing.T) {
		t.Parallel()
		c := newClient(t).load(importPlace)
		for i, want := range []int{200, 400} {
			row := map[string]any{}
			for n := range 600 {
				row[fmt.Sprintf("c%d_%d", i, n)] = n
			}
			c.put(ordersImport, msgpackRows(t, row)).Want(want)
		}
		if got := c.Get("/table/show/shop/orders").Object()["count"]; got != 1.0 {
			t.Errorf("count is %v, want 1", got)
		}
	})
}
