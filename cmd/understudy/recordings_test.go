package main_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	understudy "svc.example/understudy/cmd/understudy"
	"svc.example/understudy/contract"
)

const exchangeLine = `{"request":{"method":"GET","url":"http://127.0.0.1:4010/workflow/api/pools","headers":[["Authorization","SVC1 1/a"]]},` +
	`"response":{"status":200,"headers":[["Content-Type","application/json"]],"body":{"text":"{\"pools\":[]}"}}}` + "\n"

// TestProgress runs check as in a terminal, with a recording that does not end before the bar is due.
func TestProgress(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env   []string
		shown bool
	}{
		"a terminal shows how far reading is":      {env: []string{"TERM=xterm", "CI="}, shown: true},
		"a build server's terminal shows nothing":  {env: []string{"TERM=xterm", "CI=true"}},
		"a terminal that cannot draw shows no bar": {env: []string{"TERM=dumb", "CI="}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "understudy", "check", "-")
			cmd.Env = append(os.Environ(), tt.env...)
			var drawn screen
			length := 1500 * time.Millisecond
			if tt.shown {
				length = time.Minute // at most: until the bar is there, however long the process takes to begin
			}
			cmd.Stdin = slowly(length, func() bool { return tt.shown && drawn.shows("exchanges, ") })
			var report bytes.Buffer
			cmd.Stdout = &report
			terminal, tty, err := openTerminal()
			if err != nil {
				t.Skip("this machine has no terminals: ", err)
			}
			defer terminal.Close()
			cmd.Stderr = tty
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = tty.Close()
			_, _ = io.Copy(&drawn, terminal) // ends with an error when the last writer has gone
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %s%s", err, report.String(), drawn.text.String())
			}
			if got := drawn.shows("exchanges, "); got != tt.shown {
				t.Errorf("a bar is shown: %v, want %v\n%q", got, tt.shown, drawn.text.String())
			}
			if strings.Contains(report.String(), "exchanges, ") {
				t.Errorf("the bar is in the report:\n%s", report.String())
			}
		})
	}
}

// A terminal shows how many scenarios learn has tried, once it has taken a second.
func TestTrialsAreWatched(t *testing.T) {
	t.Setenv("CI", "")
	t.Setenv("TERM", "xterm")
	terminal, tty, err := openTerminal()
	if err != nil {
		t.Skip("this machine has no terminals: ", err)
	}
	defer terminal.Close()
	calls := 0
	build, end := understudy.WatchTrials(tty, func(*contract.Learned) (none contract.Subject, err error) {
		calls++
		return none, nil
	})
	for range 2 {
		if _, err := build(nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
	}
	end()
	_ = tty.Close()
	var drawn screen
	_, _ = io.Copy(&drawn, terminal) // ends with an error when the last writer has gone
	if got := drawn.text.String(); calls != 2 || !strings.HasPrefix(got, "\r2 scenarios tried in 1s") ||
		!strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%d calls, and a terminal shows %q", calls, got)
	}
	var file bytes.Buffer
	build, end = understudy.WatchTrials(&file, func(*contract.Learned) (none contract.Subject, err error) { return none, nil })
	if _, err := build(nil); err != nil || file.Len() > 0 {
		t.Errorf("a file shows %q, %v", file.String(), err)
	}
	end()
}

// At a terminal the report ends with the outcome of the check, which is not repeated.
func TestVerdictIsToldOnce(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "understudy", "check", "-")
	cmd.Stdin = strings.NewReader(strings.Replace(exchangeLine, "api/pools", "api/ponds", 1))
	terminal, tty, err := openTerminal()
	if err != nil {
		t.Skip("this machine has no terminals: ", err)
	}
	defer terminal.Close()
	cmd.Stdout, cmd.Stderr = tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	var drawn screen
	_, _ = io.Copy(&drawn, terminal) // ends with an error when the last writer has gone
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("exit: %v", err)
	}
	if n := strings.Count(drawn.text.String(), "the recording violates the contract"); n != 1 {
		t.Errorf("the verdict is told %d times:\n%s", n, drawn.text.String())
	}
}

