package story_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"svc.example/understudy/scenarios/story"
)

// echo answers with what it was asked.
func echo() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/echo/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Kind", "echo")
		fmt.Fprintf(w, `{"id": "17", "path": %q, "key": %q, "type": %q, "size": %d, "list": [1, {"a": 2}], "body": %s}`,
			r.URL.RequestURI(), r.Header.Get("Authorization"), r.Header.Get("Content-Type"), len(body),
			strings.TrimSpace(string(body)+strings.Repeat("0", 1-min(1, len(body)))))
	})
	mux.HandleFunc("PUT /echo/archive", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, `{"type": %q, "first": %d}`, r.Header.Get("Content-Type"), body[0])
	})
	for path, body := range map[string]string{
		"/echo/lines": "[1,\"a\"]\n[2,null]\n", "/echo/msgpack": "\x92\x01\xa1a\x92\x02\xc0", "/echo/half": "\x92\xa5a",
		"/echo/events": "data: {\"a\": 1}\n\nevent: more\ndata:2\n\n",
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	}
	seconds := 0 // by which the clock was moved
	mux.HandleFunc("/_understudy/worlds/default/clock", func(http.ResponseWriter, *http.Request) { seconds++ })
	mux.HandleFunc("/echo/soon", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"done": %t, "after": %d}`, seconds > 2 && r.Header.Get("X-Soon") == "yes", seconds)
	})
	mux.HandleFunc("/echo/refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	return mux
}

func start() (story.Server, error) { return story.Server{Handler: echo()}, nil }

// outcome holds the log of a script, and whether it failed.
type outcome struct {
	log    strings.Builder
	failed bool
}

func (o *outcome) Skip(...any)                            {}
func (o *outcome) Fatal(args ...any)                      { fmt.Fprintln(&o.log, args...); o.FailNow() }
func (o *outcome) Parallel()                              {}
func (o *outcome) Log(args ...any)                        { fmt.Fprintln(&o.log, args...) }
func (o *outcome) FailNow()                               { o.failed = true; panic(o) }
func (o *outcome) Verbose() bool                          { return false }
func (o *outcome) Run(_ string, run func(t testscript.T)) { run(o) }

// play gives the file after the story was played, and what was said when it failed.
func play(t *testing.T, script string, update bool) (after string, failure string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "story.txtar")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &outcome{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(o) {
				panic(p)
			}
		}()
		testscript.RunT(o, story.Params(file, start, update))
	}()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if o.failed {
		failure = o.log.String()
	}
	return string(content), failure
}

func TestSteps(t *testing.T) {
	t.Parallel()
	story.Run(t, "testdata/steps.txtar", start)
}

func TestSteps_that_fail_say_why(t *testing.T) {
	t.Parallel()
	const asked = "GET /echo/a\n"
	for name, test := range map[string]struct{ script, want string }{
		"another status":  {"GET /echo/refused", "GET /echo/refused was answered with status 418, want 2xx"},
		"not that status": {"GET /echo/a 404", "GET /echo/a was answered with status 200, want 404"},
		"another value":   {asked + `match '{"id": "18"}'`, "-{\"id\": \"18\"}\n+{\"id\": \"17\"}"},
		"another type":    {asked + `match '{"size": "0"}'`, "-{\"size\": \"0\"}\n+{\"size\": 0}"},
		"no such member":  {asked + `match '{"no": 1}'`, "-{\"no\": 1}\n+{}"},
		"a longer list":   {asked + `match '{"list": [1]}'`, `+{"list": [1, {"a": 2}]}`},
		"a shorter list":  {asked + `match '{"list": [1, "*", "*", "..."]}'`, `+{"list": [1, "*", "..."]}`},
		"no such header":  {asked + "header X-Nothing", "the response has no header X-Nothing"},
		"another header":  {asked + "header X-Kind ^x", `the header X-Kind is ["echo"], which does not match ^x`},
		"no such value":   {asked + "capture X nothing", "the response has no nothing"},
		"words not said":  {asked + "says nothing", `the response does not contain "nothing"`},
		"nothing asked":   {"match '{}'", "no request has been sent yet"},
		"no JSON":         {"GET /nowhere 404\nmatch '{}'", "the response is not valid JSON"},
		"no such form":    {asked + "read csv", "want: read lines, read msgpack, or read events"},
		"half a value":    {"GET /echo/half\nread msgpack", "unexpected EOF"},
		"waited in vain":  {`poll /echo/a '{"id": "18"}' 2s`, "-{\"id\": \"18\"}\n+{\"id\": \"17\"}"},
		"refused so far":  {`poll /echo/refused '{}' 2s`, "GET /echo/refused was answered with status 418, want 2xx"},
		"a negated step":  {"! GET /echo/a", "want: GET PATH [STATUS] [BODY]"},
		"no such name":    {"with X:Y 1", "with X:Y: want the name of a header, and a value in one line"},
		"with no value":   {"with X-A", "want: with NAME VALUE"},
		"a condition":     {"[moon] GET /echo/a", "unknown condition [moon]: want [mock]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, failure := play(t, test.script, false); !strings.Contains(failure, test.want) {
				t.Errorf("got:\n%s\nwant:\n%s", failure, test.want)
			}
		})
	}
}

func TestUpdate_rewrites_what_is_wanted(t *testing.T) {
	t.Parallel()
	const before = `# Asks twice.
GET /echo/a
capture ID id
match want.json
match all.json
match list.json
-- want.json --
{"size": 9, "id": "$ID", "key": "*", "gone": 1}
-- all.json --
-- list.json --
{"list": [7, "..."]}
`
	const after = `# Asks twice.
GET /echo/a
capture ID id
match want.json
match all.json
match list.json
-- want.json --
{"size": 0, "id": "$ID", "key": "*"}
-- all.json --
{"id": "17", "path": "/echo/a", "key": "SVC1 1/admin", "type": "", "size": 0, "list": [1, {"a": 2}], "body": 0}
-- list.json --
{"list": [1, "..."]}
`
	got, failure := play(t, before, true)
	if failure != "" {
		t.Error(failure)
	}
	if d := cmp.Diff(after, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if again, failure := play(t, got, false); failure != "" || again != got {
		t.Errorf("the rewritten story does not hold: %s", failure)
	}
}
