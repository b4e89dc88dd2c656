package data_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"
)

func TestTail(t *testing.T) {
	t.Parallel()
	newTail := func(t *testing.T) client {
		t.Helper()
		c := newStock(t, `schema: [[total, double], [id, long]], detectSchema: false, records: [
    {id: '1', total: '0.5'}, {time: now+1s, zip: '8000', id: '2', city: Zürich, total: '7'}]`)
		c.Advance(2 * time.Second)
		c.ingest("orders", `{"time":"x","id":"3"}`)
		return c
	}
	t.Run("it is the record that came last, or as many as the client counts, in the order in which they came",
		func(t *testing.T) {
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
				if got := r.Get("/table/tail/shop/orders" + query).Want(200).Body; got != want {
					t.Errorf("%s: got %s, want %s", query, got, want)
				}
			}
			r.Get("/table/tail/shop/carts").Want(200).Same(`[]`)
		})
	t.Run("the suffix or the format chooses the form, and the suffix decides", func(t *testing.T) {
		t.Parallel()
		r := newTail(t)
		for path, packed := range map[string]bool{
			"orders": false, "orders.json": false, "orders?format=json": false, "orders.json?format=msgpack": false,
			"orders.msgpack": true, "orders?format=msgpack": true, "orders.msgpack?format=json": true,
		} {
			a := r.Get("/table/tail/shop/" + path).Want(200)
			if got := a.Body[0] != '['; got != packed {
				t.Errorf("%s: msgpack is %v, want %v: %q", path, got, packed, a.Body)
			}
		}
	})
	t.Run("msgpack is one map after the other, with keys in a fixed order", func(t *testing.T) {
		t.Parallel()
		a := newTail(t).Get("/table/tail/shop/orders?format=msgpack&count=2").Want(200)
		decoder := msgpack.NewDecoder(strings.NewReader(a.Body))
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
			a := c.Get("/table/tail/shop/" + path).Want(200)
			if got := a.Header.Get("Content-Type"); got != kind {
				t.Errorf("%s: %s, want %s", path, got, kind)
			}
			if want := map[bool]string{true: "[]"}[kind == "application/json"]; a.Body != want {
				t.Errorf("%s: body %q", path, a.Body)
			}
		}
	})
	t.Run("more than a chunk of records", func(t *testing.T) {
		t.Parallel()
		records := make([]string, 600)
		for i := range records {
			records[i] = fmt.Sprintf(`{"n":"%d"}`, i)
		}
		r := newStock(t, "records: ["+strings.Join(records, ",")+"]")
		var got []struct{ N string }
		r.Get("/table/tail/shop/orders?count=500").Want(200).Into(&got)
		if len(got) != 500 || got[0].N != "100" || got[499].N != "599" {
			t.Errorf("%d records, from %v to %v", len(got), got[0], got[len(got)-1])
		}
	})
}
