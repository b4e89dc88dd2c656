package routine_test

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/internal/routine"
)

var errMine = errors.New("mine")

// ends are the ways in which a function can end, and what is in the error of each.
var ends = map[string]struct {
	f    func() error
	want string
}{
	"return":                {func() error { return nil }, ""},
	"an error":              {func() error { return errMine }, "mine"},
	"a panic":               {func() error { panic("boom") }, "panic: boom"},
	"a panic with an error": {func() error { panic(errMine) }, "mine"},
	"a nil pointer":         {func() error { var p *int; *p = 1; return nil }, "nil pointer"},
	"Goexit":                {func() error { runtime.Goexit(); return nil }, "runtime.Goexit"},
}

func TestWaitReturnsHowAGoroutineEnded(t *testing.T) {
	t.Parallel()
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var g routine.Group
			g.Go(end.f)
			wantError(t, g.Wait(), end.want)
		})
	}
}

func TestTheEndOfAGoroutineIsAlwaysHandedOver(t *testing.T) {
	t.Parallel()
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var g routine.Group
			ended := make(chan error, 1)
			g.GoThen(end.f, func(err error) { ended <- err })
			wantError(t, <-ended, end.want)
			if err := g.Wait(); err != nil {
				t.Errorf("Wait also returns %v", err)
			}
		})
	}
}

func TestAPanicOfWhoeverIsHandedTheEndIsAnError(t *testing.T) {
	t.Parallel()
	var g routine.Group
	g.GoThen(func() error { return nil }, func(error) { panic("boom") })
	wantError(t, g.Wait(), "panic: boom")
}

func TestTryReturnsAPanicAsAnError(t *testing.T) {
	t.Parallel()
	for name, end := range ends {
		if name == "Goexit" {
			continue // which nothing can hold up
		}
		wantError(t, routine.Try(end.f), end.want)
	}
	if err := routine.Try(func() error { panic(errMine) }); !errors.Is(err, errMine) {
		t.Errorf("%v does not wrap what was panicked with", err)
	}
	if got := routine.Brief(routine.Try(func() error { panic("boom") })); got != "panic: boom" {
		t.Errorf("in brief: %s", got)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestWaitWaitsForAll(t *testing.T) {
	t.Parallel()
	var g routine.Group
	var ended atomic.Int64
	for range 1000 {
		g.Go(func() error { runtime.Gosched(); ended.Add(1); return nil })
	}
	g.Add()
	go func() { defer g.Done(); ended.Add(1) }()
	if err := g.Wait(); err != nil || ended.Load() != 1001 {
		t.Errorf("%d have ended, %v", ended.Load(), err)
	}
}

// What begins as the last of the others has ended has not been waited for.
func TestWaitForDoesNotCountWhatBeginsAfterIt(t *testing.T) {
	t.Parallel()
	var g routine.Group
	began, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		close(began)
		for {
			select {
			case <-end:
				return
			default:
				g.Add()
				runtime.Gosched()
				g.Done()
			}
		}
	}()
	<-began
	for range 20_000 {
		if left, err := g.WaitFor(time.Minute); left != 0 || err != nil {
			t.Errorf("%d run still, %v", left, err)
			break
		}
	}
	close(end)
	<-ended
}

func TestWaitForCountsThoseThatDoNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g routine.Group
		release := make(chan struct{})
		for range 3 {
			g.Go(func() error { <-release; return nil })
		}
		g.Go(func() error { time.Sleep(time.Second); return nil })
		if left, err := g.WaitFor(2 * time.Second); left != 3 || err != nil {
			t.Errorf("%d run still, %v; want 3", left, err)
		}
		close(release)
		if left, err := g.WaitFor(time.Second); left != 0 || err != nil {
			t.Errorf("%d run still, %v", left, err)
		}
	})
}
