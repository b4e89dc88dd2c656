package simulation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
)

// run checks the recordings of so many seeds.
func run(t *testing.T, first, count uint64) *outcome {
	t.Helper()
	checker, err := contract.NewChecker(contract.WithEngine(libopenapi.New()))
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{tallies: map[string]*tally{}}
	var next atomic.Uint64
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for n := next.Add(1); n <= count; n = next.Add(1) {
				x := newTrial(first + n - 1)
				r, err := x.check(t.Context(), checker)
				if err != nil {
					t.Errorf("seed %d: %v", x.seed, err)
					continue
				}
				o.note(x, r, func(f contract.Finding) string { return x.explain(t.Context(), checker, f) })
			}
		})
	}
	workers.Wait()
	o.lines, o.broken = sorted(o.lines), sorted(o.broken)
	return o
}

func setting(t *testing.T, name string, fallback uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestSimulation checks recordings of the simulated platform: 200, or as many as SIMULATE says, from the seed
// SIMULATE_SEED on. With SIMULATE_DUMP, a folder, the files of that seed are written there instead.
func TestSimulation(t *testing.T) {
	t.Parallel()
	first := setting(t, "SIMULATE_SEED", 1)
	if dir := os.Getenv("SIMULATE_DUMP"); dir != "" {
		dump(t, newTrial(first), dir)
		return
	}
	o := run(t, first, setting(t, "SIMULATE", 200))
	t.Log("\n" + o.table())
	t.Log(o.kinds())
	for _, line := range o.lines {
		t.Log(line)
	}
	for _, line := range o.broken {
		t.Error(line)
	}
	o.assert(t)
}

func dump(t *testing.T, x *trial, dir string) {
	t.Helper()
	t.Logf("seed %d: %s; violation: %+v", x.seed, x.loss, x.violation)
	for i, f := range x.files {
		name := filepath.Join(dir, fmt.Sprintf("%d-%s", i+1, strings.ReplaceAll(f.name, " ", "")))
		if err := os.WriteFile(name, x.loss.bytes(f), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range x.dropped {
		t.Logf("lost: #%d %s %s %s %v", e.Seq, e.effect.Format("15:04:05.000"), e.Request.Method, e.Request.URL,
			e.client.name)
	}
}
