package core_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"
)

func TestTail(t *testing.T) {
	t.Parallel()
	newTail := func(t *testing.T) *room {
		t.Helper()
		r := newRoom(t)
		r.post("/table/update/shop/orders", `{"schema":[["total","double"],["id","long"]]}`).want(200)
		r.store(1, `{"id":"1","total":"0.5"}`, `{"zip":"8000","id":"2","city":"Zürich","total":"7"}`, `{"time":"x","id":"3"}`)
		return r
	}
	t.Run("it is the record that came last, or as many as the client counts, in the order in which they came", func(t *testing.T) {
		t.Parallel()
		r := newTail(t)
		const (
			first  = `{"total":"0.5","id":"1","time":1768469400}`
			second = `{"total":"7","id":"2","city":"Zürich","zip":"8000","time":1768469401}`
			third  = `{"id":"3","time":1768469402}`
		)
		for query, want := range map[string]string{
			"": "[" + third + "]", "?count=1": "[" + third + "]", "?count=2": "[" + second + "," + third + "]",
			"?count=9": "[" + first + "," + second + "," + third + "]",
		} {
			if got := string(r.get("/table/tail/shop/orders" + query).want(200).body); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
		r.get("/table/tail/shop/carts").same(`[]`)
	})
	t.Run("the suffix or the format chooses the form, and the suffix decides", func(t *testing.T) {
		t.Parallel()
		r := newTail(t)
		for path, packed := range map[string]bool{
			"orders": false, "orders.json": false, "orders?format=json": false, "orders.json?format=msgpack": false,
			"orders.msgpack": true, "orders?format=msgpack": true, "orders.msgpack?format=json": true,
		} {
			a := r.get("/table/tail/shop/" + path).want(200)
			if got := a.body[0] != '['; got != packed {
				t.Errorf("%s: msgpack is %v, want %v: %q", path, got, packed, a.body)
			}
		}
	})
	t.Run("msgpack is one map after the other, with keys in a fixed order", func(t *testing.T) {
		t.Parallel()
		a := newTail(t).get("/table/tail/shop/orders?format=msgpack&count=2").want(200)
		decoder := msgpack.NewDecoder(bytes.NewReader(a.body))
		var got [][]any
		for {
			n, err := decoder.DecodeMapLen()
			if errors.Is(err, io.EOF) {
				break
			}
			row := []any{}
			for range 2 * n {
				value, err := decoder.DecodeInterfaceLoose()
				if err != nil {
					t.Fatal(err)
				}
				row = append(row, value)
			}
			got = append(got, row)
		}
		want := [][]any{
			{"total", "7", "id", "2", "city", "Zürich", "zip", "8000", "time", uint64(1768469401)},
			{"id", "3", "time", uint64(1768469402)},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("over HTTP, without records", func(t *testing.T) {
		t.Parallel()
		c := newShop(t)
		for path, kind := range map[string]string{
			"orders": "application/json", "orders.json": "application/json",
			"orders.msgpack": "application/octet-stream", "orders?format=msgpack&count=3": "application/octet-stream",
		} {
			a := c.get("/table/tail/shop/" + path).want(200)
			if got := a.header.Get("Content-Type"); got != kind {
				t.Errorf("%s: %s, want %s", path, got, kind)
			}
			if want := map[bool]string{true: "[]"}[kind == "application/json"]; string(a.body) != want {
				t.Errorf("%s: body %q", path, a.body)
			}
		}
	})
	t.Run("more than a chunk of records", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		values := make([]string, 600)
		for i := range values {
			values[i] = fmt.Sprintf(`{"n":"%d"}`, i)
		}
		r.store(1, values...)
		var got []struct{ N string }
		r.get("/table/tail/shop/orders?count=500").want(200).into(&got)
		if len(got) != 500 || got[0].N != "100" || got[499].N != "599" {
			t.Errorf("%d records, from %v to %v", len(got), got[0], got[len(got)-1])
		}
	})
}
