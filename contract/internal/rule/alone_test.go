package rule_test

import (
	"slices"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// The rules of single exchanges, three ways as well.
func TestRulesOfSingleExchanges(t *testing.T) {
	t.Parallel()
	const list = `GET /pools => 200 {"pools":[]}`
	header := func(name, value string) func(*recording.Exchange) {
		return func(e *recording.Exchange) {
			h := &e.Response.Headers
			*h = slices.DeleteFunc(slices.Clone(*h), func(line [2]string) bool { return line[0] == name })
			if value != "" {
				*h = append(*h, [2]string{name, value})
			}
		}
	}
	lasting := func(d time.Duration) func(*recording.Exchange) {
		return func(e *recording.Exchange) { e.End = e.Start.Add(d) }
	}
	none := func(*recording.Exchange) {}
	asking := func(names ...string) func(*recording.Exchange) {
		return func(e *recording.Exchange) {
			for _, name := range names {
				e.Request.Headers = append(slices.Clip(e.Request.Headers), [2]string{name, recording.ProbeValid})
			}
		}
	}
	tried := map[string]map[report.Verdict]struct {
		script string
		edit   func(*recording.Exchange)
	}{
		judge.Schema: {
			report.Fail: {`GET /pools => 200 {"pools":7}`, none}, report.Pass: {list, none},
			report.Inconclusive: {"GET /pools => 200 cut", none},
		},
		judge.UndocumentedOperation: {
			report.Fail: {"PUT /pools => 200 {}", none}, report.Pass: {list, none},
			report.Inconclusive: {list, func(e *recording.Exchange) { e.Request.URL = "https://both.example/api/projects" }},
		},
		judge.UndocumentedStatus: {
			report.Fail: {"GET /pools => 201 {}", none}, report.Pass: {list, none},
			report.Inconclusive: {"GET /pools => 0", none},
		},
		judge.UndocumentedMediaType: { // the recorded part of a body suffices for a verdict
			report.Fail: {list, header("Content-Type", "text/csv")},
			report.Pass: {list, header("Content-Type", "application/json; charset=utf-8")},
		},
		judge.UndeclaredField: {
			report.Fail: {`GET /pools => 200 {"pools":[],"more":1}`, none}, report.Pass: {list, none},
			report.Inconclusive: {"GET /pools => 200 cut", none},
		},
		judge.UndeclaredHeader: { // an answer without headers is passed over
			report.Fail: {list, header("X-Pools", "0")}, report.Pass: {list, header("ETag", `"1"`)},
		},
		judge.Latency: {
			report.Fail: {list, lasting(2 * time.Hour)}, report.Pass: {list, lasting(time.Minute)},
			report.Inconclusive: {list, untimed},
		},
		judge.Probe: {
			report.Fail: {"GET /pools => 500 {}", asking(recording.ProbeHeader)}, report.Pass: {list, asking(recording.ProbeHeader)},
			report.Inconclusive: {"GET /pools => 200 cut", asking(recording.ProbeHeader, recording.ExpectHeader)},
		},
		judge.AuthScheme: {
			report.Fail: {list, func(e *recording.Exchange) {
				e.Request.Headers = recording.Headers{{"Authorization", "Bearer 1/key"}}
			}},
			report.Pass: {list, none}, report.Inconclusive: {"@whole " + list, none},
		},
	}
	for _, id := range judge.Rules() {
		ways := tried[id]
		for _, want := range []report.Verdict{report.Fail, report.Pass, report.Inconclusive} {
			way, there := ways[want]
			isNever := want == report.Inconclusive && (id == judge.UndocumentedMediaType || id == judge.UndeclaredHeader)
			if !there && !isNever {
				t.Errorf("%s is not tried for %s", id, want)
			}
			if !there {
				continue
			}
			t.Run(id+"/"+string(want), func(t *testing.T) {
				t.Parallel()
				exchanges := script(t, way.script)
				way.edit(exchanges[0])
				c, err := contract.NewChecker(contract.WithBaseURL("workflow", "https://workflow.svc.example"),
					contract.WithBaseURL("workflow", "https://both.example"), contract.WithBaseURL("llm", "https://both.example"),
					poolsWithinAnHour)
				if err != nil {
					t.Fatal(err)
				}
				r, err := c.Check(t.Context(), contract.Exchanges(slices.Values(exchanges)))
				if err != nil && want != report.Inconclusive {
					t.Fatal(err)
				}
				i := slices.IndexFunc(r.Rules, func(r report.Rule) bool { return r.ID == id })
				got := map[report.Verdict]int{
					report.Fail: r.Rules[i].Fail, report.Inconclusive: r.Rules[i].Inconclusive, report.Pass: r.Rules[i].Pass,
				}
				if got[want] == 0 || want != report.Fail && got[report.Fail] > 0 || want == report.Pass &&
					got[report.Inconclusive] > 0 {
					t.Errorf("verdicts %v", got)
				}
				if want == report.Fail {
					isMinimal(t, id, exchanges, r)
				}
			})
		}
	}
}
