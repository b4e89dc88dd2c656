package workflow_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, key := range []string{"", "1/nobody", "1/admin"} {
		other := c.As(key)
		if got := decode[map[string]any](other.Get("/api/version").Want(200)); got["version"] != "0.10.5" {
			t.Errorf("with key %q the version is %v", key, got)
		}
		for _, query := range []string{"", "?client=", "?client=0.9.1", "?client=1.0.0-SNAPSHOT", "?client=none"} {
			want := map[string]any{"serverVersion": "0.10.5", "upgradeRecommended": false, "apiCompatible": true}
			got := decode[map[string]any](other.Get("/api/version/check" + query).Want(200))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("with key %q, %q is answered (-want +got)\n%s", key, query, diff)
			}
		}
	}
	t.Run("without extras it is not there", func(t *testing.T) {
		t.Parallel()
		newClient(t, mockserver.WithExtras(false)).Get("/api/version/check?client=0.10.5").Want(404)
	})
}
