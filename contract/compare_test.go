package contract_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

const (
	poolsURL = "https://workflow.svc.example/api/pools"
	poolsOK  = `{"pools":[{"id":"1","name":"default","concurrencyLimit":5,"default":true}]}`
)

// answering returns a subject that gives the same answer to all requests.
func answering(status int, kind, body string) contract.Subject {
	return contract.Subject{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})}
}

func compareWith(t *testing.T, s contract.Subject, exchanges ...*recording.Exchange) *contract.Report {
	t.Helper()
	r, err := checker(t).Compare(t.Context(), of(exchanges...), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// differences returns the findings of a comparison in one line each.
func differences(r *contract.Report) (list []string) {
	for i := range r.Findings {
		f := &r.Findings[i]
		list = append(list, f.Rule+" "+strings.TrimPrefix(f.Pointer, "/response")+": "+f.Message)
	}
	return list
}

func TestComparedAnswers(t *testing.T) {
	t.Parallel()
	const json = "application/json"
	for name, tt := range map[string]struct {
		recorded, answered string
		want               []string
	}{
		"the same":                    {poolsOK, poolsOK, nil},
		"members in another order":    {`{"a":1,"b":2}`, `{"b":2,"a":1}`, nil},
		"a number written otherwise":  {`{"a":10}`, `{"a":1e1}`, nil},
		"integers beyond floats":      {`{"a":9007199254740993}`, `{"a":9007199254740992}`, []string{"different-value /body/a: 9007199254740993 was recorded, and 9007199254740992 is answered"}},
		"a number beyond all":         {`{"a":1e999999999}`, `{"a":1e999999998}`, []string{"different-value /body: the bodies of 17 and 17 bytes differ, and cannot be decoded: the body is not JSON: a number has an exponent beyond 4096"}},
		"a missing member":            {`{"a":1,"b":2}`, `{"a":1}`, []string{"different-shape /body/b: b was recorded, and is missing in the answer"}},
		"another type":                {`{"a":1}`, `{"a":"1"}`, []string{"different-shape /body/a: a value of type number was recorded, and one of type string is answered"}},
		"null":                        {`{"a":null}`, `{"a":1}`, []string{"different-value /body/a: null was recorded, and 1 is answered"}},
		"an item more":                {`{"l":[1]}`, `{"l":[1,2]}`, []string{"different-value /body/l/1: the answer has an item more than was recorded: 2"}},
		"an empty body":               {"", `{"a":1}`, []string{"different-value /body/0: the answer has an item more than was recorded: {\"a\":1}"}},
		"invalid UTF-8":               {"{\"a\":\"\xff\"}", "{\"a\":\"\xfe\"}", []string{"different-value /body: the bodies of 9 and 9 bytes differ, and cannot be decoded: the body is not UTF-8"}},
		"half of it":                  {`{"a":1}`, `{"a":`, nil},
		"deeper than can be read":     {strings.Repeat("[", 100_000), strings.Repeat("[", 100_001), nil},
		"names with slashes":          {`{"a/b~c":1}`, `{"a/b~c":2}`, []string{"different-value /body/a~1b~0c: 1 was recorded, and 2 is answered"}},
		"times that hardly differ":    {`{"t":"2026-01-15T09:30:00Z"}`, `{"t":"2026-01-15T09:30:01.5Z"}`, nil},
		"times in another form":       {`{"t":"2026-01-15 09:30:00 UTC"}`, `{"t":"2026-01-15T09:30:00Z"}`, []string{`different-value /body/t: "2026-01-15 09:30:00 UTC" was recorded, and "2026-01-15T09:30:00Z" is answered`}},
		"times with an offset":        {`{"t":"2026-01-15T09:30:00Z"}`, `{"t":"2026-01-15T10:30:00+01:00"}`, []string{`different-value /body/t: "2026-01-15T09:30:00Z" was recorded, and "2026-01-15T10:30:00+01:00" is answered`}},
		"a text that begins as times": {`{"t":"2026-xx"}`, `{"t":"2026-xy"}`, []string{`different-value /body/t: "2026-xx" was recorded, and "2026-xy" is answered`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := compareWith(t, answering(200, json, tt.answered), getting(poolsURL, tt.recorded))
			if tt.want == nil && (name == "half of it" || strings.HasPrefix(name, "deeper")) {
				if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, "decoded") {
					t.Errorf("differences %q", differences(r))
				}
				return
			}
			if diff := cmp.Diff(tt.want, differences(r)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// A subject that fails makes a difference, and never the comparison fail.
func TestSubjectsThatFail(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"a panic":      {func(http.ResponseWriter, *http.Request) { panic("out of order") }, "the handler panicked: out of order"},
		"a cut":        {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "the connection was cut"},
		"no answer":    {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "it took longer than 50ms"},
		"no return":    {func(http.ResponseWriter, *http.Request) { <-t.Context().Done() }, "it took longer than 50ms"},
		"half a panic": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{")); panic("late") }, "the handler panicked: late"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := checker(t, contract.WithAnswerTimeout(50*time.Millisecond))
			r, err := c.Compare(t.Context(), of(getting(poolsURL, poolsOK)), contract.Subject{Handler: tt.handler})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"different-status /status: status 200 was recorded, and the request is not answered: " + tt.want}
			if diff := cmp.Diff(want, differences(r)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
			if got := r.Comparison.Operations[0].Sides.Answered; !cmp.Equal(got, []string{"no answer"}) {
				t.Errorf("shown as %q", got)
			}
		})
	}
}

// What cannot go on ends the comparison with an error.
func TestComparisonsThatEnd(t *testing.T) {
	t.Parallel()
	broken := errors.New("no room")
	ctx, cancel := context.WithCancel(t.Context())
	canceling := contract.Subject{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() })}
	overlapping := []*recording.Exchange{getting(poolsURL, poolsOK), getting(poolsURL, poolsOK)}
	for i, e := range overlapping {
		e.Start = time.Date(2026, 1, 15, 9, 30, i, 0, time.UTC)
		e.End = e.Start.Add(time.Minute)
	}
	noFork, noClock := answering(200, "application/json", poolsOK), answering(200, "application/json", poolsOK)
	noFork.Fork = func() (contract.Subject, error) { return contract.Subject{}, broken }
	noClock.Clock = func(time.Time) error { return broken }
	for name, tt := range map[string]struct {
		subject contract.Subject
		want    string
	}{
		"interrupted": {canceling, "context canceled"},
		"no fork":     {noFork, "fork the subject: no room"},
		"no clock":    {noClock, "set the clock to 2026-01-15T09:30:00Z: no room"},
	} {
		_, err := checker(t).Compare(ctx, of(overlapping...), tt.subject)
		if name != "interrupted" {
			_, err = checker(t).Compare(t.Context(), of(overlapping...), tt.subject)
		}
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: error %v, want %s", name, err, tt.want)
		}
	}
}

// An answer without end is compared in bounded memory, by its size.
func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	const chunks = 1024 // of 1 MiB
	chunk := []byte(strings.Repeat("x", 1<<20))
	huge := contract.Subject{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range chunks {
			_, _ = w.Write(chunk)
		}
	})}
	r := compareWith(t, huge, getting(poolsURL, poolsOK))
	want := []string{fmt.Sprintf("different-value /body: the body is of %d bytes, and %d were recorded", chunks<<20,
		len(poolsOK))}
	if diff := cmp.Diff(want, differences(r)); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	for _, line := range r.Comparison.Operations[0].Sides.Answered {
		if len(line) > 3000 {
			t.Errorf("a line of %d bytes is shown", len(line))
		}
	}
}

