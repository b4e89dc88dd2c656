package story_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	t.Run("the stories that come along have no mistakes", func(t *testing.T) {
		t.Parallel()
		files, err := filepath.Glob("../*/story.txtar")
		if err != nil || len(files) == 0 {
			t.Fatalf("no stories, %v", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := story.Check(file, text, new(specs.Set)); err != nil {
				t.Error(err)
			}
		}
	})
	for name, test := range map[string]struct{ script, want string }{
		"what is fine": {"# A pool's end.\nGET /workflow/api/pools # all\n[mock] clock idle\nstop\n-- a --\nGOT", ""},
		"a captured name": {
			"GET /workflow/api/pools/$POOL?a=$B\n[!mock] stop\nPUT /core/v3/sub_user/${ID} '{}'",
			"story:3: unknown operation",
		},
		"another world":    {"GET /_worlds/mine/workflow/api/pools\nGET /_understudy/worlds/default/clock", ""},
		"an unknown step":  {"GOT /workflow/api/pools", `story:1: unknown step "GOT"; want GET, or one of DELETE, `},
		"too many words":   {"\nas 1/admin now", "story:2: want: as KEY"},
		"a negated step":   {"! as 1/admin", "story:1: want: as KEY"},
		"an open quote":    {"GET /workflow/api/pools\nmatch '{", "story:2: a quote is not closed"},
		"quotes in quotes": {"says 'the shop''s'", ""},
		"a condition":      {"[moon] as 1/admin", "story:1: unknown condition [moon]: want [mock]"},
		"an operation": {
			"GET /workflow/api/poolz\nPOST /core/v3/job/isue/trino/shop '{}'",
			"story:1: unknown operation GET /workflow/api/poolz; the nearest is GET /workflow/api/pools\n" +
				"story:2: unknown operation POST /core/v3/job/isue/trino/shop; the nearest is " +
				"POST /core/v3/job/issue/{job_type}/{database_name}",
		},
		"a file that is not there": {
			"GET /workflow/api/pools\nmatch want.jsn\nPOST /workflow/api/pools 400 b.json\n-- want.json --\n{}",
			"story:2: want.jsn: unknown file; want want.json\nstory:3: b.json: unknown file; want want.json",
		},
		"an operation that is to be refused": {"GET /workflow/api/poolz 404\nPATCH /workflow/api/pools 405", ""},
		"an interface": {
			"GET /workflov/api/pools",
			`story:1: unknown interface "workflov"; want a path that begins with / and workflow, or one of`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := story.Check("story", []byte(test.script+"\n"), new(specs.Set))
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)):
				t.Errorf("(-want +got)\n%s", cmp.Diff(test.want, errText(err)))
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
