package contract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// timed returns a request to workflow that took so long.
func timed(path string, took time.Duration) *recording.Exchange {
	start := time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)
	return &recording.Exchange{
		Start: start, End: start.Add(took),
		Request:  recording.Request{Method: "GET", URL: "https://workflow.svc.example" + path},
		Response: &recording.Response{Status: 200},
	}
}

// latencies returns the tally and the findings of the rule.
func latencies(r *contract.Report) (list []string) {
	for _, tally := range r.Rules {
		if tally.ID == judge.Latency {
			list = append(list, fmt.Sprintf("%d pass, %d fail, %d inconclusive", tally.Pass, tally.Fail, tally.Inconclusive))
		}
	}
	for _, g := range r.Groups {
		if g.Rule == judge.Latency {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s ×%d: %s %s", g.Severity, g.Verdict, g.Operation,
				g.Count, g.Message, g.Found)))
		}
	}
	return list
}

func TestLatency(t *testing.T) {
	t.Parallel()
	unlimited := map[string]time.Duration(nil)
	limits := map[string]time.Duration{
		"workflow.listPools": 300 * time.Millisecond, "workflow.*": time.Second,
		"*": time.Minute,
	}
	unfinished := timed("/api/pools", 0)
	unfinished.End = time.Time{}
	unanswered := timed("/api/pools", time.Hour)
	unanswered.Response = nil
	for name, tt := range map[string]struct {
		limits    map[string]time.Duration
		exchanges []*recording.Exchange
		want      []string
	}{
		"without limits nothing is judged": {unlimited, []*recording.Exchange{timed("/api/pools", time.Hour)}, nil},
		"within the limit, and just at it": {
			limits,
			[]*recording.Exchange{timed("/api/pools", time.Millisecond), timed("/api/pools", 300*time.Millisecond)},
			[]string{"2 pass, 0 fail, 0 inconclusive"},
		},
		"beyond it, counted, with the first value": {
			limits,
			[]*recording.Exchange{
				timed("/api/pools", 300001*time.Microsecond+time.Millisecond),
				timed("/api/pools", time.Second),
			},
			[]string{
				"0 pass, 2 fail, 0 inconclusive",
				"error fail workflow.listPools ×2: took longer than its limit of 300ms 301ms",
			},
		},
		"the most specific limit decides": {
			limits,
			[]*recording.Exchange{timed("/api/pools/7", 900*time.Millisecond), timed("/api/pools/7", 2*time.Second)},
			[]string{"1 pass, 1 fail, 0 inconclusive", "error fail workflow.getPool ×1: took longer than its limit of 1s 2s"},
		},
		"of equally specific ones the smaller": {
			map[string]time.Duration{
				"workflow.list*": time.Second, "*flow.listPools": time.Minute,
				"workflow.*Pools": time.Hour,
			},
			[]*recording.Exchange{timed("/api/pools", 2*time.Second), timed("/api/pools", 2*time.Minute)},
			[]string{
				"1 pass, 1 fail, 0 inconclusive",
				"error fail workflow.listPools ×1: took longer than its limit of 1m0s 2m0s",
			},
		},
		"an exchange without times": {
			limits,
			[]*recording.Exchange{unfinished},
			[]string{
				"0 pass, 0 fail, 1 inconclusive",
				"notice inconclusive workflow.listPools ×1: the recording does not contain the duration",
			},
		},
		"a clock that stands still, as that of a mock": {
			limits,
			[]*recording.Exchange{timed("/api/pools", 0)},
			[]string{
				"0 pass, 0 fail, 1 inconclusive",
				"notice inconclusive workflow.listPools ×1: the recorded duration is zero: its clock stood still or is too coarse",
			},
		},
		"a clock that went back": {
			limits,
			[]*recording.Exchange{timed("/api/pools", -time.Second)},
			[]string{
				"0 pass, 0 fail, 1 inconclusive",
				"notice inconclusive workflow.listPools ×1: the recorded end is before the beginning",
			},
		},
		"no answer": {limits, []*recording.Exchange{unanswered}, []string{"0 pass, 0 fail, 0 inconclusive"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checked(t, of(tt.exchanges...), contract.WithLatency(tt.limits))
			if diff := cmp.Diff(tt.want, latencies(r)); diff != "" {
				t.Errorf("latency (-want +got):\n%s", diff)
			}
		})
	}
}

// A limit was asked for, so that what breaks it fails the check, unless that is asked for otherwise.
func TestLatencyFailsTheCheck(t *testing.T) {
	t.Parallel()
	source := of(timed("/api/pools", time.Second))
	limits := contract.WithLatency(map[string]time.Duration{"workflow.*": time.Millisecond})
	is := func(f contract.Finding) bool {
		return f.Rule == judge.Latency && f.Severity == report.Error && f.Verdict == report.Fail
	}
	if r := checked(t, source, limits); !slices.ContainsFunc(r.Findings, is) || !r.Violated() {
		t.Errorf("no violation in %v", r.Findings)
	}
	if r := checked(t, source, limits,
		contract.WithSeverity(judge.Latency, "*", "notice")); slices.ContainsFunc(r.Findings, is) {
		t.Errorf("a violation in %v", r.Findings)
	}
}

func TestLatencyLimitsThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		operation string
		limit     time.Duration
		want      string
	}{
		{"workflow.listPool", 1, "latency of workflow.listPool: unknown operation: want workflow.listPools, or another one"},
		{"flow.*", 1, "latency of flow.*: unknown operation: see understudy operations"},
		{"[", 1, "latency of [: not a valid pattern"},
		{"workflow.*", 0, "latency of workflow.*: invalid limit 0s: want a time above 0"},
	} {
		_, err := contract.NewChecker(contract.WithLatency(map[string]time.Duration{tt.operation: tt.limit}))
		if got := fmt.Sprint(err); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %q", tt.operation, got, tt.want)
		}
	}
}