// Who interrupts a check is not kept waiting for standard input, and gets no report of what was read by then.
func TestInterruptedCheck(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"read once": nil, "read twice": {"--minimize", "minimal"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "understudy", append([]string{"check", "-o", "report.txt", "-"}, args...)...)
			cmd.Dir = t.TempDir()
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for range 4096 { // more than a pipe holds, so that the process is reading when all is written
				if _, err := io.WriteString(stdin, exchangeLine); err != nil {
					t.Fatal(err)
				}
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 2 || stderr.String() != "understudy: interrupted\n" {
				t.Errorf("exit: %v\n%s", err, stderr.String())
			}
			if files, _ := os.ReadDir(cmd.Dir); len(files) > 0 {
				t.Errorf("there is %v", files)
			}
		})
	}
}

// screen collects the output that a terminal shows.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) shows(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), text)
}

// slowly returns a recording that is written for a while, or until that is enough.
func slowly(length time.Duration, enough func() bool) io.Reader {
	r, w := io.Pipe()
	go func() {
		for end := time.Now().Add(length); time.Now().Before(end) && !enough(); time.Sleep(50 * time.Millisecond) {
			if _, err := io.WriteString(w, strings.Repeat(exchangeLine, 20)); err != nil {
				return
			}
		}
		_ = w.Close()
	}()
	return r
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.ndjson": exchangeLine, "deep/er/b.ndjson": exchangeLine + exchangeLine, "notes.txt": "remember the milk",
		"none/c.txt": "x",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		paths []string
		code  int
		says  string
	}{
		"a folder is all recordings below it":       {[]string{dir}, 0, "3 read: 3 matched"},
		"a file in a folder that is none is a note": {[]string{dir}, 0, "notes.txt:1 (byte 0): skipped: neither"},
		"a pattern is what it fits": {
			[]string{filepath.Join(dir, "**", "*.ndjson")},
			0,
			"3 read: 3 matched",
		},
		"a file that is named twice is read once": {
			[]string{dir, dir + "/a.ndjson", dir + "/deep/../a.ndjson"},
			0,
			"3 read: 3 matched",
		},
		"a named file that is no recording is an error": {
			[]string{dir + "/a.ndjson", dir + "/notes.txt"},
			2,
			"notes.txt:1 (byte 0): neither",
		},
		"a pattern that fits nothing is an error": {[]string{dir + "/a.ndjson", dir + "/*.har"}, 2, "no files to read"},
		"a folder without recordings is an error": {[]string{dir + "/a.ndjson", dir + "/none"}, 2, "contains no recording"},
		"a file that is not there is an error":    {[]string{dir + "/a.ndjson", dir + "/nowhere.har"}, 2, "file not found"},
		"standard input may be mentioned twice":   {[]string{"-", "-", dir + "/a.ndjson"}, 0, "1 read: 1 matched"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := command(t, append([]string{"check"}, tt.paths...)...)
			if code != tt.code || !strings.Contains(stdout+stderr, tt.says) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, tt.code, tt.says, stdout, stderr)
			}
		})
	}
}

func TestStandardInputCanBeReadAgain(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	c := &cobra.Command{}
	c.SetContext(t.Context())
	c.SetIn(strings.NewReader(exchangeLine + exchangeLine))
	source, done, err := understudy.Recordings(c, []string{"-"}, true)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		number := 0
		for item, err := range source.Items() {
			if number++; err != nil || item.Number != number || item.File != "standard input" {
				t.Errorf("item %+v, error %v", item, err)
			}
		}
		if number != 2 {
			t.Errorf("%d exchanges, want 2", number)
		}
	}
	done()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("what is left behind: %v, %v", left, err)
	}
}
