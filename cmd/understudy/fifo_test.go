//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func makeFIFO(t *testing.T, path string) string {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A scenario that turns into something that never ends is wrong, and the server still watches, and ends.
func TestWatchDoesNotWaitForFilesThatNeverEnd(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(t *testing.T, path string){
		"FIFO":   func(t *testing.T, path string) { t.Helper(); makeFIFO(t, path) },
		"device": func(t *testing.T, path string) { t.Helper(); _ = os.Symlink("/dev/zero", path) },
		"loop":   func(t *testing.T, path string) { t.Helper(); _ = os.Symlink(filepath.Base(path), path) },
		"socket": func(t *testing.T, path string) {
			t.Helper()
			socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err == nil {
				t.Cleanup(func() { _ = syscall.Close(socket) })
				err = syscall.Bind(socket, &syscall.SockaddrUnix{Name: path})
			}
			if err != nil {
				t.Skip("this system's paths of sockets are shorter: ", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watch(t)
			if err := os.Remove(w.file); err != nil {
				t.Fatal(err)
			}
			replace(t, w.file)
			w.logged(t, "the changed files are wrong")
			_ = os.Remove(w.file)
			w.save(t, "second")
			w.logged(t, "correct again")
			if !w.hasPool(t, "second") {
				t.Error("the scenario that was corrected is not in use")
			}
			w.stop(t)
		})
	}
}

// A FIFO beside a scenario's files is not waited for either: as its data, or a story, or in a folder of casts.
func TestScenarioWithFIFO(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"story.txtar":  "description: Mine.\n",
		"rows.csv":     "core: {databases: [{name: shop, tables: [{name: rows, schema: [[a, long]], records: {file: rows.csv}}]}]}\n",
		"records.json": "core: {databases: [{name: shop, tables: [{name: rows, schema: [[a, long]], records: {file: records.json}}]}]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "mine")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			makeFIFO(t, filepath.Join(folder, name))
			if err := os.WriteFile(filepath.Join(folder, "scenario.yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := command(t, "scenarios", "check", folder)
			if text := stdout + stderr; code == 0 || !strings.Contains(text, name+" is a FIFO: want") {
				t.Errorf("exit code %d\n%s", code, text)
			}
		})
	}
}

// A file that changes without a pause does not keep others from being read.
func TestWatchBesideAFileThatGrows(t *testing.T) {
	t.Parallel()
	w := watch(t)
	log, err := os.Create(filepath.Join(filepath.Dir(w.file), "test.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				_, _ = log.WriteString("one more line\n")
			}
		}
	})
	defer group.Wait()
	defer close(stop)
	w.save(t, "second")
	for range 100 {
		if w.hasPool(t, "second") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("the scenario was not read again in ten seconds")
}

// What is to be read as a whole is refused if nobody knows when it ends.
func TestFIFOsAreRefused(t *testing.T) {
	t.Parallel()
	fifo := makeFIFO(t, filepath.Join(t.TempDir(), "fifo.yaml"))
	for _, args := range [][]string{
		{"serve", "--scenario", fifo, "--listen", "127.0.0.1:0"},
		{"serve", "--spec", "core=" + fifo, "--listen", "127.0.0.1:0"},
		{"serve", "--control-token-file", fifo, "--listen", "127.0.0.1:0"},
		{"serve", "--state", fifo, "--listen", "127.0.0.1:0"},
		{"check", "--baseline", fifo, "x.har"},
		{"check", "--spec", "core=" + fifo, "x.har"},
		{"check", "--config", fifo, "x.har"},
		{"play", fifo, "--url", "http://127.0.0.1:1"},
		{"play", "x.txtar", "--key-file", fifo, "--url", "http://127.0.0.1:1"},
		{"scenarios", "check", fifo},
		{"state", "show", fifo},
		{"proxy", "--listen", "127.0.0.1:0", "--target", "core=https://core.example", "--upstream-ca", fifo},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := command(t, args...)
			if text := stdout + stderr; code != 2 || !strings.Contains(text, "regular file") || !strings.Contains(text, fifo) {
				t.Errorf("exit code %d\n%s", code, text)
			}
		})
	}
}

// A recording may come out of a FIFO, also where it is read twice, and whoever waits for one can be interrupted.
func TestRecordingsInFIFOs(t *testing.T) {
	t.Parallel()
	recording := filepath.Join(t.TempDir(), "traffic.ndjson")
	mock := serve(t, "--clock", "frozen", "--record", recording) // or compare runs the schedules of months
	call(t, "GET", mock.ready.Interfaces["workflow"]+"/api/pools", "")
	mock.stop(t)
	text, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check"}, {"compare", "--scenario", "quickstart"}, {"learn", "--out", filepath.Join(t.TempDir(), "learned")},
	} {
		t.Run(args[0]+" reads one", func(t *testing.T) {
			t.Parallel()
			fifo := makeFIFO(t, filepath.Join(t.TempDir(), "fifo.ndjson"))
			go func() { _ = os.WriteFile(fifo, text, 0o600) }()
			if code, stdout, stderr := command(t, append(args, fifo)...); code != 0 {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
		})
		t.Run(args[0]+" is interrupted", func(t *testing.T) {
			t.Parallel()
			fifo := makeFIFO(t, filepath.Join(t.TempDir(), "fifo.ndjson"))
			wantInterrupted(t, append(args, fifo)...)
		})
	}
	t.Run("coverage is interrupted", func(t *testing.T) {
		t.Parallel()
		wantInterrupted(t, "coverage", makeFIFO(t, filepath.Join(t.TempDir(), "fifo.json")))
	})
}

// wantInterrupted runs a command that does not end by itself, until SIGTERM. A command that had not come so far as to
// wait for signals runs again, for longer.
func wantInterrupted(t *testing.T, args ...string) {
	t.Helper()
	for wait := 500 * time.Millisecond; ; wait *= 2 {
		cmd := exec.CommandContext(t.Context(), "understudy", args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		late.Stop()
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		switch isEarly := status.Signal() == syscall.SIGTERM; {
		case isEarly && wait < 10*time.Second:
			continue
		case cmd.ProcessState.ExitCode() != 2:
			t.Errorf("after SIGTERM it ends with %v, want exit code 2", err)
		}
		return
	}
}
