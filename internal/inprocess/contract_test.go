package inprocess_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// checking is a check under way.
type checking struct {
	testing.TB
	checker *contract.Checker
	source  contract.Source // which is not read to its end at once
	list    []*recording.Exchange
	folder  string
}

// quiet is a test that fails without a trace.
type quiet struct{ testing.TB }

func (quiet) Error(...any)          {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatal(...any)          { runtime.Goexit() }
func (quiet) Fatalf(string, ...any) { runtime.Goexit() }

// onItsOwn calls what may end its goroutine.
func onItsOwn(f func()) {
	var g routine.Group
	g.GoThen(func() error { f(); return nil }, func(error) {})
	_ = g.Wait()
}

type checkRow struct {
	call func(context.Context, *checking)
	opts func(folder string) []contract.Option
}

func checks(call func(context.Context, *checking)) checkRow { return checkRow{call: call} }

func calls(call func()) checkRow { return checks(func(context.Context, *checking) { call() }) }

func checkedWith(opts ...contract.Option) checkRow {
	return checkRow{opts: func(string) []contract.Option { return opts }}
}

// check is what rows of options do.
func check(ctx context.Context, c *checking) { _, _ = c.checker.Check(ctx, c.source) }

// all reads a source.
func all(source contract.Source) {
	for range source { //nolint:errcheck // what is wrong with it is not asked here
		continue
	}
}

// withComparison makes a row of a method of LiveComparison.
func withComparison(call func(context.Context, *checking, *contract.LiveComparison)) checkRow {
	return checks(func(ctx context.Context, c *checking) {
		if l, err := c.checker.CompareLive(contract.Subject{Key: "1/admin"}); err == nil {
			call(ctx, c, l)
		}
	})
}

// withLive makes a row of a method of Live.
func withLive(call func(context.Context, *checking, *contract.Live)) checkRow {
	return checks(func(ctx context.Context, c *checking) {
		live, err := c.checker.Live("live", nil)
		if err != nil {
			c.Error(err)
			return
		}
		live.Add(c.list...)
		call(ctx, c, live)
		_ = live.Close()
	})
}

// withPart makes a row of a method of Part, or of Event.
func withPart(call func(*checking, *contract.Part, contract.Event)) checkRow {
	return checks(func(_ context.Context, c *checking) {
		part := c.checker.Part(0)
		var event contract.Event
		for r, err := range contract.Exchanges(slices.Values(c.list)) {
			if e, ok := part.Judge(r, err); ok {
				event = e
			}
		}
		call(c, part, event)
	})
}

// withReport makes a row of what needs a report.
func withReport(call func(context.Context, *checking, *contract.Report)) checkRow {
	return checks(func(ctx context.Context, c *checking) {
		r, _ := c.checker.Check(context.WithoutCancel(ctx), contract.Exchanges(slices.Values(c.list)))
		call(ctx, c, r)
	})
}

// slowSubject answers no request before its context ends.
var slowSubject = contract.Subject{
	Name: "slow", Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), Key: "1/admin",
}

// broken is an engine that panics.
type broken struct{}

func (broken) About() engine.About { return engine.About{Name: "broken"} }
func (broken) Close()              {}
func (broken) Load(engine.Operation) (engine.Schemas, error) {
	panic("the engine is broken")
}

