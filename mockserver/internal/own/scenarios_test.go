package own_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestOwnScenarios(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"mine/scenario.yaml": "description: Mine.\nnow: 2026-01-15T09:30:00Z\nseed: 1\nuses: [pools, shop]\n",
		"pools/pools.yaml":   "workflow: {pools: [{id: 71, name: mine, concurrencyLimit: 3}]}\n",
	} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, first := range []string{"mine", "empty"} {
		server := mocktest.NewServer(t, mockserver.WithScenario(first), mockserver.WithScenarios(folder))
		made := mocktest.Call(t, server, "POST", "/_understudy/worlds", `{"id":"w","scenario":"mine"}`)
		if made.Status != 201 {
			t.Fatalf("%d %s", made.Status, made.Body)
		}
		pool := mocktest.Call(t, server, "GET", "/workflow/api/pools/71", "", "X-Understudy-World", "w")
		if !strings.Contains(pool.Body, `"name":"mine"`) {
			t.Errorf("%d %s", pool.Status, pool.Body)
		}
		other := mocktest.Call(t, server, "POST", "/_understudy/worlds", `{"scenario":"pools"}`)
		if other.Status != 400 || !strings.Contains(other.Body, "mine") {
			t.Errorf("a cast is no scenario: %d %s", other.Status, other.Body)
		}
	}
	if _, err := mockserver.New(mockserver.WithScenarios(filepath.Join(folder, "none"))); err == nil {
		t.Error("a folder that is not there is accepted")
	}
}
