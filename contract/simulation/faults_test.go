package simulation_test

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// TestInjectedFaults holds the checker against histories in which a mock was made to fail. A request that a fault kept
// from the platform changes no verdict on others. A fault that hid an answer, or cut it, or made a request take effect
// twice, may leave verdicts open, but gives no false alarm.
func TestInjectedFaults(t *testing.T) {
	t.Parallel()
	checker, err := contract.NewChecker(contract.WithEngine(libopenapi.New()))
	if err != nil {
		t.Fatal(err)
	}
	tryPlots(t, 2, func(t *testing.T, p plot, random *rand.Rand) {
		t.Helper()
		log := p.history().log
		was := verdicts(t, checker, log)
		if was == nil {
			t.Skip("nothing happens")
		}
		more := slices.Clone(log)
		for range 1 + random.IntN(20) {
			more = append(more, keptAway(random, log))
		}
		if is := verdicts(t, checker, more); !maps.Equal(was, is) {
			t.Errorf("verdicts %v have become %v", was, is)
		}
		broken := map[string]bool{} // rules, in whatever exchange that shows
		for finding := range was {
			broken[finding.rule] = broken[finding.rule] || finding.verdict == report.Fail
		}
		for finding := range verdicts(t, checker, hideSome(random, log)) {
			if finding.verdict == report.Fail && !broken[finding.rule] {
				t.Errorf("false alarm: %+v", finding)
			}
		}
		p.violation, p.twice = nil, 20
		for finding := range verdicts(t, checker, p.history().log) {
			if finding.verdict == report.Fail {
				t.Errorf("false alarm where requests took effect twice: %+v", finding)
			}
		}
	})
}

// verdictKey is a verdict of a rule on a request, which stands for itself in each form of a history.
type verdictKey struct {
	rule    string
	verdict report.Verdict
	at      time.Time
	request string
}

// verdicts counts the verdicts on the exchanges of a history, and how often each rule passed. It is nil if there is
// nothing to judge.
func verdicts(t *testing.T, c *contract.Checker, log []*event) map[verdictKey]int {
	t.Helper()
	files, _ := loss{form: ndjson}.files(slices.Clone(log))
	x := &trial{files: files}
	r, err := x.check(t.Context(), c)
	if err != nil {
		return nil
	}
	counts := map[verdictKey]int{}
	list := numbered(files)
	for _, f := range r.Findings {
		if !temporal(f.Rule) && f.Verdict != report.Fail {
			continue
		}
		e := list[f.Exchange]
		if f.Severity == report.Error && strings.HasPrefix(e.Fault, "fault-1") {
			t.Errorf("a request whose answer was injected violates %s: %s", f.Rule, f.Message)
		}
		if e.Fault == injected(recording.EffectNone) {
			continue
		}
		counts[verdictKey{f.Rule, f.Verdict, e.Start, e.Request.Method + " " + e.Request.URL}]++
	}
	for _, rule := range r.Rules {
		if temporal(rule.ID) {
			counts[verdictKey{rule: rule.ID, verdict: report.Pass}] = rule.Pass
		}
	}
	return counts
}

func oneOf[T any](random *rand.Rand, list ...T) T { return list[random.IntN(len(list))] }

// madeUp returns an answer as a fault makes it up, or none.
func madeUp(random *rand.Rand) *recording.Response {
	status := oneOf(random, 0, 200, 201, 400, 401, 403, 404, 409, 413, 418, 429, 500, 503)
	if status == 0 {
		return nil
	}
	body := oneOf(random, `{}`, `[]`, `{"pools":[]}`, `{"error":"x"}`, `{"id":"1"}`, `<html>`)
	return &recording.Response{
		Status: status, Body: &recording.Body{Bytes: []byte(body)},
		Headers: recording.Headers{
			{"Content-Type", "application/json"},
			{"Content-Length", strconv.Itoa(len(body))},
			{"Date", epoch.Format(http.TimeFormat)},
		},
	}
}

func injected(effect string) string {
	return recording.Fault{ID: "fault-1", Injected: true, Effect: effect}.String()
}

// keptAway returns a request like one of a history, at some time, that a fault kept from the platform.
func keptAway(random *rand.Rand, log []*event) *event {
	e := *oneOf(random, log...)
	by := time.Duration(random.Int64N(2*int64(time.Hour)+1)) - time.Hour
	e.Start, e.End = e.Start.Add(by), e.End.Add(by)
	e.Response, e.Fault, e.isPlanted = madeUp(random), injected(recording.EffectNone), false
	return &e
}

// hideSome returns a history in which faults hide, or cut, some of the answers.
func hideSome(random *rand.Rand, log []*event) []*event {
	hidden := make([]*event, len(log))
	for i, e := range log {
		one := *e
		switch random.IntN(10) {
		case 0, 1:
			one.Response, one.Fault = madeUp(random), injected(recording.EffectOnce)
		case 2:
			one.Response, one.Fault = madeUp(random), injected("")
		case 3:
			answer, body := *e.Response, *e.Response.Body
			body.Bytes = body.Bytes[:len(body.Bytes)/2]
			answer.Body = &body
			one.Response, one.Fault = &answer, recording.Fault{ID: "fault-2", Effect: recording.EffectOnce}.String()
		}
		hidden[i] = &one
	}
	return hidden
}
