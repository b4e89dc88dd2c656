package contract_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// answers returns a recording of answers to GET /api/pools/{n}, by the JSON of their bodies.
func answers(bodies ...string) contract.Source {
	var list []*recording.Exchange
	for i, body := range bodies {
		list = append(list, &recording.Exchange{
			Request: recording.Request{Method: http.MethodGet, URL: fmt.Sprint("https://workflow.svc.example/api/pools/", i)},
			Response: &recording.Response{
				Status: http.StatusOK, Headers: recording.Headers{{"Content-Type", "application/json"}},
				Body: &recording.Body{Bytes: []byte(body), Truncated: strings.HasSuffix(body, "…")},
			},
		})
	}
	return contract.Exchanges(slices.Values(list))
}

func TestMatchShapes(t *testing.T) {
	t.Parallel()
	if os.Getenv("CI") != "" {
		t.Skip("shapes are not written in CI")
	}
	dir := t.TempDir()
	source := answers(`{"id":"1","name":"a","default":true}`, `{"id":"2","name":null}`, `{"id":`+"…")
	contract.MatchShapes(t, source, contract.WithShapeDir(dir))
	got, err := os.ReadFile(filepath.Join(dir, "workflow.getPool.200_1.snap.json"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "{\n \"default?\": \"boolean\",\n \"id\": \"string\",\n \"name\": \"null|string\"\n}"
	if diff := cmp.Diff(want, strings.TrimSpace(string(got))); diff != "" {
		t.Errorf("the shape of all answers, but the one that is cut (-want +got):\n%s", diff)
	}
}

func TestMatchShapesFindsADifference(t *testing.T) {
	t.Parallel()
	if os.Getenv("UPDATE")+os.Getenv("UPDATE_SNAPS") != "" {
		t.Skip("shapes are being written anew")
	}
	dir := t.TempDir()
	shape := filepath.Join(dir, "workflow.getPool.200_1.snap.json")
	if err := os.WriteFile(shape, []byte("{\n \"id\": \"string\"\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &erring{TB: t}
	contract.MatchShapes(f, answers(`{"id":"1"}`), contract.WithShapeDir(dir))
	if f.errors != 0 {
		t.Errorf("%d errors for what fits", f.errors)
	}
	contract.MatchShapes(f, answers(`{"id":"1"}`, `{"id":2}`), contract.WithShapeDir(dir))
	if f.errors != 1 {
		t.Errorf("%d errors for what does not, want 1", f.errors)
	}
}

// fatal is a TB that ends its test's goroutine on a fatal error, and keeps what it said.
type fatal struct {
	testing.TB
	said chan string
}

func (f *fatal) Fatalf(format string, args ...any) {
	f.said <- fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestMatchShapesWantsSomething(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		source contract.Source
		want   string
	}{
		"nothing":        {answers(), contract.ErrNothingMatched.Error()},
		"cut answers":    {answers(`{"id":` + "…"), contract.ErrNothingMatched.Error()},
		"no recording":   {contract.Read("prose.txt", strings.NewReader("prose")), "prose.txt:1"},
		"a broken body":  {answers(`{"id":}`), "workflow.getPool"},
		"a broken input": {contract.Read("pipe", failingReader{}), io.ErrClosedPipe.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fatal{TB: t, said: make(chan string, 1)}
			go contract.MatchShapes(f, tt.source)
			if said := <-f.said; !strings.Contains(said, tt.want) {
				t.Errorf("said %q, want %q", said, tt.want)
			}
		})
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }
