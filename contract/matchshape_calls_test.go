package contract_test

import (
	"io"
	"net/http"
	"os"
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
	if f.errors != 1 {
		t.Errorf("%d errors", f.errors)
	}
}

type erring struct {
	testing.TB
	errors int
}

func (e *erring) Error(...any) { e.errors++ }
