package main_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/manual"
	"svc.example/understudy/specs/recording"
)

// habit is something that client libraries do to a request, and that makes no difference to the platform. Apply changes
// a copy of a request; it reports false where the habit does not concern the operation.
type habit struct {
	name  string
	apply func(op *specs.Operation, r *wire) bool
}

// explicit gives a request the boolean parameters that it leaves out.
func explicit(op *specs.Operation, r *wire) {
	for _, p := range queryParameters(op) {
		if p.Schema.Value.Type.Is("boolean") && !r.query.Has(p.Name) {
			r.query.Set(p.Name, "true")
		}
	}
}

// withSlashes is the habit of joining addresses and paths with slashes too many.
func withSlashes(join func(op *specs.Operation, path string) string) func(*specs.Operation, *wire) bool {
	return func(op *specs.Operation, r *wire) bool {
		r.path = join(op, r.path)
		return true
	}
}

// behind puts one more slash behind the beginning of a path.
func behind(path, beginning string) string {
	return beginning + "/" + strings.TrimPrefix(path, beginning)
}

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

// The habits of clients, each tried on every operation that it can concern.
var habits = []habit{
	{"a trailing slash", func(_ *specs.Operation, r *wire) bool {
		if path, found := strings.CutSuffix(r.path, "/"); found {
			r.path = path
		} else {
			r.path += "/"
		}
		return true
	}},
	{"a slash before the path", withSlashes(func(_ *specs.Operation, path string) string { return "/" + path })},
	{
		"an address without a slash at its end, and a slash between it and the path",
		withSlashes(func(op *specs.Operation, path string) string { return behind(path, "/"+string(op.Interface)) }),
	},
	{
		"an address with the base path, and a slash between it and the path",
		withSlashes(func(op *specs.Operation, path string) string {
			return behind(path, "/"+string(op.Interface)+op.Document.BasePath)
		}),
	},
	{"two slashes for each", withSlashes(func(_ *specs.Operation, path string) string {
		return strings.ReplaceAll(path, "/", "//")
	})},
	{"three slashes at the end", withSlashes(func(_ *specs.Operation, path string) string { return path + "///" })},
	{"a key in the platform's own form", func(_ *specs.Operation, r *wire) bool {
		for name, values := range r.header {
			if scheme, key, found := strings.Cut(values[0], " "); found && name == "Authorization" {
				r.header.Set(name, scheme+" "+specs.PlatformKey(1, key))
				return true
			}
		}
		return false
	}},
	{"a body in gzip", func(_ *specs.Operation, r *wire) bool {
		if len(r.body) == 0 {
			return false
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(r.body)
		_ = w.Close()
		r.body = packed.Bytes()
		r.header.Set("Content-Encoding", "gzip")
		return true
	}},
	{"a body in chunks", func(_ *specs.Operation, r *wire) bool {
		r.unsized = true
		return len(r.body) > 0
	}},
	{"Expect: 100-continue", func(_ *specs.Operation, r *wire) bool {
		r.header.Set("Expect", "100-continue")
		return len(r.body) > 0
	}},
	{"a charset", func(_ *specs.Operation, r *wire) bool {
		kind := r.header.Get("Content-Type")
		r.header.Set("Content-Type", kind+"; charset=UTF-8")
		return len(r.body) > 0 && (kind == jsonType || kind == formType)
	}},
	{"the media type of JSON:API", func(op *specs.Operation, r *wire) bool {
		r.header.Set("Content-Type", "application/vnd.api+json")
		return len(r.body) > 0 && op.Interface == specs.LLM && op.JSONBody() != nil
	}},
	{"the versioned media type of a vendor", func(op *specs.Operation, r *wire) bool {
		r.header.Set("Content-Type", "application/vnd.svc.v1.js+json")
		return len(r.body) > 0 && op.Interface == specs.Ingestion
	}},
	{"a form without a media type", func(op *specs.Operation, r *wire) bool {
		fields, ok := formOf(op, r)
		r.header.Del("Content-Type")
		r.body = []byte(fields.Encode())
		return ok && len(r.body) > 0
	}},
	{"a body as a form", func(op *specs.Operation, r *wire) bool {
		fields, ok := formOf(op, r)
		r.header.Set("Content-Type", formType)
		r.body = []byte(fields.Encode())
		return ok
	}},
	{"a body as multipart/form-data", func(op *specs.Operation, r *wire) bool {
		fields, ok := formOf(op, r)
		r.setMultipart(fields)
		return ok
	}},
	{"no body as multipart/form-data", func(op *specs.Operation, r *wire) bool {
		r.setMultipart(url.Values{})
		return op.Interface == specs.Core && op.Method == http.MethodPost && op.Spec.RequestBody == nil
	}},
	{"a body in the query", func(op *specs.Operation, r *wire) bool {
		fields, ok := formOf(op, r)
		maps.Copy(r.query, fields)
		r.body = nil
		r.header.Del("Content-Type")
		return ok
	}},
	{"empty fields in a form", func(op *specs.Operation, r *wire) bool {
		fields, ok := formOf(op, r)
		added := false
		for name, ref := range membersOf(op.JSONBody()) {
			if fields[name] == nil && ref.Value.VisitJSON("") != nil && ok {
				fields.Set(name, "")
				added = true
			}
		}
		r.header.Set("Content-Type", formType)
		r.body = []byte(fields.Encode())
		return added
	}},
	{"null for what is left out", func(op *specs.Operation, r *wire) bool {
		return op.Interface == specs.Core && r.change(func(object map[string]any) (changed bool) {
			for name, ref := range membersOf(op.JSONBody()) {
				if _, given := object[name]; !given && ref.Value.VisitJSON(nil) != nil {
					object[name], changed = nil, true
				}
			}
			return changed
		})
	}},
	{"numbers and booleans as text in JSON", func(op *specs.Operation, r *wire) bool {
		return op.Interface == specs.Core && r.change(func(object map[string]any) (changed bool) {
			for name, ref := range membersOf(op.JSONBody()) {
				switch value := object[name].(type) {
				case json.Number, bool:
					object[name], changed = fmt.Sprint(value), changed || ref.Value.VisitJSON("x") != nil
				}
			}
			return changed
		})
	}},
	{"booleans of a query as Python writes them", withBooleans("True", "False")},
	{"booleans of a query as digits", withBooleans("1", "0")},
	{"booleans of a query in capitals", withBooleans("TRUE", "FALSE")},
	{"empty parameters", func(op *specs.Operation, r *wire) (added bool) {
		for _, p := range queryParameters(op) {
			if isLenient(op) && !r.query.Has(p.Name) {
				r.query.Set(p.Name, "")
				added = true
			}
		}
		return added
	}},
	{"parameters of the query in a form", func(op *specs.Operation, r *wire) (moved bool) {
		fields, _ := formOf(op, r)
		if fields == nil {
			fields = url.Values{}
		}
		for _, p := range queryParameters(op) {
			if values := r.query[p.Name]; values != nil && op.Interface == specs.Core && op.Method == http.MethodPost {
				fields[p.Name], moved = values, true
				r.query.Del(p.Name)
			}
		}
		r.header.Set("Content-Type", formType)
		r.body = []byte(fields.Encode())
		return moved
	}},
}

func isLenient(op *specs.Operation) bool {
	return op.Interface == specs.Core || op.Interface == specs.Workflow
}

// Whatever clients do to a request by habit, the answer is the same, and a recording of it conforms.
func TestHabits(t *testing.T) {
	t.Parallel()
	concerned := map[string]map[string]bool{}
	for _, h := range habits {
		concerned[h.name] = map[string]bool{}
	}
	var recorded []*recording.Exchange
	for _, name := range specs.Interfaces() {
		document, err := specs.Readable(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range document.All() {
			page, err := manual.Of(op)
			if err != nil {
				t.Fatal(err)
			}
			recorded = append(recorded, tryHabits(t, page, op, concerned)...)
		}
	}
	for _, h := range habits {
		t.Logf("%s: %d operations", h.name, len(concerned[h.name]))
		if len(concerned[h.name]) == 0 {
			t.Errorf("%s concerns no operation", h.name)
		}
	}
	wantNothingFound(t, recorded)
}

// tryHabits types the example of an operation. Each time that it calls the operation, the same call is made by each
// habit, in a world of its own. It returns those calls, as a recording has them.
func tryHabits(t *testing.T, page *manual.Operation, op *specs.Operation,
	concerned map[string]map[string]bool,
) []*recording.Exchange {
	t.Helper()
	mock, err := mockserver.New(mockserver.WithScenario(page.Example.Scenario), mockserver.WithQueryEngine(sqlite.New()),
		mockserver.WithClock("frozen"), mockserver.WithLogger(slog.New(slog.NewTextHandler(t.Output(), nil))))
	if err != nil {
		t.Fatal(err)
	}
	var recorded []*recording.Exchange
	typeExample(t, page, func(w http.ResponseWriter, r *http.Request) {
		plain := wireOf(t, r)
		path := strings.TrimPrefix(plain.path, "/"+string(op.Interface)+op.Document.BasePath)
		if match := op.Document.Find(plain.method, path); match.Operation == op {
			explicit(op, plain)
			want := plain.in(t, mock, &recorded)
			for _, h := range habits {
				changed := plain.clone()
				if !h.apply(op, changed) {
					continue
				}
				concerned[h.name][op.Name()] = true
				if got := changed.in(t, mock, &recorded); got != want {
					t.Errorf("%s, %s:\n%.300s\nand without\n%.300s", op.Name(), h.name, got, want)
				}
			}
		}
		mock.ServeHTTP(w, plain.request(t))
	})
	redactor := &recording.Redactor{Salt: []byte("salt")}
	for i, e := range recorded {
		e = redactor.Redact(e, op)
		recorded[i] = e
		e.World = op.Name() + " " + e.World // worlds of different servers have the same names
	}
	return recorded
}

// wantNothingFound checks a recording, in which everything that is only guessed counts as well.
func wantNothingFound(t *testing.T, recorded []*recording.Exchange) {
	t.Helper()
	checker, err := contract.NewChecker(contract.WithTrust(specs.Assumed), contract.WithEngine(libopenapi.New()))
	if err != nil {
		t.Fatal(err)
	}
	found, err := checker.Check(t.Context(), contract.Exchanges(slices.Values(recorded)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Findings {
		if f.Verdict == report.Fail {
			t.Errorf("%s %s: %s %s, in %s", f.Rule, f.Operation, f.Pointer, f.Message, recorded[f.Exchange-1].Request.URL)
		}
	}
}
