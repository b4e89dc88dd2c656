package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/engine/process"
)

// child returns an engine in a process that plays a role.
func child(t *testing.T, role string, config process.Config) *process.Engine {
	t.Helper()
	config.Path, config.Args = os.Args[0], []string{role}
	e := process.New(t.Context(), config)
	t.Cleanup(e.Close)
	return e
}

func loaded(t *testing.T, e engine.Engine, template string) engine.Schemas {
	t.Helper()
	s, err := e.Load(engine.Operation{Method: "POST", Template: template, Source: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnEngineInAProcessSaysWhatItSaysInThisOne(t *testing.T) {
	t.Parallel()
	asked := func(s engine.Schemas) []string {
		var said []string
		add := func(faults []engine.Fault, err error) { said = append(said, fmt.Sprintf("%q %v", faults, err)) }
		add(s.RequestBody("application/json", []byte(`{"name":"a"}`)))
		add(s.RequestBody("application/json", []byte("no UTF-8: \xff\xfe, and \x00")))
		add(s.RequestBody("", []byte("error")))
		add(s.ResponseBody(200, "text/json", []byte("null")))
		add(s.ResponseBody(404, "text/json", nil))
		add(s.Parameters(engine.Request{
			Path: "/a b", RawPath: "/a%20b", RawQuery: "q=%zz", Template: "/{x}",
			Header: map[string][]string{"X-Latin": {"caf\xe9", ""}}, Ignored: []string{"X-Mine"},
		}))
		return said
	}
	e := child(t, "engine", process.Config{Name: "known by this name"})
	if got := e.About(); got.Name != "known by this name" || got.Version != "" {
		t.Errorf("before the first call: %+v", got)
	}
	for _, template := range []string{"/one", "/two", "/broken"} {
		here, err := fake{}.Load(engine.Operation{Method: "POST", Template: template, Source: []byte("{}")})
		if err != nil {
			if _, got := loaded(t, e, template).RequestBody("", nil); got == nil || got.Error() != err.Error() {
				t.Errorf("%s: error %v, want %v", template, got, err)
			}
			continue
		}
		if diff := cmp.Diff(asked(here), asked(loaded(t, e, template))); diff != "" {
			t.Errorf("%s (-in this process +in its own):\n%s", template, diff)
		}
	}
	if diff := cmp.Diff(engine.About{Name: "fake", Version: "v1.0.0"}, e.About()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCallsMayBeUnderWayAtOnce(t *testing.T) {
	t.Parallel()
	e := child(t, "engine", process.Config{})
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			s := loaded(t, e, fmt.Sprint("/", i%7))
			for j := range 5 {
				text := fmt.Sprint(i, " ", j)
				faults, err := s.ResponseBody(200, "", []byte(text))
				if err != nil || len(faults) != 1 || faults[0].Message != text || faults[0].Path[0] != fmt.Sprint("/", i%7) {
					t.Errorf("%s: %v %v", text, faults, err)
				}
			}
		})
	}
	group.Wait()
}

func TestWhatEndsAChildCostsItsVoteAndNoMore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"crash":  "exit status 2",
		"exit":   "it ended, or closed its output",
		"close":  "it ended, or closed its output",
		"hang":   "it took longer than 3s",
		"print":  "it sent an invalid answer",
		"memory": "it exceeded its memory limit",

		"memory at once": "ended",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			timeout := 20 * time.Second
			if text == "hang" {
				timeout = 3 * time.Second
			}
			e := child(t, "engine", process.Config{Timeout: timeout, Memory: 192 << 20, Ends: 2})
			s := loaded(t, e, "/one")
			for end := 1; end <= 2; end++ {
				if _, err := s.ResponseBody(200, "", []byte("fine")); err != nil {
					t.Fatalf("before end %d: %v", end, err)
				}
				if faults, err := s.RequestBody("", []byte(text)); err == nil {
					t.Fatalf("end %d: it said %v", end, faults)
				}
				if got := e.About().Failure; !strings.Contains(got, want) {
					t.Errorf("end %d: trouble %q, want %q", end, got, want)
				}
			}
			if _, err := s.ResponseBody(200, "", []byte("fine")); err == nil {
				t.Error("it was started again after as many ends as it may have")
			}
			if got := e.About(); !strings.HasSuffix(got.Failure, "ended 2 times, and was disabled") || got.Name != "fake" {
				t.Errorf("at last: %+v", got)
			}
		})
	}
}

