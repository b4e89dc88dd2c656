package console_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/verdict"
)

// graded judges as it is told: the verdicts of the first exchanges, and pass for all others.
type graded []verdict.Verdict

func (g graded) Watch(string) (console.Watch, error) { return g, nil }
func (g graded) Add([]*recording.Exchange) error     { return nil }
func (g graded) Close()                              {}
func (g graded) Report() verdict.Report              { return verdict.Report{} }

func (g graded) Verdicts(seqs ...int64) (list []verdict.Verdict) {
	for _, seq := range seqs {
		v := verdict.Verdict{Outcome: verdict.Pass, Checks: []verdict.Check{{Rule: "status", Outcome: verdict.Pass}}}
		if int(seq) <= len(g) {
			v = g[seq-1]
		}
		v.Seq = seq
		list = append(list, v)
	}
	return list
}

func (g graded) Minimal(context.Context, string, func(int64) (*recording.Exchange, bool)) ([]*recording.Exchange, error) {
	return nil, nil
}

func (g graded) HTML(context.Context, io.Writer, func(int64) (*recording.Exchange, bool)) error {
	return nil
}

// failing returns the verdict on an exchange that one rule is broken by.
func failing(severity string, breaks bool) verdict.Verdict {
	return verdict.Verdict{
		Outcome: verdict.Fail, Breaks: breaks, Checks: []verdict.Check{{Rule: "schema", Outcome: verdict.Fail}},
		Findings: []verdict.Finding{{Rule: "schema", Severity: severity, Outcome: verdict.Fail, Breaks: breaks, Message: "differs"}},
	}
}

// judged serves a console of a world whose clock stands, with five exchanges that differ in verdict and length.
func judged(t *testing.T) string {
	t.Helper()
	base := start(t, mockserver.WithConsole(console.New(console.WithJudge(graded{
		failing("notice", false), failing("warning", false), failing("error", true),
		{Outcome: verdict.Inconclusive, Checks: []verdict.Check{{Rule: "body", Outcome: verdict.Inconclusive}}},
	}))))
	for _, path := range []string{"/workflow/api/pools", "/workflow/api/pools/99", "/core/v3/job/list", "/dwh/x", "/workflow/api/pools/1"} {
		send(t, http.MethodGet, base+path, "")
	}
	return base
}

// What makes no check fail is neither called a failure nor red, in the list and on the page of an exchange.
func TestOnlyWhatBreaksACheckFails(t *testing.T) {
	t.Parallel()
	base := judged(t)
	verdicts := open(t, http.DefaultClient, base+console.Path+"w/default/verdicts?seqs=1,2,3,4").body
	for seq, want := range []string{"notice", "warning", "fail", "inconclusive"} {
		if pair := fmt.Sprintf(`"%d":%q`, seq+1, want); !strings.Contains(verdicts, pair) {
			t.Errorf("the verdicts are %s, want %s", verdicts, pair)
		}
		page := open(t, http.DefaultClient, fmt.Sprintf("%s%sw/default/journal/%d", base, console.Path, seq+1)).body
		if n := strings.Count(page, fmt.Sprintf(`<span class="judged %s">%[1]s</span>`, want)); n != 2 {
			t.Errorf("exchange %d: the grade %s is shown %d times, want it for the exchange and for its rule", seq+1, want, n)
		}
	}
}

// Where the clock of the world stands, the journal still says when each exchange came and how long it took.
func TestTheJournalShowsTheClockOnTheWall(t *testing.T) {
	t.Parallel()
	base := judged(t)
	took := regexp.MustCompile(`<td class="num nowrap">(&lt; )?[0-9.]+ m?s</td>`)
	list := open(t, http.DefaultClient, base+console.Path+"w/default/journal").body
	if n := len(took.FindAllString(list, -1)); n != 5 || !strings.Contains(list, "World’s clock") {
		t.Errorf("%d of 5 exchanges say how long they took:\n%s", n, text(list))
	}
	if page := text(open(t, http.DefaultClient, base+console.Path+"w/default/journal/1").body); !regexp.MustCompile(
		`, took (&lt; )?[0-9.]+ ms; the world’s clock was at 20`).MatchString(page) {
		t.Errorf("the page of an exchange does not say when it came, and how long it took:\n%s", page)
	}
	now := start(t, mockserver.WithClock("real"))
	send(t, http.MethodGet, now+"/workflow/api/pools", "")
	if list := open(t, http.DefaultClient, now+console.Path+"w/default/journal").body; strings.Contains(list, "World’s clock") {
		t.Error("a clock that shows the same time as that on the wall has a column of its own")
	}
}
