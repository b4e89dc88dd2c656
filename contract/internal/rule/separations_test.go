package rule_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// separations part a recording in two histories: what the first half proves does not hold in the second one. Where a
// half alone is not a violation, neither are both.
var separations = map[string]func(t *testing.T, first, second []*recording.Exchange) contract.Source{
	"another world": func(_ *testing.T, first, second []*recording.Exchange) contract.Source {
		return joined(first, edited(second, func(e *recording.Exchange) { e.World = "other" }))
	},
	"another server": func(_ *testing.T, first, second []*recording.Exchange) contract.Source {
		return joined(edited(first, at("http://127.0.0.1:4010")), edited(second, at("http://127.0.0.1:4011")))
	},
	"a reset": func(_ *testing.T, first, second []*recording.Exchange) contract.Source {
		return joined(first, []*recording.Exchange{control("default/reset")}, second)
	},
	"another state": func(_ *testing.T, first, second []*recording.Exchange) contract.Source {
		return joined(first, []*recording.Exchange{control("default/checkpoints/c/restore")}, second)
	},
	"a clock that was set back": func(_ *testing.T, first, second []*recording.Exchange) contract.Source {
		return joined(numbered(first, 1), numbered(edited(second, func(e *recording.Exchange) {
			e.Start, e.End = e.Start.Add(-24*30*time.Hour), e.End.Add(-24*30*time.Hour)
		}), 100))
	},
	"another file without times": func(t *testing.T, first, second []*recording.Exchange) contract.Source {
		t.Helper()
		return inFiles(t, edited(first, untimed), edited(second, untimed))
	},
}

func untimed(e *recording.Exchange) { e.Start, e.End = time.Time{}, time.Time{} }

