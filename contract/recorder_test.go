package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// pools is a server that has one pool, and a client that is recorded.
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

func TestRecorderKeepsStreamsStreams(t *testing.T) {
	t.Parallel()
	next := make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		for text := range next {
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
		}
	}))
	defer server.Close()
	over := sync.OnceFunc(func() { close(next) }) // also when the test fails, or the server would wait for its handler
	defer over()
	recorder := contract.NewRecorder(server.Client().Transport)       // the default one, others may close connections of
	response := get(t, &http.Client{Transport: recorder}, server.URL) //nolint:bodyclose // get does
	for _, text := range []string{"one", "two"} {
		next <- text
		b := make([]byte, 3)
		if _, err := io.ReadFull(response.Body, b); err != nil || string(b) != text {
			t.Fatalf("read %q, %v", b, err)
		}
	}
	body := func() *recording.Body { return recorder.Exchanges()[0].Response.Body }
	if diff := cmp.Diff(&recording.Body{Bytes: []byte("onetwo"), Truncated: true}, body()); diff != "" {
		t.Errorf("while it runs (-want +got):\n%s", diff)
	}
	over()
	_, _ = io.Copy(io.Discard, response.Body)
	if diff := cmp.Diff(&recording.Body{Bytes: []byte("onetwo")}, body()); diff != "" {
		t.Errorf("when it is over (-want +got):\n%s", diff)
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

// lazy is a transport that reads a little of a request's body and refuses it.
type lazy struct{}

func (lazy) RoundTrip(request *http.Request) (*http.Response, error) {
	_, _ = io.ReadFull(request.Body, make([]byte, 10))
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: 413, Header: header, Body: io.NopCloser(strings.NewReader("{}")), ContentLength: 2},
		nil
}

func TestRecorderTellsTheSizeOfABodyThatWasNotRead(t *testing.T) {
	t.Parallel()
	recorder := contract.NewRecorder(lazy{})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		"https://ingestion.svc.example/postback/v3/event/shop/orders", strings.NewReader(strings.Repeat(" ", 1_048_065)))
	if err != nil {
		t.Fatal(err)
	}
	response, err := recorder.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	var line bytes.Buffer
	if _, err := recorder.WriteTo(&line); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(line.String(), `["Content-Length","1048065"]`) ||
		!strings.Contains(line.String(), `"truncated":true`) {
		t.Errorf("recorded %s", line.String())
	}
	for _, r := range checked(t, contract.Read("line", &line)).Rules {
		if r.ID == "ingestion-size" && r.Pass != 1 {
			t.Errorf("%+v", r)
		}
	}
}

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
