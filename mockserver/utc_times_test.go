package mockserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// The list of databases writes an offset, as documented, unless the scenario wants UTC everywhere.
func TestTimesOfAScenario(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": " +0000", "times: utc\n": " UTC"} {
		file := filepath.Join(t.TempDir(), "scenario.yaml")
		content := "description: Mine.\n" + text + "uses: [shop]\n"
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s := mocktest.NewServer(t, mockserver.WithScenario(file))
		mocktest.Call(t, s, "POST", "/core/v3/database/create/mine", "").Want(200)
		type list struct {
			Databases []struct {
				CreatedAt string `json:"created_at"`
				UpdatedAt string `json:"updated_at"`
			}
		}
		for _, world := range []string{"default", s.World("").Fork().ID()} {
			a := mocktest.Call(t, s, "GET", "/core/v3/database/list", "", "X-Understudy-World", world).Want(200)
			got := mocktest.Decode[list](a)
			if len(got.Databases) == 0 {
				t.Fatalf("no databases in %s", a.Body)
			}
			for _, d := range got.Databases {
				if !strings.HasSuffix(d.CreatedAt, want) || !strings.HasSuffix(d.UpdatedAt, want) {
					t.Errorf("%q: %+v, want times that end in %q", text, d, want)
				}
			}
		}
	}
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(file, []byte("description: Mine.\ntimes: local\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := mockserver.CheckScenario(mockserver.WithScenario(file)); err == nil ||
		!strings.Contains(err.Error(), "scenario.yaml:2: times: ") || !strings.Contains(err.Error(), "utc") {
		t.Errorf("error %v, want one that names the place and what is right", err)
	}
}