// inFiles writes two recordings.
func inFiles(t *testing.T, first, second []*recording.Exchange) contract.Source {
	t.Helper()
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "first"), filepath.Join(dir, "second")}
	for i, half := range [][]*recording.Exchange{first, second} {
		file, err := os.Create(paths[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range half {
			if err := recording.Write(file, e); err != nil {
				t.Fatal(err)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return contract.Files(paths...)
}

func joined(halves ...[]*recording.Exchange) contract.Source {
	return contract.Exchanges(slices.Values(slices.Concat(halves...)))
}

func edited(list []*recording.Exchange, edit func(*recording.Exchange)) []*recording.Exchange {
	copies := make([]*recording.Exchange, len(list))
	for i, e := range list {
		c := *e
		edit(&c)
		copies[i] = &c
	}
	return copies
}

func numbered(list []*recording.Exchange, first int64) []*recording.Exchange {
	return edited(list, func(e *recording.Exchange) { e.Seq, first = first, first+1 })
}

// at moves requests to a mock.
func at(server string) func(*recording.Exchange) {
	return func(e *recording.Exchange) {
		u, err := url.Parse(e.Request.URL)
		if err != nil {
			return
		}
		iface, _, _ := strings.Cut(u.Host, ".")
		e.Request.URL = server + "/" + iface + u.RequestURI()
	}
}

func control(path string) *recording.Exchange {
	return &recording.Exchange{
		Request:  recording.Request{Method: "POST", URL: "http://127.0.0.1:4010/_understudy/worlds/" + path},
		Response: &recording.Response{Status: 204},
	}
}

// partsHoldNothing checks that a violation is gone when the exchanges that it takes are parted anywhere, in any of the
// ways in which histories are: none of them can be spared, so that neither half shows it.
func partsHoldNothing(t *testing.T, smallest []*recording.Exchange, group *report.Group) {
	t.Helper()
	for i := 1; i < len(smallest); i++ {
		for name, parted := range separations {
			first, second := slices.Clone(smallest[:i]), slices.Clone(smallest[i:])
			if finds(t, group.ID, parted(t, first, second)) && !finds(t, group.ID, parted(t, nil, second)) {
				t.Errorf("with %s before exchange %d of %d it is still found that %s", name, i+1, len(smallest), group.Message)
			}
		}
	}
}

// Files are one recording where times give their order, and in whichever order they are named.
func TestOverFilesAViolationStays(t *testing.T) {
	t.Parallel()
	list := script(t, useAfterDeleteTrials()[violated].script)
	for i := 1; i < len(list); i++ {
		for name, source := range map[string]contract.Source{
			"in order":  inFiles(t, list[:i], list[i:]),
			"backwards": inFiles(t, list[i:], list[:i]),
		} {
			r, err := checker(t).Check(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
				return f.Rule == rule.UseAfterDelete && f.Verdict == report.Fail
			}) {
				t.Errorf("cut before exchange %d, %s, it is not found", i+1, name)
			}
		}
	}
}

// The moves that separations make keep a violation as long as both halves make them.
func TestMovedTogetherAViolationStays(t *testing.T) {
	t.Parallel()
	list := script(t, useAfterDeleteTrials()[violated].script)
	for name, moved := range map[string][]*recording.Exchange{
		"to another world":  edited(list, func(e *recording.Exchange) { e.World = "other" }),
		"to another server": edited(list, at("http://127.0.0.1:4011")),
		"with numbers":      numbered(list, 7),
	} {
		if got, _ := verdicts(t, rule.UseAfterDelete, moved); len(got) != 1 || !strings.HasPrefix(got[0], "fail") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Where time stands still, a recording shows by its numbers what was under way at the same time.
func TestAtOneInstantNumbersTellWhatOverlapped(t *testing.T) {
	t.Parallel()
	list := numbered(script(t, `
		5-5 POST /pool_rules {} => 201 {rule 3 5 7 project_name=a}
		5-5 GET /pools => 200 {"pools":[]}
		5-5 DELETE /pools/7 => 200 {pool 7 10}`), 11)
	for overlaps, want := range []string{"fail", "fail", "inconclusive"} {
		list[2].Overlaps = int64(overlaps)
		if got, _ := verdicts(t, rule.PoolDeletion, list); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("after %d that overlapped: %q, want %s", overlaps, got, want)
		}
	}
}

// Where times are whole seconds, it is unknown whether one caller's exchange was over when another's began in its last
// one.
func TestInOneSecondCallersOverlap(t *testing.T) {
	t.Parallel()
	const text = "1-2 DELETE /pools/77 => 200 {pool 77 10}\n2-2 @1/key GET /pools/77 => 200 {pool 77 10}"
	for name, tt := range map[string]struct {
		script string
		want   int
	}{
		"one caller":          {text, 1},
		"two":                 {strings.Replace(text, "@1/key", "@1/other", 1), 0},
		"two, a second later": {strings.Replace(text, "2-2 @1/key", "3-3 @1/other", 1), 1},
		"two, at finer times": {strings.Replace(text, "2-2 @1/key", "2-2 @1/other", 1), 1},
	} {
		list := script(t, tt.script)
		if name == "two, at finer times" {
			list = edited(list, func(e *recording.Exchange) {
				e.Start, e.End = e.Start.Add(time.Millisecond), e.End.Add(time.Millisecond)
			})
		}
		if got, _ := verdicts(t, rule.UseAfterDelete, list); len(got) != tt.want {
			t.Errorf("%s: %q, want %d findings", name, got, tt.want)
		}
	}
}

// All trials in one recording, each in a world of its own, mixed as traffic is: a report of them is the same, byte for
// byte, however many workers judge.
func TestVerdictsDoNotDependOnWorkers(t *testing.T) {
	t.Parallel()
	var worlds [][]*recording.Exchange
	fails := 0
	for id, trials := range allTrials() {
		fails++ // one trial of each is a violation
		for name, tt := range trials {
			worlds = append(worlds, edited(script(t, tt.script), func(e *recording.Exchange) { e.World = id + " " + name }))
		}
	}
	var all []*recording.Exchange
	for i := 0; len(worlds) > 0; i++ {
		worlds = slices.DeleteFunc(worlds, func(w []*recording.Exchange) bool { return len(w) <= i })
		for _, w := range worlds {
			all = append(all, w[i])
		}
	}
	var want string
	for _, workers := range []int{1, 2, 3, 8} {
		c, err := contract.NewChecker(contract.WithWorkers(workers), contract.WithRules(rule.Names()...))
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Check(t.Context(), contract.Exchanges(slices.Values(all)))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := r.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = got.String()
		}
		if r.Checks.Fail < fails || got.String() != want {
			t.Errorf("%d workers: %d violations of %d rules; (-want +got):\n%.4000s", workers, r.Checks.Fail, fails,
				cmp.Diff(want, got.String()))
		}
	}
}

// However many accounts have entities of one name at an address, what one does explains nothing of another.
func TestManyAccountsAreApartByTheirLists(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&text, "@%d/k GET core:/access_control/policies => 200 [{\"id\":%d0,\"name\":\"a%d\"}]\n", i, i, i)
	}
	text.WriteString("@39/k POST core:/table/create/shop/orders => 200 {}\n@39/k POST core:/table/delete/shop/orders => 200 {}\n" +
		`@40/k POST core:/table/recover/9 => 200 {"id":9,"database":"shop","name":"orders"}` + "\n" +
		"@39/k GET core:/table/show/shop/orders => 200 {table orders 5}\n")
	f := foundBy(t, rule.UseAfterDelete, script(t, text.String()))
	if f == nil || f.Verdict != report.Fail {
		t.Errorf("%+v, want a violation", f)
	}
}
