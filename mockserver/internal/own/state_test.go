package own_test

import (
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// shopState returns what the shop has in a world, as its clients see it.
func shopState(t *testing.T, s *mockserver.Server, world string) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{
		"/products", "/products/71/reviews", "/orders/ord_1", "/users/ann", "/users/ann/settings",
	} {
		all.WriteString(mocktest.Call(t, s, "GET", "/shop/v1"+path, "", "X-Understudy-World", world, "Authorization",
			"Bearer any").
			Body + "\n")
	}
	return all.String()
}

func TestObjectsOfOwnInterfacesAreState(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state")
	opts := []mockserver.Option{
		mockserver.WithSpec("shop", "../../testdata/own/shop.yaml"), mockserver.WithScenario(shopFixture(t)),
		mockserver.WithClock(mockserver.ClockFrozen),
	}
	opts = append(opts, mockserver.WithStateFile(file))
	s := mocktest.NewServer(t, opts...)
	begin := shopState(t, s, "default")
	if strings.Contains(begin, "not found") || !strings.Contains(begin, "lily") {
		t.Fatal(begin)
	}
	control := func(method, path, body string, status int) string {
		t.Helper()
		return mocktest.Call(t, s, method, "/_understudy/"+path, body).Want(status).Body
	}
	t.Run("a dump loads again, and is the same byte for byte", func(t *testing.T) { //nolint:paralleltest // one after the other
		dump := control("GET", "worlds/default/state", "", 200)
		if !strings.Contains(dump, `"own":{"Things":[{"key":"shop `) { // as dumps of other versions have them
			t.Errorf("objects have another name in %s", dump)
		}
		control("POST", "worlds", `{"id":"loaded","scenario":"empty"}`, 201)
		if got := shopState(t, s, "loaded"); got == begin {
			t.Error("an empty world has what the other one has")
		}
		control("PUT", "worlds/loaded/state", dump, 200)
		if got := shopState(t, s, "loaded"); got != begin {
			t.Errorf("loaded:\n%s\nwas:\n%s", got, begin)
		}
		if again := control("GET", "worlds/loaded/state", "", 200); again != dump {
			t.Errorf("%s\nwas\n%s", again, dump)
		}
	})
	t.Run("a fork, a checkpoint and a reset have them as they were", func(t *testing.T) { //nolint:paralleltest // one after the other
		control("POST", "worlds", `{"id":"fork","fork":"default"}`, 201)
		control("PUT", "worlds/fork/checkpoints/before", "", 200)
		mocktest.Call(t, s, "DELETE", "/shop/v1/products/71", "", "X-Understudy-World", "fork",
			"Authorization", "Bearer any").Want(204)
		if got := shopState(t, s, "fork"); !strings.Contains(got, "not found") || shopState(t, s, "default") != begin {
			t.Errorf("fork:\n%s", got)
		}
		control("POST", "worlds/fork/checkpoints/before/restore", "", 200)
		if got := shopState(t, s, "fork"); got != begin {
			t.Errorf("restored:\n%s", got)
		}
		control("POST", "worlds", `{"id":"reset"}`, 201)
		mocktest.Call(t, s, "DELETE", "/shop/v1/products/71", "", "X-Understudy-World", "reset",
			"Authorization", "Bearer any").Want(204)
		control("POST", "worlds/reset/reset", "", 200)
		if got := shopState(t, s, "reset"); got != begin {
			t.Errorf("reset:\n%s", got)
		}
	})
	t.Run("a server that starts again has them", func(t *testing.T) { //nolint:paralleltest // one after the other
		mocktest.Call(t, s, "POST", "/shop/v1/products", `{"name":"tulip","price":1}`, "Authorization", "Bearer any").Want(201)
		last := shopState(t, s, "default")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		again := mocktest.NewServer(t, opts...)
		t.Cleanup(func() { _ = again.Close() })
		if got := shopState(t, again, "default"); got != last {
			t.Errorf("got\n%s\nwas\n%s", got, last)
		}
		mocktest.Call(t, again, "POST", "/shop/v1/products", `{"name":"aster","price":1}`, "Authorization", "Bearer any").Want(201)
		if got := shopState(t, again, "default"); !strings.Contains(got, `{"id":73,"name":"aster"`) {
			t.Error(got)
		}
	})
}