// Lists with tens of thousands of things are compared in less than seconds, whatever corresponds in them.
func TestLongLists(t *testing.T) {
	t.Parallel()
	const n = 20_000
	list := func(id, name int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"id":"%d","name":"p%d","concurrencyLimit":5,"default":false}`, i+id, i+name)
		}
		return `{"pools":[` + b.String()[1:] + "]}"
	}
	r := compareWith(t, answering(200, "application/json", list(7, 0)), getting(poolsURL, list(1, 0)))
	if len(r.Findings) > 0 {
		t.Errorf("other ids: %q", differences(r)[0])
	}
	if r := compareWith(t, answering(200, "application/json", list(7, n)), getting(poolsURL, list(1, 0))); len(r.Findings) == 0 {
		t.Error("other names: no difference")
	}
}

// What is not replayed is counted with its reason.
func TestExchangesThatAreNotCompared(t *testing.T) {
	t.Parallel()
	unanswered, unknown, cut, faulty := getting(poolsURL, ""), getting(poolsURL+"/1/2/3", "{}"),
		posting(poolsURL, "application/json", `{"na`), getting(poolsURL, poolsOK)
	twice, upstream := getting(poolsURL, poolsOK), getting(poolsURL, poolsOK)
	unanswered.Response = nil
	cut.Request.Body.Truncated = true
	faulty.Fault = "fault-1; answer=injected; effect=once"
	twice.Fault = "fault-2; answer=own; effect=twice"
	upstream.Notes = []string{"upstream: closed"}
	r := compareWith(t, answering(200, "application/json", poolsOK), getting(poolsURL, poolsOK), unanswered, unknown, cut,
		faulty, twice, upstream)
	var got []string
	for _, skipped := range r.Comparison.Skipped {
		got = append(got, skipped.Reason)
	}
	want := []string{
		"its answer is not the service's own: upstream: closed",
		"its answer was injected by the fault fault-1",
		"its request is not recorded as it was: the recording has only the beginning of the body", "no response was recorded",
		"the fault fault-2 made it take effect twice", "the interface documents no such operation",
	}
	if diff := cmp.Diff(want, got); diff != "" || r.Comparison.Compared != 1 {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// FuzzCompare compares bodies of all kinds: nothing panics, and what is the same does not differ.
func FuzzCompare(f *testing.F) {
	f.Add([]byte(poolsOK), []byte(`{"pools":[]}`), "application/json", "")
	f.Add([]byte("{\"a\":1}\n{\"a\":2}"), []byte(`{"a":1}`), "application/x-ndjson", "")
	f.Add([]byte("data: {\"a\":1}\n\n"), []byte("data: x\n\nevent: y\n\n"), "text/event-stream", "")
	f.Add([]byte("\x1f\x8b\x08\x00\xff"), []byte{0xff}, "application/gzip", "gzip")
	f.Add([]byte("--b\r\n\r\nx\r\n--b--"), []byte("a=1&b=2"), "multipart/form-data; boundary=b", "deflate")
	f.Add([]byte(`{"pools":[{"id":7,"name":"a"},{"id":"7"},{"id":null},3]}`), []byte(`{"pools":[{"id":"8"},{}]}`), "application/json", "")
	f.Add([]byte(`{"a":"2026-01-15T09:30:00Z","b":"550e8400-e29b-41d4-a716-446655440000","c":"/api/pools/1"}`),
		[]byte(`{"a":"2026-01-15 09:30:00","b":"550e8400-e29b-41d4-a716-446655440001","c":"/api/pools/2?x"}`), "", "")
	c, err := contract.NewChecker(contract.WithGuess(false))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, was, is []byte, kind, coding string) {
		compareBodies := func(was, is []byte) *contract.Report {
			e := getting(poolsURL, string(was))
			e.Response.Headers = recording.Headers{{"Content-Type", kind}, {"Content-Encoding", coding}}
			subject := contract.Subject{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"], w.Header()["Content-Encoding"] = []string{kind}, []string{coding}
				_, _ = w.Write(is)
			})}
			r, err := c.Compare(t.Context(), of(e), subject)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		if r := compareBodies(was, was); len(r.Findings) > 0 {
			t.Errorf("%q differs from itself: %q", was, differences(r))
		}
		there, back := compareBodies(was, is), compareBodies(is, was)
		if there.Failed() != back.Failed() {
			t.Errorf("%q and %q: %q, but the other way round %q", was, is, differences(there), differences(back))
		}
	})
}

// Times agree if they are close to each other and written in the same form.
func TestFormsOfTimes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		recorded, answered string
		agree              bool
	}{
		{`"2026-01-15 09:30:00 +0000"`, `"2026-01-15T09:30:00+00:00"`, false},
		{`"2026-01-15T09:30:00+00:00"`, `"2026-01-15T09:30:00Z"`, false},
		{`"2026-01-15T09:30:00+0000"`, `"2026-01-15T09:30:00+00:00"`, false},
		{`"2026-01-15T09:30:00Z"`, `"2026-01-15T18:30:00+09:00"`, false},
		{`"2026-01-15 09:30:00 UTC"`, `"2026-01-15 09:30:00 GMT"`, false},
		{`"2026-01-15 09:30:00 UTC"`, `"2026-01-15 09:30:00 +0000"`, false},
		{`"2026-01-15 09:30:00 JST"`, `"2026-01-15 09:30:00 UTC"`, false},
		{`"2026-01-15 09:30:00 JST"`, `"2026-01-15 09:30:01 JST"`, true},
		{`"2026-01-15T09:30:00"`, `"2026-01-15T09:30:00Z"`, false},
		{`"2026-01-15"`, `"2026-01-15T00:00:00Z"`, false},
		{`"2026-01-15 09:30"`, `"2026-01-15 09:30:00"`, false},
		{`"2026-01-15T09:30:00,5Z"`, `"2026-01-15T09:30:00.5Z"`, false},
		{`"2026-01-15T09:30:00.12Z"`, `"2026-01-15T09:30:00.123456Z"`, true},
		{`"2026-01-15T09:30:00Z"`, `"2026-01-15T09:30:00.001Z"`, true}, // a whole second has no fraction in many languages
		{`"Thu, 15 Jan 2026 09:30:00 GMT"`, `"Thu, 15 Jan 2026 09:30:01 GMT"`, true},
		{`"Thu, 15 Jan 2026 09:30:00 GMT"`, `"Fri, 16 Jan 2026 09:30:00 GMT"`, false},
		{`"Thu, 15 Jan 2026 09:30:00 GMT"`, `"2026-01-15T09:30:00Z"`, false},
		{`1768469400`, `"2026-01-15T09:30:00Z"`, false},
	} {
		r := compareWith(t, answering(200, "application/json", `{"t":`+tt.answered+`}`), getting(poolsURL, `{"t":`+tt.recorded+`}`))
		if agree := len(r.Findings) == 0; agree != tt.agree {
			t.Errorf("%s for %s agrees: %t, want %t; %q", tt.answered, tt.recorded, agree, tt.agree, differences(r))
		}
	}
}

