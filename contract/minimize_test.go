package contract_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// minimized returns the folder that Minimize makes of a recording.
func minimized(t *testing.T, source contract.Source, opts ...contract.Option) (dir string, r *contract.Report) {
	t.Helper()
	c := checker(t, opts...)
	r, err := c.Check(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "new", "folder")
	if err := c.Minimize(t.Context(), source, r, dir); err != nil {
		t.Fatal(err)
	}
	return dir, r
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := fs.Glob(os.DirFS(dir), "*")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMinimize(t *testing.T) {
	t.Parallel()
	dir, r := minimized(t, contract.Files("testdata/pools-broken.ndjson"))
	name := "pool-deletion-" + r.Findings[0].ID
	want := []string{"README.md", name + ".ndjson", name + ".sh"}
	if diff := cmp.Diff(want, names(t, dir)); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	again := checked(t, contract.Files(filepath.Join(dir, name+".ndjson")))
	if again.Exchanges.Read != 2 || !again.Failed() || again.Findings[0].ID != r.Findings[0].ID {
		t.Errorf("%d exchanges, findings %+v", again.Exchanges.Read, again.Findings)
	}
	index := content(t, filepath.Join(dir, "README.md"))
	if line := "pool 7 was deleted although pool rule 3 references it | 2 | [" + name; !strings.Contains(index, line) {
		t.Errorf("the index lacks %q:\n%s", line, index)
	}
	script := content(t, filepath.Join(dir, name+".sh"))
	for _, want := range []string{
		"#!/bin/sh\n# pool-deletion: pool 7 was deleted although pool rule 3 references it\n",
		"#   understudy check " + name + ".ndjson\n",
		`: "${KEY:?`,
		"curl -sS -i --globoff --path-as-is -X 'DELETE' --url 'http://127.0.0.1:4010/workflow/api/pools/7'",
		`-H 'Authorization: SVC1 '"$KEY"`,
	} {
		if !strings.Contains(script, want) {
			t.Errorf("the script lacks %q:\n%s", want, script)
		}
	}
}

func TestNothingToMinimize(t *testing.T) {
	t.Parallel()
	dir, _ := minimized(t, contract.Files("testdata/pools.ndjson"))
	if diff := cmp.Diff([]string{"README.md"}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func plainGET(path, key string) *recording.Exchange {
	e := &recording.Exchange{
		Request: recording.Request{Method: "GET", URL: "https://workflow.svc.example/api" + path},
		Response: &recording.Response{
			Status: 200, Headers: recording.Headers{{"Content-Type", "application/json"}},
			Body: &recording.Body{Bytes: []byte(`{"poolRules":[]}`)},
		},
	}
	if key != "" {
		e.Request.Headers = recording.Headers{{"Authorization", "SVC1 " + key}}
	}
	return e
}

// That a request without credentials is at fault shows only beside one that has some, which does not belong to its
// evidence.
func TestWhatItsEvidenceDoesNotShowIsLookedForNearIt(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int{"before": 3, "after": 1400, "at the beginning": 1, "far away": 700} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []*recording.Exchange
			for i := 1; i <= 2000; i++ {
				e := plainGET("/sessions", "")
				e.Response.Status, e.Response.Body.Bytes = 404, []byte(`{"message":"m","status":404}`)
				switch i {
				case at:
					e = plainGET("/pool_rules", "1/key")
				case map[string]int{"before": 150, "after": 1300, "at the beginning": 1900, "far away": 1950}[name]:
					e = plainGET("/pool_rules", "")
				}
				list = append(list, e)
			}
			dir, r := minimized(t, contract.Exchanges(slices.Values(list)), contract.WithRules("auth-scheme"))
			i := slices.IndexFunc(r.Findings, func(f contract.Finding) bool { return f.Verdict == "fail" })
			if i < 0 {
				t.Fatalf("findings %+v", r.Findings)
			}
			if name == "far away" {
				if index := content(t, filepath.Join(dir, "README.md")); !strings.Contains(index,
					"- `auth-scheme`, exchange 1950: ") {
					t.Errorf("the index does not tell of it:\n%s", index)
				}
				return
			}
			again := checked(t, contract.Files(filepath.Join(dir, "auth-scheme-"+r.Findings[i].ID+".ndjson")))
			if again.Exchanges.Read != 2 || !again.Failed() {
				t.Errorf("%d exchanges, failed: %t", again.Exchanges.Read, again.Failed())
			}
		})
	}
}