var checkRows = map[string]checkRow{
	"Checker.Begin":       checks(func(ctx context.Context, c *checking) { _, _ = c.checker.Begin(ctx, c.source) }),
	"Checker.Check":       checks(check),
	"Checker.Compare":     checks(func(ctx context.Context, c *checking) { _, _ = c.checker.Compare(ctx, c.source, slowSubject) }),
	"Checker.CompareLive": withComparison(func(context.Context, *checking, *contract.LiveComparison) {}),
	"Checker.Evidence": withReport(func(ctx context.Context, c *checking, r *contract.Report) {
		_ = c.checker.Evidence(ctx, c.source, r)
	}),
	"Checker.Guess": checks(func(ctx context.Context, c *checking) { c.checker.Guess(ctx, c.source) }),
	"Checker.Learn": checks(func(ctx context.Context, c *checking) { _, _ = c.checker.Learn(ctx, c.source, nil) }),
	"Checker.Live":  withLive(func(context.Context, *checking, *contract.Live) {}),
	"Checker.Minimize": withReport(func(ctx context.Context, c *checking, r *contract.Report) {
		_ = c.checker.Minimize(ctx, c.source, r, filepath.Join(c.folder, "minimal"))
	}),
	"Checker.Part": checks(func(_ context.Context, c *checking) { c.checker.Part(0) }),
	"Checker.SpecDiff": checks(func(ctx context.Context, c *checking) {
		_, _ = c.checker.SpecDiff(ctx, c.source)
	}),
	"Checker.Suggest": checks(func(ctx context.Context, c *checking) { _, _ = c.checker.Suggest(ctx, c.source) }),
	"Checker.Watch": checks(func(ctx context.Context, c *checking) {
		_, _ = c.checker.Watch(ctx, nil, func(yield func(contract.Event, error) bool) {
			part := c.checker.Part(0)
			for r, err := range c.source {
				if e, ok := part.Judge(r, err); ok && !yield(e, nil) {
					return
				}
			}
		})
	}),
	"Checker.WithGuessed": checks(func(_ context.Context, c *checking) { c.checker.WithGuessed(contract.Guess{}) }),

	"Event.UnmarshalBinary": withPart(func(_ *checking, _ *contract.Part, e contract.Event) { _ = e.UnmarshalBinary([]byte("x")) }),
	"Event.Key":             withPart(func(_ *checking, _ *contract.Part, e contract.Event) { e.Key() }),
	"Event.MarshalBinary":   withPart(func(_ *checking, _ *contract.Part, e contract.Event) { _, _ = e.MarshalBinary() }),
	"Event.Number":          withPart(func(_ *checking, _ *contract.Part, e contract.Event) { e.Number() }),
	"LatencyError.Error":    calls(func() { _ = (&contract.LatencyError{}).Error() }),

	"LiveComparison.Compare": withComparison(func(ctx context.Context, c *checking, l *contract.LiveComparison) {
		l.Compare(ctx, slowSubject.Handler, c.list[0])
	}),
	"LiveComparison.Report": withComparison(func(_ context.Context, _ *checking, l *contract.LiveComparison) { l.Report() }),

	"Live.Add":   withLive(func(_ context.Context, c *checking, l *contract.Live) { l.Add(nil, c.list[0]) }),
	"Live.Close": withLive(func(_ context.Context, _ *checking, l *contract.Live) { _ = l.Close() }),
	"Live.Evidence": withLive(func(ctx context.Context, c *checking, l *contract.Live) {
		if r, err := l.Report(ctx); err == nil {
			_ = l.Evidence(ctx, r, c.read)
		}
	}),
	"Live.Minimal":  withLive(func(ctx context.Context, c *checking, l *contract.Live) { _, _ = l.Minimal(ctx, "x", c.read) }),
	"Live.Overview": withLive(func(_ context.Context, _ *checking, l *contract.Live) { l.Overview() }),
	"Live.Report":   withLive(func(ctx context.Context, _ *checking, l *contract.Live) { _, _ = l.Report(ctx) }),
	"Live.Settle":   withLive(func(ctx context.Context, _ *checking, l *contract.Live) { _, _ = l.Settle(ctx) }),
	"Live.Settled":  withLive(func(_ context.Context, _ *checking, l *contract.Live) { _, _ = l.Settled() }),
	"Live.Verdicts": withLive(func(_ context.Context, _ *checking, l *contract.Live) { l.Verdicts(1) }),

	"Part.Counts":          withPart(func(_ *checking, p *contract.Part, _ contract.Event) { p.Counts() }),
	"Part.Gaps":            withPart(func(_ *checking, p *contract.Part, _ contract.Event) { p.Gaps() }),
	"Part.Judge":           withPart(func(_ *checking, p *contract.Part, _ contract.Event) { p.Judge(contract.Record{}, nil) }),
	"Part.MarshalBinary":   withPart(func(_ *checking, p *contract.Part, _ contract.Event) { _, _ = p.MarshalBinary() }),
	"Part.Merge":           withPart(func(c *checking, p *contract.Part, _ contract.Event) { c.checker.Part(0).Merge(p) }),
	"Part.Problem":         withPart(func(_ *checking, p *contract.Part, _ contract.Event) { p.Problem() }),
	"Part.Report":          withPart(func(_ *checking, p *contract.Part, _ contract.Event) { _, _ = p.Report() }),
	"Part.UnmarshalBinary": withPart(func(_ *checking, p *contract.Part, _ contract.Event) { _ = p.UnmarshalBinary([]byte("x")) }),

	"Recorder.Exchanges": checks(func(ctx context.Context, _ *checking) { recorded(ctx).Exchanges() }),
	"Recorder.Handler": checks(func(ctx context.Context, _ *checking) {
		ctx, leave := context.WithTimeout(ctx, time.Minute)
		defer leave()
		contract.NewRecorder(nil).Handler(slowSubject.Handler).ServeHTTP(httptest.NewRecorder(),
			httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	}),
	"Recorder.RoundTrip": checks(func(ctx context.Context, _ *checking) { recorded(ctx) }),
	"Recorder.WriteTo":   checks(func(ctx context.Context, _ *checking) { _, _ = recorded(ctx).WriteTo(io.Discard) }),

	"AssertConforms": checks(func(ctx context.Context, c *checking) {
		onItsOwn(func() { contract.AssertConforms(quiet{c}, recorded(ctx)) })
	}),
	"Behind":         checks(func(_ context.Context, c *checking) { all(contract.Behind(c.source, contract.Place{})) }),
	"CheckRewrite":   calls(func() { _ = contract.CheckRewrite("a", "b") }),
	"DifferenceDocs": calls(func() { contract.DifferenceDocs() }),
	"Exchanges":      checks(func(_ context.Context, c *checking) { all(contract.Exchanges(slices.Values(c.list))) }),
	"Extent":         checks(func(_ context.Context, c *checking) { contract.Extent(c.source) }),
	"Files":          checks(func(_ context.Context, c *checking) { all(contract.Files(c.folder)) }),
	"Find": checks(func(_ context.Context, c *checking) {
		all(contract.Find(contract.Input{Path: c.folder}).Source(func(int) {}))
	}),
	"Inputs.Source": checks(func(_ context.Context, c *checking) {
		all(contract.Find(contract.Input{Path: c.folder}).Source(nil))
	}),
	"Source.Items": checks(func(_ context.Context, c *checking) {
		for range c.source.Items() { //nolint:errcheck // what is wrong with it is not asked here
			continue
		}
	}),
	"IsLines":   calls(func() { contract.IsLines([]byte("{}")) }),
	"KeyDigest": calls(func() { contract.KeyDigest("1/admin") }),
	"MatchShape": checks(func(_ context.Context, c *checking) {
		onItsOwn(func() {
			response := &http.Response{Status: "200 OK", StatusCode: 200, Body: io.NopCloser(strings.NewReader("{}"))}
			contract.MatchShape(quiet{c}, response, contract.WithShapeDir(c.folder))
		})
	}),
	"MatchShapes": checks(func(_ context.Context, c *checking) {
		onItsOwn(func() { contract.MatchShapes(quiet{c}, c.source, contract.WithShapeDir(c.folder)) })
	}),
	"NewChecker":  calls(func() { _, _ = contract.NewChecker(contract.WithWorkers(-1)) }),
	"NewRecorder": calls(func() { contract.NewRecorder(nil) }),
	"Read":        checks(func(_ context.Context, _ *checking) { all(contract.Read("x", strings.NewReader("{}\n"))) }),
	"ReadLines":   checks(func(_ context.Context, _ *checking) { all(contract.ReadLines("x", strings.NewReader("{}\n"))) }),
	"ReadPiece": checks(func(_ context.Context, _ *checking) {
		all(contract.ReadPiece("x", strings.NewReader("{}\n"), contract.Place{}))
	}),
	"RuleDocs":   calls(func() { contract.RuleDocs() }),
	"Rules":      calls(func() { contract.Rules() }),
	"Severities": calls(func() { contract.Severities() }),
	"Shapes":     checks(func(_ context.Context, c *checking) { _, _ = contract.Shapes([]string{c.folder}) }),

	"WithAnswerTimeout": {
		call: func(ctx context.Context, c *checking) { _, _ = c.checker.Compare(ctx, c.source, slowSubject) },
		opts: func(string) []contract.Option { return []contract.Option{contract.WithAnswerTimeout(time.Second)} },
	},
	"WithAccount":         checkedWith(contract.WithAccount("shop", "1/a")),
	"WithBase":            checkedWith(contract.WithBase(specs.Workflow, "https://other.example")), //nolint:staticcheck // still exported
	"WithBaseURL":         checkedWith(contract.WithBaseURL(specs.Workflow, "https://own.example")),
	"WithBaseline":        {}, // a file that only the options read
	"WithBrand":           checkedWith(contract.WithBrand("acme")),
	"WithComplete":        checkedWith(contract.WithComplete("always")),
	"WithDisputed":        checkedWith(contract.WithDisputed(true)),
	"WithUndeclared":      checkedWith(contract.WithUndeclared(true)),
	"WithEngine":          checkedWith(contract.WithEngine(broken{})),
	"WithInterfaces":      checkedWith(contract.WithInterfaces(specs.Interfaces()...)),
	"WithEffort":          checkedWith(contract.WithEffort(100)),
	"WithExtras":          checkedWith(contract.WithExtras(false)),
	"WithGaps":            checkedWith(contract.WithGaps(true)),
	"WithGuess":           checkedWith(contract.WithGuess(true)),
	"WithIgnoredHeaders":  checkedWith(contract.WithIgnoredHeaders("X-Own")),
	"WithIgnoredHosts":    checkedWith(contract.WithIgnoredHosts("other.example")),
	"WithIgnoredPaths":    checkedWith(contract.WithIgnoredPaths("/other")),
	"WithLatency":         checkedWith(contract.WithLatency(map[string]time.Duration{"workflow.*": time.Second})),
	"WithMask":            {}, // of comparisons alone
	"WithMaxInconclusive": checkedWith(contract.WithMaxInconclusive(50)),
	"WithMockOnAllHosts":  checkedWith(contract.WithMockOnAllHosts()),
	"WithOverlay":         {}, // a file that only the options read
	"WithRewrite":         checkedWith(contract.WithRewrite("/gateway/workflow/", "/workflow/")),
	"WithRules":           checkedWith(contract.WithRules("schema")),
	"WithSalt":            checkedWith(contract.WithSalt([]byte("0123456789abcdef"))),
	"WithSeverity":        checkedWith(contract.WithSeverity("schema", "*", "warning")),
	"WithShapeDir":        {}, // MatchShape has it
	"WithShapeLabel":      {}, // likewise
	"WithSpec":            checkedWith(contract.WithSpec(specs.LLM, "../../specs/llm.yaml")),
	"WithThreshold":       checkedWith(contract.WithThreshold("operations", 50)),
	"WithTolerance":       checkedWith(contract.WithTolerance(time.Second)),
	"CheckChanges":        {}, // of documents of users: TestOneRuleForBoth
	"WithChanges":         {}, // likewise
	"WithTrust":           checkedWith(contract.WithTrust("client")),
	"WithViolations":      checkedWith(contract.WithViolations(func(*contract.Finding, []report.ExchangeLine) {})),
	"WithWorkers":         checkedWith(contract.WithWorkers(4)),
	"WithoutRules":        checkedWith(contract.WithoutRules("schema")),
	"WriteBaseline":       withReport(func(_ context.Context, _ *checking, r *contract.Report) { _ = contract.WriteBaseline(io.Discard, r) }),
	"WriteEvidence": checks(func(_ context.Context, c *checking) {
		_ = contract.WriteEvidence(io.Discard, c.source, &contract.Finding{Exchange: 1})
	}),
}

// read reads an exchange again.
func (c *checking) read(seq int64) (*recording.Exchange, bool) { return nil, seq < 0 }

// recorded records a request that waits.
func recorded(ctx context.Context) *contract.Recorder {
	r := contract.NewRecorder(waiting{})
	ctx, leave := context.WithTimeout(ctx, time.Minute)
	defer leave()
	use(ctx, &http.Client{Transport: r}, "GET", workflowURL+"/api/pools", "")
	return r
}

// waiting is a transport that waits for the end of the context.
type waiting struct{}

func (waiting) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// The ways in which a source comes to its end.
var sources = map[string]func(*checking, <-chan struct{}) contract.Source{
	"a source that waits": func(c *checking, released <-chan struct{}) contract.Source {
		return contract.Exchanges(then(c.list, func() bool { <-released; return true }))
	},
	"a source that panics": func(c *checking, _ <-chan struct{}) contract.Source {
		return contract.Exchanges(then(c.list, func() bool { panic("the source is broken") }))
	},
	"a source that ends its goroutine": func(c *checking, _ <-chan struct{}) contract.Source {
		return contract.Exchanges(then(c.list, func() bool { runtime.Goexit(); return true }))
	},
	"a source with nil in it": func(c *checking, _ <-chan struct{}) contract.Source {
		return contract.Exchanges(slices.Values([]*recording.Exchange{c.list[0], nil, c.list[1], {}}))
	},
	"a source with nothing to decode in it": func(*checking, <-chan struct{}) contract.Source {
		return func(yield func(contract.Record, error) bool) { _ = yield(contract.Record{}, nil) }
	},
}

// then yields exchanges, and does something before the last one.
func then(list []*recording.Exchange, do func() bool) iter.Seq[*recording.Exchange] {
	return func(yield func(*recording.Exchange) bool) {
		for i, e := range list {
			if i == len(list)-1 && !do() || !yield(e) {
				return
			}
		}
	}
}

func TestEveryFunctionOfTheCheckerHasARow(t *testing.T) {
	t.Parallel()
	wantRows(t, "contract", checkRows)
}

func TestNoCallOfTheCheckerEndsTheProcessOrIsLeft(t *testing.T) {
	t.Parallel()
	recorder := contract.NewRecorder(mockserver.NewTransport(t))
	client := &http.Client{Transport: recorder}
	for range 15 {
		use(t.Context(), client, "GET", workflowURL+"/api/pools", "")
		use(t.Context(), client, "POST", coreURL+"/database/create/own", "")
	}
	usual := newChecker(t)
	for name, row := range checkRows {
		checker, folder := usual, t.TempDir()
		if row.opts != nil {
			checker = newChecker(t, row.opts(folder)...)
		}
		call := row.call
		if call == nil {
			call = check
		}
		for what, source := range sources {
			for _, at := range moments {
				t.Run(fmt.Sprintf("%s/%s, context ends %s", name, what, at), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
						c := &checking{TB: t, checker: checker, list: recorder.Exchanges(), folder: folder}
						released := make(chan struct{})
						c.source = source(c, released)
						ctx, leave := context.WithCancel(t.Context())
						defer leave()
						whileEnding(t, at, func() error {
							// what panics in the goroutine of the caller is the caller's
							onItsOwn(func() { call(ctx, c) })
							return nil
						}, leave, func() { close(released) }, patience)
					})
				})
			}
		}
	}
}

func newChecker(t *testing.T, opts ...contract.Option) *contract.Checker {
	t.Helper()
	checker, err := contract.NewChecker(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return checker
}

// A panic in a goroutine of the check is the error of the check, with where it came from.
func TestAPanicOfASourceIsTheErrorOfTheCheck(t *testing.T) {
	t.Parallel()
	list := []*recording.Exchange{{}, {}}
	for name, want := range map[string]string{
		"a source that panics":                  "panic: the source is broken",
		"a source that ends its goroutine":      "runtime.Goexit",
		"a source with nothing to decode in it": "nil in the place of an exchange",
		"a source with nil in it":               "nil in the place of an exchange",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newChecker(t).Check(t.Context(), sources[name](&checking{list: list}, nil))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
			if name == "a source that panics" && !bytes.Contains([]byte(err.Error()), []byte("contract_test.go")) {
				t.Errorf("the error does not say where: %v", err)
			}
		})
	}
}
