package learn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/internal/sample"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// A scenario is learned of whatever is left of a recording, and can be loaded: what cannot is left out. EXCERPTS is the
// number of random excerpts, 20 by default.
func TestLearnExcerpts(t *testing.T) {
	if testing.Short() {
		t.Skip("it learns one recording after the other, which takes minutes under the race detector")
	}
	t.Parallel()
	n := mocktest.AtLeast(20, "EXCERPTS")
	recordings := storyRecordings(t)
	stories := len(recordings)
	random := checktest.New(t, append(checktest.ExampleBases(),
		contract.WithBaseURL(specs.Audience, "http://example.com/audience"))...)
	for i, name := range scenarios.List() {
		recordings = append(recordings, randomSession(t, name, 1000+i, sessionLength).Recorder.Exchanges())
	}
	chance := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		one := chance.IntN(len(recordings))
		checker, whole := checktest.Plain(t), recordings[one]
		if one >= stories {
			checker = random
		}
		from, to := chance.IntN(len(whole)), 1+chance.IntN(len(whole))
		var excerpt []*recording.Exchange
		switch i % 4 {
		case 0:
			excerpt = whole[from:]
		case 1:
			excerpt = whole[:to]
		case 2:
			excerpt = whole[from : from+1]
		default:
			for j, e := range whole {
				if (j+from)%3 != 0 {
					excerpt = append(excerpt, e)
				}
			}
		}
		t.Run(fmt.Sprintf("%d of %s", i, excerpt[0].Request.URL), func(t *testing.T) {
			t.Parallel()
			wantLoadable(t, checker, excerpt)
		})
	}
}

// wantLoadable wants that something is learned of exchanges, and that it loads.
func wantLoadable(t *testing.T, checker *contract.Checker, list []*recording.Exchange) {
	t.Helper()
	learned, err := checker.Learn(t.Context(), contract.Exchanges(slices.Values(list)), checktest.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := checktest.Build(t)(learned)
	if err != nil {
		t.Fatalf("%v\n%s", err, learned.Scenario)
	}
	subject.Close()
}

// storyRecordings returns what is recorded of the stories, each played with its own scenario.
func storyRecordings(t *testing.T) (recordings [][]*recording.Exchange) {
	t.Helper()
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			story.Run(t, filepath.Join("..", "..", "..", "scenarios", name, "story.txtar"), func() (story.Server, error) {
				var s checktest.Session
				h := s.Handler(mocktest.NewServer(t, mockserver.WithScenario(name), mockserver.WithQueryEngine(sqlite.New())))
				return story.Server{Handler: h, Close: func() {
					recordings = append(recordings, s.Recorder.Exchanges())
				}}, nil
			})
		})
	}
	return slices.DeleteFunc(recordings, func(list []*recording.Exchange) bool { return len(list) == 0 })
}

// A scenario is learned of each single exchange of an operation that its document allows, though nothing else is known
// of what its answer refers to.
func TestLearnSingleExchanges(t *testing.T) {
	if testing.Short() {
		t.Skip("it learns one recording after the other, which takes minutes under the race detector")
	}
	t.Parallel()
	recorded, samples := slices.Concat(storyRecordings(t)...), 1
	if os.Getenv("EXCERPTS") != "" {
		samples = 3
	}
	for _, name := range specs.Interfaces() {
		doc, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		for _, operation := range doc.Operations {
			t.Run(operation.Name(), func(t *testing.T) {
				t.Parallel()
				for _, e := range recorded {
					_, at, _ := strings.Cut(e.Request.URL, "/"+string(name)+doc.BasePath)
					at, _, _ = strings.Cut(at, "?")
					if doc.Find(e.Request.Method, at).Operation == operation {
						wantLoadable(t, checktest.Plain(t), []*recording.Exchange{e})
						break
					}
				}
				for seed := range uint64(samples) {
					if e, err := sampleExchange(t, operation, seed); err == nil {
						wantLoadable(t, checktest.Plain(t), e)
					} else if !strings.Contains(err.Error(), `the format "date-time"`) { // of which the examples have another form
						t.Error(err)
					}
				}
			})
		}
	}
}

// sampleExchange returns a recording of one exchange with an operation: samples of a request and of a success.
func sampleExchange(t *testing.T, operation *specs.Operation, seed uint64) (list []*recording.Exchange, err error) {
	t.Helper()
	text := func(schema *openapi3.SchemaRef, place string, direction accept.Direction) string {
		if schema == nil {
			return ""
		}
		maker := sample.Maker{Direction: direction, Seed: seed, Place: operation.Name() + place, Plain: seed == 0}
		value, makeErr := maker.Of(schema.Value)
		encoded, encodeErr := json.Marshal(value)
		err = errors.Join(err, makeErr, encodeErr)
		return string(encoded)
	}
	path := operation.Path
	for _, p := range operation.Parameters {
		if p.Value.In == "path" {
			value := strings.Trim(text(p.Value.Schema, p.Value.Name, accept.Request), `"`)
			path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", url.PathEscape(value))
		}
	}
	body := ""
	if r := operation.Spec.RequestBody; r != nil && r.Value.Content["application/json"] != nil {
		body = text(r.Value.Content["application/json"].Schema, " request", accept.Request)
	}
	var s checktest.Session
	h := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for status, answer := range operation.Spec.Responses.Map() {
			code, err := strconv.Atoi(status)
			if err != nil || code/100 != 2 {
				continue
			}
			for media, content := range answer.Value.Content {
				if strings.Contains(media, "json") {
					w.Header().Set("Content-Type", media)
					w.WriteHeader(code)
					_, _ = w.Write([]byte(text(content.Schema, " answer", accept.Response)))
					return
				}
			}
			w.WriteHeader(code)
		}
	}))
	r := httptest.NewRequestWithContext(t.Context(), operation.Method,
		"http://127.0.0.1/"+string(operation.Interface)+operation.Document.BasePath+path, strings.NewReader(body))
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(httptest.NewRecorder(), r)
	return s.Recorder.Exchanges(), err
}
