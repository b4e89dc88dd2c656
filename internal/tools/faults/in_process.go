package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/tools/must"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/specs/recording"
)

var inProcess = promise{
	name: "in-process",
	says: "In the process of a user, nothing panics but what is the user's own call, and nothing is left after Close.",
	tried: "a process of its own, with a server after another that 8 goroutines use without a socket: reads, writes, " +
		"streams that are not read, queries and faults without end, bodies that stop, a console and an engine that panic, " +
		"block, or end their goroutine; contexts that end before, during and after; Close in between; " +
		"sources of a check that panic; " +
		"the goroutines that are left",
	try: tryInProcess,
}

// inProcessTime is the time for which the promise is tried.
const inProcessTime = 10 * time.Second

// tryInProcess starts this program again, because a promise that is broken ends its process.
func tryInProcess(ctx context.Context, t *trial) string {
	program, err := os.Executable()
	if err != nil {
		must.Fatalf("%w: %w", errNotTried, err)
	}
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, program, "-in-process", "-seed", fmt.Sprint(t.seed), "-for",
		inProcessTime.String())
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		must.Fatalf("the process ended with %w: %.1000s", err, stderr.String())
	}
	return strings.TrimSpace(stdout.String())
}

// client is a user of the mock in its own process.
type client struct {
	random *rand.Rand // of one goroutine
	counts *guestCounts
}

type guestCounts struct{ servers, requests, ended, failed, checks atomic.Int64 }

// runInProcess uses servers for as long as it may, and prints what became of it.
func runInProcess(ctx context.Context, o options, out io.Writer) error {
	baseline := runtime.NumGoroutine()
	ctx, cancel := context.WithTimeout(ctx, o.long)
	defer cancel()
	counts := &guestCounts{}
	for n := uint64(0); ctx.Err() == nil; n++ {
		if err := oneServer(counts, o.seed+n); err != nil {
			return err
		}
	}
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > baseline; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			return fmt.Errorf("%d goroutines are left, and were %d: %s", runtime.NumGoroutine(), baseline,
				stacks[:runtime.Stack(stacks, true)])
		}
	}
	fmt.Fprintf(out, "%d servers, %d requests, of which %d ended with their context or server, and %d with an error of "+
		"the user's own code; %d checks; no goroutine is left\n", counts.servers.Load(), counts.requests.Load(),
		counts.ended.Load(), counts.failed.Load(), counts.checks.Load())
	return nil
}

// oneServer has clients use a server, and closes it while they do.
func oneServer(counts *guestCounts, seed uint64) error {
	const clients, calls = 8, 100
	s, err := mockserver.New(mockserver.WithClock(mockserver.ClockFrozen), mockserver.WithQueryEngine(moodyEngine{}),
		mockserver.WithConsole(moodyPages{}), mockserver.WithFaults(
			fixtures.Fault{Calls: fixtures.Calls{Operation: "workflow.listProjects"}, Network: fixtures.NoAnswer},
			fixtures.Fault{Calls: fixtures.Calls{Operation: "core.listDatabases"}, Network: fixtures.Reset},
		))
	if err != nil {
		return err
	}
	var using sync.WaitGroup
	for i := range clients {
		using.Go(func() {
			g := client{random: rand.New(rand.NewPCG(seed, uint64(i))), counts: counts}
			for n := 0; n < calls && g.call(s.World("")); n++ {
				continue
			}
			g.check()
		})
	}
	random := rand.New(rand.NewPCG(seed, clients))
	time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond)
	began := time.Now()
	err = s.Close()
	if took := time.Since(began); err != nil || took > promptly {
		return fmt.Errorf("seed %d: Close took %v: %w", seed, took, errors.Join(err))
	}
	using.Wait()
	counts.servers.Add(1)
	return nil
}

const mockURL = "http://localhost"