// Numbers that count from 1970 agree as times do, if the member's name says that it is a time.
func TestTimesInNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		recorded, answered string
		agree              bool
	}{
		{`{"createdAt":1768469400}`, `{"createdAt":1768469401}`, true},
		{`{"created_at":1768469400000}`, `{"created_at":1768469401500}`, true},
		{`{"timestamp":1768469400.25}`, `{"timestamp":1768469401}`, true},
		{`{"time":1768469400000000}`, `{"time":1768469400000001}`, true},
		{`{"expires_at":1768469400000000000}`, `{"expires_at":1768469401000000000}`, true},
		{`{"events":[{"ts":1768469400}]}`, `{"events":[{"ts":1768469402}]}`, true},
		{`{"updated":[1768469400,1768469500]}`, `{"updated":[1768469401,1768469501]}`, true},
		{`{"createdAt":1768469400}`, `{"createdAt":1768469403}`, false},
		{`{"createdAt":1768469400000}`, `{"createdAt":1768469403000}`, false},
		{`{"createdAt":1768469400}`, `{"createdAt":1768469400000}`, false},
		{`{"createdAt":17}`, `{"createdAt":18}`, false},
		{`{"size":1768469400}`, `{"size":1768469401}`, false},
		{`{"format":1768469400}`, `{"format":1768469401}`, false},
		{`{"accounts":1768469400}`, `{"accounts":1768469401}`, false},
		{`{"createdAt":"1768469400"}`, `{"createdAt":1768469400}`, false},
	} {
		r := compareWith(t, answering(200, "application/json", tt.answered), getting(poolsURL, tt.recorded))
		if agree := len(r.Findings) == 0; agree != tt.agree {
			t.Errorf("%s for %s agrees: %t, want %t; %q", tt.answered, tt.recorded, agree, tt.agree, differences(r))
		}
	}
}

// Of a long recording no more exchanges are replayed than a subject wants, those that began first.
func TestFirstOfARecordingAreCompared(t *testing.T) {
	t.Parallel()
	var list []*recording.Exchange
	for i := range 5 {
		e := getting(poolsURL, poolsOK)
		e.Start = time.Date(2026, 1, 15, 9, 30, 5-i, 0, time.UTC)
		e.End = e.Start
		list = append(list, e)
	}
	list[0].Response.Status = 500
	s := answering(200, "application/json", poolsOK)
	s.First = 2
	c := compareWith(t, s, list...).Comparison
	want := []report.Reason{{Reason: "it is not among the first 2 of its world", Count: 3}}
	if c.Compared != 2 || c.Agree != 2 || !slices.Equal(c.Skipped, want) {
		t.Errorf("%d answers were compared, %d agree, %v were skipped: want 2, 2, %v", c.Compared, c.Agree, c.Skipped, want)
	}
}
