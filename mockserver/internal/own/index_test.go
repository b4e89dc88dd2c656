package own_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
)

// What a write and a deletion cost does not depend on how many other objects there are.
//
//nolint:paralleltest // others would allocate as well
func TestConstraintsFindObjectsByAnIndex(t *testing.T) {
	cost := map[string][2]uint64{}
	for i, n := range []int{100, 6400} {
		server, err := mockserver.New(mockserver.WithSpec("shop", "../../testdata/orders.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
		var customers, orders strings.Builder
		for i := range n {
			fmt.Fprintf(&customers, `,{"id":"%d","email":"a%[1]d@x","name":"n%[1]d","city":"x"}`, i+1)
			fmt.Fprintf(&orders, `,{"id":"o%d","customer":"%[1]d"}`, i+1)
		}
		send := func(method, path, body string, status int) (allocated uint64) {
			t.Helper()
			r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer any")
			w := httptest.NewRecorder()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			server.ServeHTTP(w, r)
			runtime.ReadMemStats(&after)
			if w.Code != status {
				t.Fatalf("%s %s: %d %.300s", method, path, w.Code, w.Body)
			}
			return after.TotalAlloc - before.TotalAlloc
		}
		send(http.MethodPut, "/_understudy/worlds/default/state", fmt.Sprintf(`{"interfaces":{"shop":{"customers":[%s],`+
			`"orders":[%s]}}}`, customers.String()[1:], orders.String()[1:]), 200)
		for range 20 { // the cheapest one finds everything warm, and pools that the race detector has not emptied
			for what, call := range map[string]struct {
				method, path, body string
				status             int
			}{
				"a unique name":       {"PATCH", "/shop/v1/customers/7", `{"name":"n77777"}`, 200},
				"a taken name":        {"PATCH", "/shop/v1/customers/7", `{"name":"n8"}`, 422},
				"a deletion, refused": {"DELETE", fmt.Sprint("/shop/v1/customers/", n), "", 409},
			} {
				pair := cost[what]
				took := send(call.method, call.path, call.body, call.status)
				if pair[i] == 0 || took < pair[i] {
					pair[i] = took
				}
				cost[what] = pair
			}
		}
	}
	for what, pair := range cost {
		if pair[1] > pair[0]+64<<10 {
			t.Errorf("%s: with 64 times as many objects it takes %d bytes, instead of %d", what, pair[1], pair[0])
		}
	}
}
