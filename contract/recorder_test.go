package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
)

// pools returns a server that has one pool, and a client that is recorded.
func pools(t *testing.T, body string) (*http.Client, *contract.Recorder, string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	recorder := contract.NewRecorder(server.Client().Transport)
	return &http.Client{Transport: recorder}, recorder, server.URL + "/workflow/api/pools"
}

const onePool = `{"pools":[{"id":"1","name":"default","concurrencyLimit":100,"default":true}]}`

// get asks for an address with a key. The body is closed when the test is over.
func get(t *testing.T, client *http.Client, url string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "SVC1 1/geheim")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// failing is a TB that keeps its messages.
type failing struct {
	testing.TB
	said strings.Builder
}

func (f *failing) Errorf(format string, args ...any) { fmt.Fprintf(&f.said, format, args...) }

func TestAssertConforms(t *testing.T) {
	t.Parallel()
	client, recorder, url := pools(t, onePool)
	var body map[string]any
	if err := json.NewDecoder(get(t, client, url).Body).Decode(&body); err != nil { //nolint:bodyclose // get does
		t.Fatal(err)
	}
	contract.AssertConforms(t, recorder)
}

func TestAssertConformsFailsATestWithAReport(t *testing.T) {
	t.Parallel()
	client, recorder, url := pools(t, `{"pools":[{"id":"1","name":"default","concurrencyLimit":"100","default":true}]}`)
	_, _ = io.Copy(io.Discard, get(t, client, url).Body) //nolint:bodyclose // get does
	f := &failing{TB: t}
	contract.AssertConforms(f, recorder)
	for _, want := range []string{"value must be an integer", "#1 GET /api/pools → 200", "workflow.yaml:"} {
		if !strings.Contains(f.said.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, f.said.String())
		}
	}
}

func TestAssertConformsFailsWhenNothingMatched(t *testing.T) {
	t.Parallel()
	client, recorder, url := pools(t, onePool)
	_, _ = io.Copy(io.Discard, get(t, client, strings.Replace(url, "/workflow/", "/flow/", 1)).Body) //nolint:bodyclose // get does
	f := &failing{TB: t}
	contract.AssertConforms(f, recorder)
	if !strings.Contains(f.said.String(), contract.ErrNothingMatched.Error()) {
		t.Errorf("said %q", f.said.String())
	}
}

func TestRecorderRecordsWithoutSecrets(t *testing.T) {
	t.Parallel()
	client, recorder, url := pools(t, onePool)
	url = strings.Replace(url, "/pools", "/projects/1/secrets/k", 1)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, strings.NewReader(`{"value":"geheim"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "SVC1 1/geheim")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(response.Body)
	if err != nil || string(got) != onePool {
		t.Errorf("the client sees %q, %v", got, err)
	}
	_ = response.Body.Close()
	var out bytes.Buffer
	n, err := recorder.WriteTo(&out)
	if err != nil || n != int64(out.Len()) || strings.Contains(out.String(), "geheim") {
		t.Errorf("%d bytes, %v: %s", n, err, out.String())
	}
	for item, err := range contract.Read("r", &out).Items() {
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"Authorization", "request.body.value"}, item.Redacted); diff != "" {
			t.Errorf("redacted (-want +got):\n%s", diff)
		}
		if item.Seq != 1 || item.Response.Status != 200 || string(item.Response.Body.Bytes) != onePool {
			t.Errorf("exchange %+v", item.Exchange)
		}
	}
}

func TestRecorderRecordsWhatGotNoAnswer(t *testing.T) {
	t.Parallel()
	recorder := contract.NewRecorder(roundTrip(func(*http.Request) (*http.Response, error) {
		return nil,
			io.ErrUnexpectedEOF
	}))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://h/", nil)
	if _, err := recorder.RoundTrip(request); err == nil { //nolint:bodyclose // there is none
		t.Error("no error")
	}
	if e := recorder.Exchanges()[0]; e.Response != nil || e.End.Before(e.Start) {
		t.Errorf("exchange %+v", e)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRecorderIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	client, recorder, url := pools(t, onePool)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("x"))
			response, err := client.Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			_ = recorder.Exchanges()
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		})
	}
	wg.Wait()
	list := recorder.Exchanges()
	for i, e := range list {
		if e.Seq != int64(i+1) || string(e.Request.Body.Bytes) != "x" || len(e.Response.Body.Bytes) != len(onePool) {
			t.Errorf("exchange %+v", e)
		}
	}
	if len(list) != 20 {
		t.Errorf("%d exchanges", len(list))
	}
}
