package contract_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

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