// What clients ask for.
var guestCalls = []step{
	{200, http.MethodGet, "/workflow/api/pools", ""},
	{200, http.MethodGet, "/workflow/api/projects", ""},
	{200, http.MethodGet, "/core/v3/database/list", ""},
	{200, http.MethodPost, "/core/v3/database/create/client", ""},
	{200, http.MethodPost, "/core/v3/job/issue/trino/client", `{"query":"SELECT 1"}`},
	{200, http.MethodGet, control + "/state", ""},
	{200, http.MethodPost, control + "/clock", `{"advance":"1m"}`},
	{200, http.MethodPost, control + "/journal/wait", `{"count":1000,"timeout":"10m"}`},
	{200, http.MethodGet, control + "/journal/stream?after=0", ""},
	{200, http.MethodGet, control + "/console/panic", ""},
	{200, http.MethodGet, control + "/console/exit", ""},
	{200, http.MethodGet, control + "/console/abort", ""},
	{200, http.MethodGet, control + "/console/block", ""},
	{200, http.MethodGet, control + "/console/stream", ""},
}

// call makes a call with a context that ends at a random moment. It reports whether the server was there.
func (g client) call(w *mockserver.World) bool {
	ctx, leave := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer leave()
	switch g.random.IntN(3) {
	case 0:
		leave()
	case 1:
		timer := time.AfterFunc(time.Duration(g.random.IntN(3000))*time.Microsecond, leave)
		defer timer.Stop()
	}
	s := guestCalls[g.random.IntN(len(guestCalls))]
	var body io.Reader = strings.NewReader(s.body)
	if g.random.IntN(10) == 0 { // one that stops, and never ends by itself
		r, w := io.Pipe()
		_ = time.AfterFunc(time.Millisecond, func() { _, _ = w.Write([]byte("{")) })
		body = r
	}
	r, err := http.NewRequestWithContext(ctx, s.method, mockURL+s.path, body)
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", authority)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Content-Type", "application/json")
	g.counts.requests.Add(1)
	response, err := w.Client().Do(r)
	if err == nil {
		defer response.Body.Close()
		if g.random.IntN(2) == 0 {
			_, err = io.Copy(io.Discard, response.Body)
		}
	}
	switch {
	case errors.Is(err, http.ErrServerClosed), ctx.Err() != nil:
		g.counts.ended.Add(1)
	case err != nil:
		g.counts.failed.Add(1)
	}
	return !errors.Is(err, http.ErrServerClosed)
}

// newClientChecker makes the checker of all clients, which takes longer than a check.
var newClientChecker = sync.OnceValues(func() (*contract.Checker, error) { return contract.NewChecker() })

// check checks a recording whose source panics, ends its goroutine, or has nil in it.
func (g client) check() {
	checker, err := newClientChecker()
	if err != nil {
		return
	}
	list := []*recording.Exchange{{}, nil, {}}
	mood := g.random.IntN(3)
	_, _ = checker.Check(context.Background(), contract.Exchanges(func(yield func(*recording.Exchange) bool) {
		for e := range slices.Values(list) {
			if !yield(e) {
				return
			}
		}
		switch mood {
		case 0:
			panic("the source is broken")
		case 1:
			runtime.Goexit()
		}
	}))
	g.counts.checks.Add(1)
}

// moodyEngine waits, panics, or ends its goroutine.
type moodyEngine struct{}

func (moodyEngine) Query(ctx context.Context, q query.Query) (query.Result, error) {
	switch q.Now.UnixNano() % 3 {
	case 0:
		panic("the engine is broken")
	case 1:
		runtime.Goexit()
	}
	<-ctx.Done()
	return query.Result{}, ctx.Err()
}

// moodyPages is a console whose pages fail in different ways.
type moodyPages struct{}

func (moodyPages) Handler(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:] {
		case "panic":
			panic("the console is broken")
		case "exit":
			runtime.Goexit()
		case "abort":
			panic(http.ErrAbortHandler)
		case "stream":
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, "part")
				_ = http.NewResponseController(w).Flush()
			}
		}
		<-r.Context().Done()
	})
}
