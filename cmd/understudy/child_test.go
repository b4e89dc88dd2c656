//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// runAround runs a shell script around which a mock is served.
func runAround(t *testing.T, script string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	args = append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)
	return command(t, append(args, "--", "sh", "-c", script)...)
}

func TestCommandAroundWhichTheMockIsServed(t *testing.T) {
	t.Parallel()
	t.Run("is told the addresses", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := runAround(t, `echo "$UNDERSTUDY_URL $UNDERSTUDY_CORE_URL $UNDERSTUDY_WORKFLOW_URL"
			curl -s "$UNDERSTUDY_CONTROL_URL/health"`)
		first, rest, _ := strings.Cut(stdout, "\n")
		words := strings.Fields(first)
		if code != 0 || len(words) != 3 || words[1] != words[0]+"/core/v3" || words[2] != words[0]+"/workflow" ||
			!strings.HasPrefix(rest, `{"status":"ok"`) {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
	})
	t.Run("trusts the CA", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := commandIn(t, t.TempDir(), "serve", "--listen", "127.0.0.1:0", "--tls", "--", "sh", "-c",
			`for f in "$SSL_CERT_FILE" "$CURL_CA_BUNDLE" "$GIT_SSL_CAINFO"; do grep -c BEGIN "$f"; done`)
		if code != 0 || stdout != "1\n1\n1\n" {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
	})
	for name, tt := range map[string]struct {
		command []string
		code    int
		says    string
	}{
		"its exit code is ours":         {[]string{"sh", "-c", "exit 7"}, 7, ""},
		"a signal that ended it counts": {[]string{"sh", "-c", "kill -9 $$"}, 137, "was ended by a signal: killed"},
		"it is not found":               {[]string{"no-such-command"}, 127, `"no-such-command": executable file not found`},
		"it cannot be started":          {[]string{os.TempDir()}, 126, "run the command " + os.TempDir()},
		"there is none":                 {nil, 2, "want a command after --"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--"}, tt.command...)
			code, stdout, stderr := command(t, args...)
			if code != tt.code || stdout != "" || !strings.Contains(stderr, tt.says) || tt.says == "" && stderr != "" {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, tt.code, tt.says, stdout, stderr)
			}
		})
	}
	t.Run("what it leaves running is ended", func(t *testing.T) {
		t.Parallel()
		_, stdout, _ := runAround(t, `sleep 100 >&- 2>&- & echo $!`)
		wantGone(t, stdout)
	})
	t.Run("the recording is complete when it has ended", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "t.ndjson")
		code, _, stderr := runAround(t, `for i in 1 2 3; do
			curl -s -H 'Authorization: SVC1 1/admin' "$UNDERSTUDY_WORKFLOW_URL/api/pools"; done`, "--record", file)
		if code != 0 {
			t.Errorf("exit code %d: %s", code, stderr)
		}
		wantLines(t, file, 3)
	})
}

func TestSignalsReachTheCommand(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			cmd, lines := startAround(t, `trap 'echo caught; exit 9' INT TERM HUP USR1; echo ready; while :; do sleep 0.01; done`)
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			if line, err := lines.ReadString('\n'); line != "caught\n" {
				t.Errorf("the command says %q, %v", line, err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 9 {
				t.Errorf("exit: %v, want 9", err)
			}
		})
	}
}

// The server stays until the command has ended, however long that takes after the signal.
func TestServerOutlivesItsCommand(t *testing.T) {
	t.Parallel()
	cmd, lines := startAround(t, `trap 'sleep 0.3; curl -s "$UNDERSTUDY_CONTROL_URL/health"; exit 0' TERM; echo ready
		while :; do sleep 0.01; done`, "--drain-time", "0s")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(lines); !strings.HasPrefix(string(text), `{"status":"ok"`) {
		t.Errorf("the command got %q, %v", text, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A process that is killed leaves no command behind, where the system can see to it.
func TestKilledServerLeavesNoCommand(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("only Linux ends a command with its parent")
	}
	cmd, lines := startAround(t, `echo ready; echo $$; exec sleep 100`)
	pid, _ := lines.ReadString('\n')
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	wantGone(t, pid)
}

// Ctrl-C reaches a command on a terminal once.
func TestTerminalSignalsTheCommandOnce(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "understudy", "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--",
		"sh", "-c", `trap 'echo caught' INT; echo ready; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.1; done; exit 5`)
	terminal, tty, err := openTerminal()
	if err != nil {
		t.Skip("this machine has no terminals: ", err)
	}
	defer terminal.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	lines := bufio.NewReader(terminal)
	if line, err := lines.ReadString('\n'); line != "ready\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	_, _ = terminal.Write([]byte{3})
	text, _ := io.ReadAll(lines) // ends with an error when the last writer has gone
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 5 || bytes.Count(text, []byte("caught")) != 1 {
		t.Errorf("exit %v, want 5 and one signal: %q", err, text)
	}
}

// startAround starts a script that says ready.
func startAround(t *testing.T, script string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	args = append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)
	cmd := exec.CommandContext(t.Context(), "understudy", append(args, "--", "sh", "-c", script)...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the command says %q, %v", line, err)
	}
	return cmd, lines
}

// wantGone waits until a process has ended.
func wantGone(t *testing.T, pid string) {
	t.Helper()
	number, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if isGone(number) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d still runs", number)
}

// isGone reports whether a process has ended, also when nobody has waited for it.
func isGone(pid int) bool {
	if status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		_, rest, _ := bytes.Cut(status, []byte(") "))
		return bytes.HasPrefix(rest, []byte("Z"))
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
