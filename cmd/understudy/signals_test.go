//go:build unix

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// keeping returns the arguments of a mock that keeps its state, and the file that it is kept in.
func keeping(t *testing.T) (args []string, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "state.json")
	return []string{"serve", "--listen", "127.0.0.1:0", "--log-level", "debug", "--state", file}, file
}

func (p *process) addPool(t *testing.T, name string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.ready.Interfaces["workflow"]+"/api/pools",
		strings.NewReader(fmt.Sprintf(`{"name":%q,"concurrencyLimit":1}`, name)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatal(answer.Status)
	}
}

// wantSaved waits for the end of the process, and wants a pool in the file of its state.
func (p *process) wantSaved(t *testing.T, file, pool string) {
	t.Helper()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v, want exit code 0", err)
	}
	if text, _ := os.ReadFile(file); !strings.Contains(string(text), `"name":"`+pool+`"`) {
		t.Errorf("the state has no pool %s", pool)
	}
}

func TestServerThatASignalEndsSavesItsState(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			args, file := keeping(t)
			p := begin(t, "", "understudy", args...)
			p.addPool(t, "late")
			if err := p.cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			if s == syscall.SIGHUP { // a closed terminal and its shell send one each
				time.Sleep(time.Millisecond)
				_ = p.cmd.Process.Signal(s)
			}
			p.wantSaved(t, file, "late")
		})
	}
}

func TestServerGoesOn(t *testing.T) {
	t.Parallel()
	t.Run("under nohup, after SIGHUP", func(t *testing.T) {
		t.Parallel()
		args, file := keeping(t)
		p := begin(t, "", "sh", append([]string{"-c", `trap '' HUP; exec understudy "$@"`, "sh"}, args...)...)
		_ = p.cmd.Process.Signal(syscall.SIGHUP)
		time.Sleep(100 * time.Millisecond)
		p.addPool(t, "late")
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.wantSaved(t, file, "late")
	})
	t.Run("when whoever read its standard error has gone", func(t *testing.T) {
		t.Parallel()
		args, file := keeping(t)
		reader, stderr, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p := &process{log: os.DevNull}
		p.start(t, "", stderr, "understudy", args...)
		_, _ = reader.Close(), stderr.Close()
		for i := range 3 { // each of which is logged
			p.addPool(t, fmt.Sprint("late-", i))
			time.Sleep(20 * time.Millisecond)
		}
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.wantSaved(t, file, "late-2")
	})
}
