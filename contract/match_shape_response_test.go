package contract_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"svc.example/understudy/contract"
)

func TestMatchShape(t *testing.T) {
	t.Parallel()
	for range 2 { // the same file for the same operation and status
		client, _, url := pools(t, onePool)
		response := get(t, client, url) //nolint:bodyclose // get does
		contract.MatchShape(t, response)
		if body, err := io.ReadAll(response.Body); err != nil || string(body) != onePool {
			t.Errorf("afterwards the body is %q, %v", body, err)
		}
	}
}

// A result is one JSON value a line, and a span of it may be cut anywhere.
func TestMatchShapeOfResults(t *testing.T) {
	t.Parallel()
	for status, body := range map[int]string{200: "[\"paid\",118]\n[\"shipped\",null]\n", 206: `d",118]`} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://core.svc.example/v3/job/result/9",
			nil)
		if err != nil {
			t.Fatal(err)
		}
		response := &http.Response{
			Request: request, StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(body)),
		}
		contract.MatchShape(t, response)
	}
}

func TestMatchShapeKeepsShapesWhereItIsTold(t *testing.T) {
	t.Parallel()
	shape, err := os.ReadFile("testdata/shapes/workflow.listPools.200_1.snap.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/workflow.listPools.200.one-pool_1.snap.json", shape, 0o600); err != nil {
		t.Fatal(err)
	}
	client, _, url := pools(t, onePool)
	response := get(t, client, url)
	defer response.Body.Close()
	contract.MatchShape(t, response, contract.WithShapeDir(dir), contract.WithShapeLabel("one pool"))
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the shape was looked for elsewhere: %v, %v", files, err)
	}
}

func TestMatchShapeFindsADifference(t *testing.T) {
	t.Parallel()
	if os.Getenv("UPDATE")+os.Getenv("UPDATE_SNAPS") != "" {
		t.Skip("shapes are being written anew")
	}
	client, _, url := pools(t, `{"pools":[{"id":1,"name":"default"}]}`)
	f := &erring{TB: t}
	contract.MatchShape(f, get(t, client, url)) //nolint:bodyclose // get does
	if f.errors != 1 || !strings.Contains(f.said, "write testdata/shapes/workflow.listPools.200_1.snap.json anew with UPDATE=1") {
		t.Errorf("%d errors, %s", f.errors, f.said)
	}
}

// A snapshot is never written in CI, which the library asks for when the process begins.
func TestMatchShapeSaysHowAMissingShapeIsWritten(t *testing.T) {
	t.Parallel()
	const inner = "UNDERSTUDY_TEST_SHAPE"
	if os.Getenv(inner) != "" {
		client, _, url := pools(t, onePool)
		contract.MatchShape(t, get(t, client, url), contract.WithShapeDir(t.TempDir())) //nolint:bodyclose // get does
		return
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), inner+"=1", "CI=true", "UPDATE_SNAPS=")
	out, err := again.CombinedOutput()
	for _, want := range []string{"match_shape_response_test.go:", "workflow.listPools.200_1.snap.json is missing", "UPDATE=1 go test"} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, said %s, want %s", err, out, want)
		}
	}
}

type erring struct {
	testing.TB
	errors int
	said   string
}

func (e *erring) Error(args ...any) {
	e.errors++
	e.said += fmt.Sprint(args...)
}