func TestCallsBesideAHangHaveTheirAnswers(t *testing.T) {
	t.Parallel()
	e := child(t, "engine", process.Config{Timeout: 5 * time.Second})
	s := loaded(t, e, "/one")
	hung := make(chan error)
	go func() {
		_, err := s.RequestBody("", []byte("hang"))
		hung <- err
	}()
	for isHung := false; !isHung; {
		select {
		case err := <-hung:
			if err == nil {
				t.Error("a call that hangs had an answer")
			}
			isHung = true
		default:
			_, _ = s.ResponseBody(200, "", []byte("fine"))
			time.Sleep(time.Millisecond)
		}
	}
	if _, err := s.ResponseBody(200, "", []byte("fine")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestWhatIsNoEngineIsNotUsed(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]string{
		"another-version":   `it uses version "2" of the protocol, want 1`,
		"another-program":   "it is not an engine of understudy",
		"silent":            "it took longer than 1s",
		"ends-at-once":      "it did not send its greeting",
		"closes-its-output": "it did not send its greeting",
		"garbage":           "it sent an invalid answer",
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			timeout := 20 * time.Second
			if role == "silent" {
				timeout = time.Second
			}
			e := child(t, role, process.Config{Timeout: timeout, Ends: 1})
			if _, err := loaded(t, e, "/one").ResponseBody(200, "", []byte("fine")); err == nil {
				t.Error("it judged")
			}
			if got := e.About().Failure; !strings.Contains(got, want) {
				t.Errorf("trouble %q, want %q", got, want)
			}
		})
	}
	t.Run("no such file", func(t *testing.T) {
		t.Parallel()
		e := process.New(t.Context(), process.Config{Path: t.TempDir() + "/none"})
		if _, err := loaded(t, e, "/one").ResponseBody(200, "", nil); err == nil || e.About().Failure == "" {
			t.Errorf("error %v, trouble %q", err, e.About().Failure)
		}
	})
}

// pidOf returns the process id of a child.
func pidOf(t *testing.T, e engine.Engine) int {
	t.Helper()
	faults, err := loaded(t, e, "/one").RequestBody("", []byte("pid"))
	if err != nil || len(faults) != 1 {
		t.Fatal(faults, err)
	}
	pid, err := strconv.Atoi(faults[0].Message)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestNoChildSurvives(t *testing.T) {
	t.Parallel()
	wantGone := func(t *testing.T, pid int) { // not even as a zombie
		t.Helper()
		for range 500 {
			if syscall.Kill(pid, 0) == syscall.ESRCH {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("process %d is there still", pid)
	}
	t.Run("Close", func(t *testing.T) {
		t.Parallel()
		e := child(t, "engine", process.Config{})
		pid := pidOf(t, e)
		e.Close()
		wantGone(t, pid)
		if _, err := loaded(t, e, "/one").RequestBody("", nil); err == nil || e.About().Failure != "" {
			t.Errorf("after Close: error %v, trouble %q", err, e.About().Failure)
		}
	})
	t.Run("the end of its context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		e := process.New(ctx, process.Config{Path: os.Args[0], Args: []string{"engine"}})
		pid, s := pidOf(t, e), loaded(t, e, "/one")
		hung := make(chan error)
		go func() {
			_, err := s.RequestBody("", []byte("hang"))
			hung <- err
		}()
		cancel()
		if err := <-hung; err == nil || e.About().Failure != "" {
			t.Errorf("error %v, trouble %q", err, e.About().Failure)
		}
		wantGone(t, pid)
	})
	t.Run("a killed parent", func(t *testing.T) {
		t.Parallel()
		parent := exec.CommandContext(t.Context(), os.Args[0], "parent")
		out, err := parent.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = parent.Wait()
		wantOrphanGone(t, pid)
	})
}

// An engine may be a script that starts the program, and the program may leave the script's process group.
func TestAScriptEndsWithWhatItHasStarted(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"engine", "engine-elsewhere"} {
		script := process.Config{Path: "/bin/sh", Args: []string{"-c", `"$1" "$2"; :`, "sh", os.Args[0], role}}
		ends := func(t *testing.T, e *process.Engine, end func()) {
			t.Helper()
			pid, s := pidOf(t, e), loaded(t, e, "/one")
			hung := make(chan error, 1)
			go func() {
				_, err := s.RequestBody("", []byte("hang"))
				hung <- err
			}()
			end()
			select {
			case err := <-hung:
				if err == nil {
					t.Error("a call that hangs had an answer")
				}
			case <-time.After(10 * time.Second):
				t.Error("the call hangs still")
			}
			if role == "engine" {
				wantOrphanGone(t, pid)
			} else {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		t.Run(role+": when a call takes too long", func(t *testing.T) {
			t.Parallel()
			config := script
			config.Timeout = 2 * time.Second
			ends(t, process.New(t.Context(), config), func() {})
		})
		t.Run(role+": with its context", func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			ends(t, process.New(ctx, script), func() { time.Sleep(50 * time.Millisecond); cancel() })
		})
		t.Run(role+": with Close", func(t *testing.T) {
			t.Parallel()
			e := process.New(t.Context(), script)
			ends(t, e, e.Close)
		})
	}
}

// wantOrphanGone wants a process to have ended that has no parent here, so that what is left of it may be a zombie.
func wantOrphanGone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) == syscall.ESRCH || err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is there still", pid)
}
