package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/tools/must"
)

func TestReadRecording(t *testing.T) {
	t.Parallel()
	const one = `{"seq":1,"world":"a","request":{"method":"GET","url":"http://x/"},"response":{"status":200,"headers":[]}}` + "\n"
	two := strings.Replace(one, `"seq":1`, `"seq":2`, 1)
	for _, test := range []struct {
		name, text, err string
		want            map[exchange]bool
		torn            int
	}{
		{name: "nothing", want: map[exchange]bool{}},
		{name: "whole lines", text: one + two, want: map[exchange]bool{{"a", 1}: true, {"a", 2}: true}},
		{name: "half a line at the end", text: one + two[:10], want: map[exchange]bool{{"a", 1}: true}, torn: 10},
		{name: "half a line in the middle", text: one[:10] + "\n" + two, err: "line 1 is incomplete"},
		{name: "a number twice", text: one + one, err: "line 2: exchange 1 of world a is recorded twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := readRecording([]byte(test.text))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if diff := cmp.Diff(test.want, r.exchanges); diff != "" || err != nil || r.torn != test.torn {
				t.Errorf("%d bytes of half a line, want %d, %v (-want +got)\n%s", r.torn, test.torn, err, diff)
			}
		})
	}
}

func TestLack(t *testing.T) {
	t.Parallel()
	r := recorded{exchanges: map[exchange]bool{{"a", 1}: true}}
	if err := r.checkComplete([]exchange{{"a", 1}}); err != nil {
		t.Error(err)
	}
	err := r.checkComplete([]exchange{{"a", 1}, {"b", 1}})
	if err == nil || !strings.Contains(err.Error(), "1 of 2 exchanges") || !strings.Contains(err.Error(), "1 of world b") {
		t.Errorf("a missing exchange gives %v", err)
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want outcome
	}{
		{nil, outcome{text: "kept: 3 of 3"}},
		{errors.New("2 of 3"), outcome{text: "**broken**: 2 of 3", broken: true}},
		{fmt.Errorf("%w: no /proc", errNotTried), outcome{text: "not tried: no /proc"}},
	} {
		p := promise{try: func(context.Context, *trial) string { return must.Get("3 of 3", test.err) }}
		if got := p.outcome(t.Context(), nil); got != test.want {
			t.Errorf("%v gives %+v, want %+v", test.err, got, test.want)
		}
	}
	ended := promise{try: func(context.Context, *trial) string { must.Fatalf("1 of 3"); return "" }}
	if got, want := ended.outcome(t.Context(), nil), (outcome{text: "**broken**: 1 of 3", broken: true}); got != want {
		t.Errorf("an attempt that ends early gives %+v, want %+v", got, want)
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	all := promises()
	o := options{long: time.Minute, soak: time.Hour}
	for name, want := range map[string]time.Duration{
		"kills": 30 * time.Second, "amplification": 30 * time.Second, "clocks": 0, soakName: time.Hour,
	} {
		p := selectPromises(all, regexp.MustCompile("^"+name+"$"))
		if got := share(p[0], all, o); got != want {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
	if kills := selectPromises(all, regexp.MustCompile("kills")); share(kills[0], kills, o) != time.Minute {
		t.Error("a promise that is tried alone does not have all of the time")
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	a, b := source(7, "kills"), source(7, "kills")
	if a.Uint64() != b.Uint64() {
		t.Error("the same seed gives other numbers")
	}
	if source(7, "kills").Uint64() == source(7, "clocks").Uint64() {
		t.Error("two promises have the same numbers")
	}
}

func TestCell(t *testing.T) {
	t.Parallel()
	if got, want := cell("a | b\nc"), `a \| b c`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := cell(strings.Repeat("é", 2000)); len(got) > 1210 || !strings.HasSuffix(got, "…") {
		t.Errorf("a long text has %d bytes", len(got))
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	var seen times
	if seen.worst() != 0 {
		t.Error("there is a worst of no times")
	}
	for i := range 100 {
		seen.add(time.Duration(100 - i))
	}
	if seen.quantile(0.5) != 51 || seen.worst() != 100 {
		t.Errorf("half of them %d, the worst %d", seen.quantile(0.5), seen.worst())
	}
}

func TestHonest(t *testing.T) {
	t.Parallel()
	was := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		body, moved string
		ok          bool
	}{
		{`{"advance":"1h"}`, `{"now":"2026-01-01T01:00:00Z","nextEvent":null,"idle":true,"complete":true}`, true},
		{`{"advance":"2h"}`, `{"now":"2026-01-01T01:00:00Z","nextEvent":null,"idle":true,"complete":true}`, false},
		{`{"advance":"2h"}`, `{"now":"2026-01-01T01:00:00Z","nextEvent":null,"idle":false,"complete":false}`, true},
		{
			`{"advance":"1h"}`, `{"now":"2026-01-01T01:00:00Z","nextEvent":"2026-01-01T00:30:00Z","idle":true,"complete":true}`,
			false,
		},
	} {
		if err := honest(answer{body: test.moved}, was, test.body); (err == nil) != test.ok {
			t.Errorf("%s, %s: %v", test.body, test.moved, err)
		}
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string // on standard output, or the error
	}{
		{[]string{"-list", "-run", "^clocks$"}, "clocks: However far"},
		{[]string{"-run", "^none$"}, "-list prints the names"},
		{[]string{"-run", "("}, "-run: "},
		{[]string{"-for", "0s"}, "want a duration"},
	} {
		var stdout, stderr bytes.Buffer
		err := run(t.Context(), test.args, &stdout, &stderr)
		if got := fmt.Sprint(stdout.String(), err); !strings.Contains(got, test.want) {
			t.Errorf("%q: %s, want %q", test.args, got, test.want)
		}
	}
}
