package mocktest

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// AtLeast returns a number in the environment, or a smaller one.
func AtLeast(n int, variable string) int {
	given, _ := strconv.Atoi(os.Getenv(variable))
	return max(n, given)
}

// ProjectArchive returns a project with n workflows, as it is uploaded.
func ProjectArchive(t *testing.T, n int, definition string) string {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for i := range n {
		header := &tar.Header{Name: fmt.Sprintf("w%d.dig", i), Mode: 0o600, Size: int64(len(definition))}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		_, _ = archive.Write([]byte(definition))
	}
	if archive.Close() != nil || zipped.Close() != nil {
		t.Fatal("the archive cannot be written")
	}
	return out.String()
}

// Allocated returns how many bytes the process has allocated since it began.
func Allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// OwnWorkflow writes our document of the workflow interface, changed, to a file.
func OwnWorkflow(t *testing.T, replace ...string) string {
	t.Helper()
	source, err := specs.Source(specs.Workflow, "")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replace); i += 2 {
		if !bytes.Contains(source, []byte(replace[i])) {
			t.Fatalf("the document has no %q", replace[i])
		}
	}
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte(strings.NewReplacer(replace...).Replace(string(source))), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// StartPrism starts a Prism at a port of its own choice. The channel gives its address as soon as it listens.
func StartPrism(t *testing.T, program, document, upstream string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := exec.CommandContext(ctx, program, "proxy", document, upstream, "--host", "127.0.0.1", "--port", "0")
	printed, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	var reading routine.Group
	reading.Go(func() error {
		defer close(listening)
		for lines := bufio.NewScanner(printed); lines.Scan(); {
			if _, address, isThere := strings.Cut(lines.Text(), "listening on "); isThere {
				listening <- address
				break
			}
		}
		_, _ = io.Copy(io.Discard, printed)
		return nil
	})
	t.Cleanup(func() { cancel(); _ = reading.Wait(); _ = c.Wait() })
	return listening
}

// Plan plans a fault that is written in words.
func Plan(t *testing.T, w *mockserver.World, text string) *mockserver.PlannedFault {
	t.Helper()
	f, err := fixtures.ParseFault(text)
	if err != nil {
		t.Fatal(err)
	}
	planned, err := w.Fault(f)
	if err != nil {
		t.Fatal(err)
	}
	return planned
}

// Statuses calls a handler so many times and returns the statuses.
func Statuses(t *testing.T, handler http.Handler, n int, method, target, body string) (list []int) {
	t.Helper()
	for range n {
		list = append(list, Call(t, handler, method, target, body).Status)
	}
	return list
}

// OnePool is the path of a pool that every scenario has.
const OnePool = "/workflow/api/pools/1"

// LastExchange returns the last exchange of the default world.
func LastExchange(t *testing.T, s *mockserver.Server) recording.Exchange {
	t.Helper()
	journal, err := s.World("").Journal()
	if err != nil || len(journal) == 0 {
		t.Fatalf("the journal has %d exchanges, error %v", len(journal), err)
	}
	return journal[len(journal)-1]
}

// Modern is a document in OpenAPI 3.1, one of whose examples is wrong, as they often are.
const Modern = `openapi: 3.1.0
info: {title: Pools, version: "1"}
paths:
  /api/pools:
    get:
      operationId: listPools
      responses:
        "200":
          description: all pools
          content: {application/json: {schema: {type: object}, example: 7}}
    post:
      operationId: createPool
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name, concurrencyLimit]
              properties:
                name: {type: string}
                concurrencyLimit: {type: integer, exclusiveMinimum: 0}
                note: {type: [string, "null"]}
      responses:
        "201": {description: the pool, content: {application/json: {schema: {type: object}}}}
        "400": {description: a refusal, content: {application/json: {schema: {type: object}}}}
`

// Keyed is a client that knows nothing of worlds: only its key.
type Keyed struct{ Key string }

// Do sends JSON to an address, and returns the status and the body of what comes back.
func (c Keyed) Do(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	r.Header.Set("Authorization", "SVC1 "+c.Key)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	var b bytes.Buffer
	_, _ = b.ReadFrom(response.Body)
	return response.StatusCode, b.String()
}
