package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs/recording"
)

// TestFormats plays the mock's stories, writes what was asked and answered in every format that check reads, and wants
// the same of all: no violation, all exchanges, and verdicts that add up.
func TestFormats(t *testing.T) {
	t.Parallel()
	commandsAlone(t)
	stories := playStories(t)
	exchanges := 0
	for _, list := range stories {
		exchanges += len(list)
	}
	dir := t.TempDir()
	port := 10000
	for name, write := range formats() {
		for i, list := range stories {
			port++
			file := filepath.Join(dir, name, fmt.Sprintf("story%02d", i), "recording")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := write(file, movedTo(port, list)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	checker, err := contract.NewChecker() // one for all, with one engine: what was read does not depend on engines
	if err != nil {
		t.Fatal(err)
	}
	whole := checkFolder(t, checker, filepath.Join(dir, "ndjson"), exchanges)
	for name := range formats() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := checkFolder(t, checker, filepath.Join(dir, name), exchanges)
			if leavesOutTimes(name) { // without them fewer verdicts can be given, but the questions are the same
				got.Pass, got.Inconclusive = got.Pass+got.Inconclusive-whole.Inconclusive, whole.Inconclusive
			}
			if d := cmp.Diff(whole, got); d != "" {
				t.Errorf("verdicts are not those of NDJSON (-want +got):\n%s", d)
			}
		})
	}
	code, stdout, stderr := command(t, "check", "--format", "json", dir)
	if code != 0 {
		t.Fatalf("all in one folder: exit code %d, want 0\n%s", code, stderr)
	}
	var r struct {
		Exchanges report.Exchanges
		Checks    report.Checks
		Rules     []report.Rule
		Coverage  report.Coverage
		Notes     []string
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, &contract.Report{
		Exchanges: r.Exchanges, Checks: r.Checks, Rules: r.Rules, Coverage: r.Coverage,
		Notes: r.Notes,
	},
		exchanges*len(formats()))
	if _, stdout, _ := command(t, "check", filepath.Join(dir, "ndjson", "story00")); !strings.Contains(stdout,
		"coverage") {
		t.Errorf("the report does not tell the coverage:\n%s", stdout)
	}
}

func leavesOutTimes(format string) bool {
	return strings.Contains(format, "vcr")
}

func checkFolder(t *testing.T, checker *contract.Checker, dir string, exchanges int) report.Checks {
	t.Helper()
	r, err := checker.Check(t.Context(), contract.Files(dir))
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed() {
		t.Error(r.Outcome())
	}
	wantWhole(t, r, exchanges)
	return r.Checks
}

// wantWhole wants that a report is of all exchanges, and that its numbers add up.
func wantWhole(t *testing.T, r *contract.Report, exchanges int) {
	t.Helper()
	if e := r.Exchanges; e.Read != exchanges || e.Matched+e.Unmatched+e.Ignored != exchanges || e.Broken != 0 {
		t.Errorf("exchanges %+v, want %d read", e, exchanges)
	}
	var sum report.Checks
	for _, rule := range r.Rules {
		sum.Pass, sum.Fail, sum.Inconclusive = sum.Pass+rule.Pass, sum.Fail+rule.Fail, sum.Inconclusive+rule.Inconclusive
		if rule.Triggered != rule.Pass+rule.Fail+rule.Inconclusive {
			t.Errorf("%s was triggered %d times, with as many verdicts as %+v", rule.ID, rule.Triggered, rule)
		}
	}
	if sum.Skipped = r.Checks.Skipped; sum != r.Checks {
		t.Errorf("the rules come to %+v, the report says %+v", sum, r.Checks)
	}
	if r.Coverage.Covered == 0 {
		t.Error("nothing is covered")
	}
	if len(r.Notes) > 0 {
		t.Errorf("notes: %q", r.Notes)
	}
}

// playStories plays each story against a mock of its own, and returns their journals.
func playStories(t *testing.T) [][]*recording.Exchange {
	t.Helper()
	var stories [][]*recording.Exchange
	for _, name := range scenarios.List() {
		server, err := mockserver.New(mockserver.WithScenario(name), mockserver.WithClock("frozen"),
			mockserver.WithQueryEngine(sqlite.New()))
		if err != nil {
			t.Fatal(err)
		}
		played := t.Run("play "+name, func(t *testing.T) {
			story.Run(t, filepath.Join("..", "..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				return story.Server{Handler: server, Close: func() {}}, nil
			})
		})
		if played {
			stories = append(stories, journalOf(t, server))
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
	return stories
}

func journalOf(t *testing.T, server http.Handler) []*recording.Exchange {
	t.Helper()
	w := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/_understudy/journal.ndjson",
		nil)
	request.RemoteAddr = "127.0.0.1:1"
	server.ServeHTTP(w, request)
	var list []*recording.Exchange
	lines := bufio.NewScanner(bytes.NewReader(w.Body.Bytes()))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e recording.Exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		list = append(list, &e)
	}
	if len(list) == 0 {
		t.Fatalf("the journal is empty: %d %s", w.Code, w.Body.String())
	}
	return list
}

// movedTo returns a story as if its mock had been on a port of its own, so that none is taken for the world of another.
func movedTo(port int, list []*recording.Exchange) []*recording.Exchange {
	moved := make([]*recording.Exchange, len(list))
	for i, e := range list {
		copied := *e
		u, err := url.Parse(e.Request.URL)
		if err != nil {
			panic(err)
		}
		u.Host = fmt.Sprintf("127.0.0.1:%d", port)
		copied.Request.URL = u.String()
		moved[i] = &copied
	}
	return moved
}