func TestNoSecretLeavesInASmallestRecording(t *testing.T) {
	t.Parallel()
	const secret = "geheim-42"
	e := &recording.Exchange{
		Request: recording.Request{
			Method: "PUT", URL: "https://workflow.svc.example/api/projects/1/secrets/k?api_key=" + secret,
			Headers: recording.Headers{{"Authorization", "Bearer " + secret}, {"Content-Type", "application/json"}},
			Body:    &recording.Body{Bytes: []byte(`{"value":"` + secret + `"}`)},
		},
		Response: &recording.Response{Status: 204},
	}
	dir, r := minimized(t, contract.Exchanges(slices.Values([]*recording.Exchange{e})))
	if !r.Failed() || len(names(t, dir)) < 3 {
		t.Fatalf("files %q", names(t, dir))
	}
	for _, name := range names(t, dir) {
		if text := content(t, filepath.Join(dir, name)); strings.Contains(text, secret) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

func TestMinimizeSaysWhyItCannot(t *testing.T) {
	t.Parallel()
	source := contract.Files("testdata/pools-broken.ndjson")
	c, r := checker(t), checked(t, source)
	if err := c.Minimize(t.Context(), source, r, "testdata/pools.ndjson"); !errors.Is(err, fs.ErrExist) && err == nil {
		t.Errorf("error %v", err)
	}
	own := t.TempDir()
	if err := os.WriteFile(filepath.Join(own, "README.md"), []byte("# My project\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Minimize(t.Context(), source, r, own); err == nil ||
		content(t, filepath.Join(own, "README.md")) != "# My project\n" {
		t.Errorf("a README.md of the user's own is overwritten, error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Minimize(ctx, source, r, t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The scripts are taken apart by a shell, in which curl prints what it is given.
func TestScriptsSendWhatWasSent(t *testing.T) {
	t.Parallel()
	body := func(text string) func(*recording.Exchange) {
		return func(e *recording.Exchange) { e.Request.Body = &recording.Body{Bytes: []byte(text)} }
	}
	nasty := `it's "$HOME" \ ` + "`id`" + " !\n$(id) 100% ;&|<>*?[a]~#é\t"
	flat := strings.ReplaceAll(nasty, "\n", "")
	for name, tt := range map[string]struct {
		edit func(*recording.Exchange)
		want string // among the arguments
		body string // standard input
	}{
		"a text": {body(nasty), "--data-raw\x00" + nasty + "\x00", ""},
		"a header": {func(e *recording.Exchange) {
			e.Request.Headers = append(e.Request.Headers, [2]string{"X-It's", flat}, [2]string{"X-None", ""},
				[2]string{"@/etc/passwd", "x"}, [2]string{"X-Lines", "a\nb"}, [2]string{"Host", "x"})
		}, "SVC1 the first 'key'\x00-H\x00X-It's: " + flat + "\x00-H\x00X-None;\x00", ""},
		"bytes":       {body("\x00\xff\x1f"), "--data-binary\x00@-\x00", "\x00\xff\x1f"},
		"a long text": {body(strings.Repeat("a", 1<<20)), "--data-binary\x00@-\x00", strings.Repeat("a", 1<<20)},
		"a key":       {func(*recording.Exchange) {}, "-H\x00Authorization: SVC1 the first 'key'\x00", ""},
		"another key": {func(e *recording.Exchange) {
			e.Request.Headers = append(e.Request.Headers, [2]string{"Secondary-Authorization", "SVC1 other"})
		}, "-H\x00Authorization: SVC1 the first 'key'\x00-H\x00Secondary-Authorization: SVC1 second key\x00", ""},
		"a key in a query": {
			func(e *recording.Exchange) { e.Request.URL += "?api_key=geheim&a=b" },
			"/nowhere?api_key=the first 'key'&a=b\x00-H\x00Authorization: SVC1 second key\x00", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := plainGET("/nowhere", "")
			e.Request.Method, e.Request.Headers = "POST", recording.Headers{{"Authorization", "SVC1 key"}}
			tt.edit(e)
			dir, r := minimized(t, contract.Exchanges(slices.Values([]*recording.Exchange{e})))
			script := filepath.Join(dir, "undocumented-operation-"+r.Findings[0].ID+".sh")
			out := t.TempDir() + "/out"
			fake := `curl() { printf '%s\000' "$@"; cat >` + out + "; }\n"
			cmd := exec.CommandContext(t.Context(), "sh", "-c", fake+". "+script)
			cmd.Env = append(os.Environ(), "KEY=the first 'key'", "KEY2=second key")
			cmd.Stdin = strings.NewReader("")
			got, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, content(t, script))
			}
			if !strings.Contains(string(got), tt.want) || content(t, out) != tt.body {
				t.Errorf("arguments %q\nbody of %d bytes, want %q", got, len(content(t, out)), tt.want)
			}
		})
	}
}

// Many findings, each of its own kind, are minimized up to a bound, and the rest is counted.
func TestMinimizeIsBounded(t *testing.T) {
	t.Parallel()
	var list []*recording.Exchange
	for i := range 130 {
		list = append(list, plainGET(fmt.Sprintf("/nowhere/%c%c", 'a'+i/26, 'a'+i%26), "1/key"))
	}
	dir, r := minimized(t, contract.Exchanges(slices.Values(list)))
	if n := len(names(t, dir)); n != 201 || len(r.Groups) < 130 {
		t.Errorf("%d files of %d findings", n, len(r.Groups))
	}
	if index := content(t, filepath.Join(dir, "README.md")); !strings.Contains(index,
		fmt.Sprintf("There are %d more.", len(r.Groups)-100)) {
		t.Errorf("the index does not count the rest:\n%s", index[len(index)-200:])
	}
}
