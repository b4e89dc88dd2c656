package mockserver_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/specs"
)

// witness is a mock with a brand. Nothing that it lets out may have the neutral word.
type witness struct {
	*testing.T
	server         *mockserver.Server
	world          string // that requests go to; empty: whichever they choose
	log, recording *output
	granted        map[string]bool // operations that have answered with success
}

const brandWord = "XY"

func newWitness(t *testing.T, scenario string) *witness {
	t.Helper()
	w := &witness{T: t, log: &output{}, recording: &output{}, granted: map[string]bool{}}
	w.server = mocktest.NewServer(t, mockserver.WithScenario(scenario), mockserver.WithBrand(brandWord),
		mockserver.WithQueryEngine(sqlite.New()), mockserver.WithJournalLimit(256<<20), mockserver.WithRecording(w.recording),
		mockserver.WithLogger(slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	return w
}

// output collects what several goroutines write.
type output struct {
	sync.Mutex
	bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	o.Lock()
	defer o.Unlock()
	return o.Buffer.Write(b)
}

// in is the same mock in a fork of its world, which goes when the function returns.
func (w *witness) in(do func(*witness)) {
	w.Helper()
	fork := w.server.World("").Fork()
	defer func() {
		w.control("/_understudy/worlds/" + fork.ID())
		if err := fork.Delete(); err != nil {
			w.Error(err)
		}
	}()
	other := *w
	other.world = fork.ID()
	do(&other)
}

// ServeHTTP serves a request, in the brand's words, and looks at the answer.
func (w *witness) ServeHTTP(into http.ResponseWriter, r *http.Request) {
	w.Helper()
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "SVC1 "); ok {
		r.Header.Set("Authorization", brandWord+"1 "+key)
	}
	if w.world != "" {
		r.Header.Set("X-Understudy-World", w.world)
	}
	recorder := httptest.NewRecorder()
	w.server.ServeHTTP(recorder, r)
	what := r.Method + " " + r.URL.RequestURI()
	w.clean("the headers of "+what, fmt.Appendf(nil, "%q", recorder.Header()))
	w.clean("the answer to "+what, recorder.Body.Bytes())
	maps.Copy(into.Header(), recorder.Header())
	into.WriteHeader(recorder.Code)
	_, _ = into.Write(recorder.Body.Bytes())
	if path, ok := strings.CutPrefix(r.URL.Path, "/"); ok && recorder.Code < 300 {
		w.grant(r.Method, path)
	}
}

func (w *witness) grant(method, path string) {
	iface, path, _ := strings.Cut(path, "/")
	doc, err := specs.Load(specs.Interface(iface), brandWord)
	if err != nil {
		return // the control interface
	}
	if path, below := strings.CutPrefix("/"+path, doc.BasePath); below {
		if operation := doc.Find(method, path).Operation; operation != nil {
			w.granted[operation.Name()] = true
		}
	}
}

// clean fails the test when a text, packed perhaps, has the neutral word.
func (w *witness) clean(what string, text []byte) {
	w.Helper()
	if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		if text, err = io.ReadAll(z); err != nil {
			w.Errorf("%s: %v", what, err)
		}
	}
	lower := bytes.ToLower(text)
	for at := 0; ; at += len("svc") {
		next := bytes.Index(lower[at:], []byte("svc"))
		if next < 0 {
			return
		}
		if at += next; !isPacked(lower, at) {
			w.Errorf("%s has the neutral word: …%s…", what, text[max(0, at-60):min(len(text), at+60)])
			return
		}
	}
}

// isPacked reports whether an index lies in what looks like base64, where three letters mean nothing.
func isPacked(lower []byte, at int) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789+/"
	begin, end := len(bytes.TrimRight(lower[:at], letters)), len(lower)-len(bytes.TrimLeft(lower[at:], letters))
	return end-begin >= 20
}

// control looks at all that the control interface says of a world.
func (w *witness) control(path string) {
	w.Helper()
	for _, name := range []string{
		"/journal", "/journal.har", "/journal.ndjson", "/journal/counts", "/state", "/clock", "/checkpoints", "/jobs/results",
		"/chats/turns", "/ingestion/failures",
	} {
		mocktest.Call(w.T, w, "GET", path+name, "").Want(200)
	}
}

// finish looks at everything else that the mock has written.
func (w *witness) finish() {
	w.Helper()
	w.control("/_understudy/worlds/default")
	for _, path := range []string{"/worlds", "/coverage", "/health"} {
		mocktest.Call(w.T, w, "GET", "/_understudy"+path, "").Want(200)
	}
	for _, iface := range append(specs.Interfaces(), specs.Control) {
		mocktest.Call(w.T, w, "GET", string("/_understudy/specs/"+iface+".yaml"), "").Want(200)
	}
	w.clean("the log", w.log.Bytes())
	w.clean("the recording", w.recording.Bytes())
}
