package version_test

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"svc.example/understudy/internal/version"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	const path = "svc.example/understudy"
	settings := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"},
		{Key: "vcs.time", Value: "2026-11-23T14:00:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}
	own := &debug.BuildInfo{Main: debug.Module{Path: path, Version: "v1.2.3+dirty"}, Settings: settings}
	imported := &debug.BuildInfo{
		Main: debug.Module{Path: "example.com/theirs", Version: "v9.0.0"}, Settings: settings,
		Deps: []*debug.Module{{Path: "example.com/other", Version: "v8.0.0"}, {Path: path, Version: "v1.2.0"}},
	}
	for name, c := range map[string]struct {
		build           *debug.BuildInfo
		release, commit string
		want            string
	}{
		"without information":          {nil, "", "", "devel (commit unknown"},
		"out of a clone":               {own, "", "", "v1.2.3+dirty (commit 0123456789ab modified"},
		"not in a repository":          {&debug.BuildInfo{Main: debug.Module{Path: path, Version: "(devel)"}}, "", "", "devel (commit unknown"},
		"in the tests of another":      {imported, "", "", "v1.2.0 (commit unknown"},
		"stamped":                      {nil, "v1.2.3", "fedcba9876543210", "v1.2.3 (commit fedcba987654"},
		"stamped without a commit":     {nil, "v1.2.3", "", "v1.2.3 (commit unknown"},
		"stamped beside a clone's own": {own, "v1.2.4", "abc", "v1.2.4 (commit abc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := c.want + ", documents , " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ")"
			if got := version.From(c.build, c.release, c.commit).String(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestReadNamesTheDocuments(t *testing.T) {
	t.Parallel()
	if got := version.Read().Documents; len(got) != 7+64 || !strings.HasPrefix(got, "sha256:") {
		t.Errorf("documents %s, want sha256: and 64 digits", got)
	}
}
