//go:build unix

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"svc.example/understudy/specs/recording"
)

// proxyBefore starts the proxy before a service.
func proxyBefore(t *testing.T, service string, args ...string) *process {
	t.Helper()
	return begin(t, "", "understudy", append([]string{
		"proxy", "--listen", "127.0.0.1:0", "--target", "workflow=" + service,
	}, args...)...)
}

// A client that is set to the mock notices no difference, and the recording can be checked.
func TestProxyStandsBeforeAService(t *testing.T) {
	t.Parallel()
	mock := serve(t)
	file := filepath.Join(t.TempDir(), "t.ndjson")
	p := proxyBefore(t, mock.ready.Interfaces["workflow"], "--target", "core="+mock.ready.Interfaces["core"], "--record",
		file, "--interface", "core=127.0.0.1:0")
	if len(p.ready.Interfaces) != 2 || !strings.HasSuffix(p.ready.Interfaces["core"], "/v3") ||
		strings.HasPrefix(p.ready.Interfaces["core"], p.ready.URL) {
		t.Errorf("the ready line has the interfaces %v", p.ready.Interfaces)
	}
	for _, url := range []string{
		p.ready.Interfaces["workflow"] + "/api/pools", p.ready.Interfaces["core"] + "/database/list",
	} {
		if status, answer := call(t, http.MethodGet, url, ""); status != http.StatusOK {
			t.Errorf("GET %s: %d %s", url, status, answer)
		}
	}
	p.stop(t)
	wantLines(t, file, 2)
	code, stdout, stderr := command(t, "check", file)
	if code != 0 || !strings.Contains(stdout, "2 read: 2 matched") {
		t.Errorf("check: exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestProxyOutsideThisMachineWantsAToken(t *testing.T) {
	t.Parallel()
	p := begin(t, "", "understudy", "proxy", "--listen", "0.0.0.0:0", "--target", "workflow=http://127.0.0.1:1")
	if status, answer := call(t, http.MethodGet, p.ready.Interfaces["workflow"]+"/api/pools", ""); status != 407 {
		t.Errorf("without a token: %d %s", status, answer)
	}
	p.stop(t)
	if !strings.Contains(p.stderr(t), "proxy: Proxy-Authorization: Bearer ") {
		t.Errorf("the token is not printed: %s", p.stderr(t))
	}
}

// TestKilledProxy kills the proxy under load. Every answer that a client got in full is in the recording, unless the
// disk kept the proxy waiting for so long that it went on without, which it says.
func TestKilledProxy(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		length := rand.IntN(100_000) //nolint:gosec // a size
		if length%2 == 0 {
			w.Header().Set("Content-Length", fmt.Sprint(length+len(r.URL.RawQuery)))
		}
		_, _ = io.WriteString(w, r.URL.RawQuery)
		_, _ = io.WriteString(w, strings.Repeat("x", length))
	}))
	t.Cleanup(service.Close)
	file := filepath.Join(t.TempDir(), "t.ndjson")
	var seen sync.Map
	excused := false
	for round := range 3 {
		var answered sync.Map
		p := proxyBefore(t, service.URL, "--record", file)
		ctx, cancel := context.WithCancel(t.Context())
		var clients sync.WaitGroup
		for client := range 8 {
			clients.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					id := fmt.Sprintf("id=%d-%d-%d", round, client, i)
					if isComplete(ctx, p.ready.Interfaces["workflow"]+"/api/pools?"+id) {
						answered.Store(id, true)
					}
				}
			})
		}
		time.Sleep(time.Duration(100+rand.IntN(200)) * time.Millisecond) //nolint:gosec // any moment
		_ = p.end(t, syscall.SIGKILL)
		cancel()
		clients.Wait()
		if strings.Contains(p.stderr(t), "exchanges are not recorded") {
			t.Logf("round %d: %s", round, p.stderr(t))
			excused = true
			continue
		}
		answered.Range(func(id, _ any) bool { seen.Store(id, true); return true })
	}
	proxyBefore(t, service.URL, "--record", file).stop(t) // takes off a line that was cut
	recorded := recordedQueries(t, file)
	answers := 0
	seen.Range(func(id, _ any) bool {
		if answers++; !recorded[id.(string)] {
			t.Errorf("the answer %s is not in the recording", id)
		}
		return true
	})
	if answers == 0 && !excused {
		t.Error("no client got an answer")
	}
	t.Logf("%d answers", answers)
}

// isComplete reports whether an answer came to its end.
func isComplete(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err == nil && response.StatusCode == http.StatusOK
}

// recordedQueries returns the queries in a recording.
func recordedQueries(t *testing.T, file string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	queries := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var e recording.Exchange
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		_, query, _ := strings.Cut(e.Request.URL, "?")
		queries[query] = true
	}
	return queries
}

func TestProxyRunsACommand(t *testing.T) {
	t.Parallel()
	mock := serve(t)
	file := filepath.Join(t.TempDir(), "t.ndjson")
	code, stdout, stderr := command(t, "proxy", "--listen", "127.0.0.1:0", "--record", file, "--target",
		"workflow="+mock.ready.Interfaces["workflow"], "--", "sh", "-c",
		`curl -s -H 'Authorization: SVC1 1/admin' "$UNDERSTUDY_WORKFLOW_URL/api/pools"; echo "core: $UNDERSTUDY_CORE_URL"`)
	if code != 0 || !strings.Contains(stdout, `"pools"`) || !strings.HasSuffix(stdout, "core: \n") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	wantLines(t, file, 1)
}
