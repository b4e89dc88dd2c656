package console_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/internal/tools/browser"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/console"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/verdict"
)

// judge judges the first exchanges as a test says, and is asked no more than that.
type judge struct {
	watched
	verdicts []verdict.Verdict
}

type watched interface{ console.Watch }

func (j judge) Watch(string) (console.Watch, error) { return j, nil }
func (j judge) Add([]*recording.Exchange) error     { return nil }
func (j judge) Close()                              {}
func (j judge) Report() verdict.Report              { return verdict.Report{} }

func (j judge) Verdicts(seqs ...int64) (list []verdict.Verdict) {
	for _, seq := range seqs {
		v := j.verdicts[seq-1]
		v.Seq = seq
		list = append(list, v)
	}
	return list
}

// The cells of a column begin at one place, whatever is in them.
func TestColumnsOfTheJournalAreInLine(t *testing.T) {
	t.Parallel()
	failing := func(severity string, breaks bool) verdict.Verdict {
		return verdict.Verdict{
			Outcome: verdict.Fail, Breaks: breaks, Checks: []verdict.Check{{Rule: "schema", Outcome: verdict.Fail}},
			Findings: []verdict.Finding{{Rule: "schema", Severity: severity, Outcome: verdict.Fail, Breaks: breaks, Message: "differs"}},
		}
	}
	pass := verdict.Verdict{Outcome: verdict.Pass, Checks: []verdict.Check{{Rule: "status", Outcome: verdict.Pass}}}
	unknown := verdict.Verdict{
		Outcome: verdict.Inconclusive, Checks: []verdict.Check{{Rule: "body", Outcome: verdict.Inconclusive}},
	}
	_, base := start(t, mockserver.WithConsole(console.New(console.WithJudge(judge{verdicts: []verdict.Verdict{
		failing("notice", false), failing("warning", false), failing("error", true), unknown, pass,
	}}))))
	for _, path := range []string{"/workflow/api/pools", "/workflow/api/pools/99", "/core/v3/job/list", "/dwh/x", "/workflow/api/pools/1"} {
		send(t, http.MethodGet, base+path, "")
	}
	tab := browser.Open(t, host(t, base))
	const ragged = `Object.entries([...document.querySelectorAll(".grid .row > *")]
		.filter((cell) => cell.offsetParent)
		.reduce((places, cell) => {
			const name = cell.className.split(" ").at(-1)
			;(places[name] ??= new Set()).add(Math.round(cell.getBoundingClientRect().left * 10) / 10)
			return places
		}, {})).filter(([, at]) => at.size > 1).map(([name, at]) => name + " at " + [...at].join(", ")).join("; ")`
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1440, 1280, 1000, 360} {
			for _, chosen := range []string{"", "#3"} {
				where := fmt.Sprintf("judged-%s-%d%s", scheme, width, strings.Replace(chosen, "#", "-", 1))
				tab.Resize(width, 900, scheme)
				tab.Go("about:blank") // or only the fragment would change
				tab.Go(base + console.Path + "w/default/journal" + chosen)
				tab.Until(`[...document.querySelectorAll(".grid .rows .judged")].map((e) => e.textContent).sort().join() === "fail,inconclusive,notice,pass,warning"`)
				if got := browser.Value[string](tab, ragged); got != "" {
					t.Errorf("%s: cells of one column begin at different places: %s", where, got)
				}
				for _, complaint := range tab.Complaints() {
					t.Errorf("%s: %s", where, complaint)
				}
				for _, violation := range tab.Violations() {
					t.Errorf("%s: %s", where, violation)
				}
				tab.Shoot(where)
			}
		}
	}
}

// The journal marks exchanges with a target where the mock would have answered otherwise, and their pages say how.
func TestTheJournalMarksDifferences(t *testing.T) {
	t.Parallel()
	_, service := start(t)
	_, base := start(t, mockserver.WithTarget(specs.Workflow, service+"/workflow"), mockserver.WithComparison(
		func(context.Context, http.Handler, *recording.Exchange) []string {
			return []string{"/response/body/id: 7"}
		}))
	send(t, http.MethodGet, base+"/workflow/api/pools/1", "").ok(t)
	tab := browser.Open(t, host(t, base))
	tab.Go(base + console.Path + "w/default/journal")
	tab.Until(`document.querySelector(".grid .rows .chip")?.textContent === "differs"`)
	tab.Go(base + console.Path + "w/default/journal/1")
	tab.Until(`document.querySelector(".notes")?.innerText.includes("the mock differs: /response/body/id: 7")`)
	for _, violation := range tab.Violations() {
		t.Error(violation)
	}
}
