package main_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
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

// TestRecordForMutations records what contract/mutation makes mutants of, with RECORD=1: the examples of all
// operations, and the stories of the scenarios. The file is read as it is otherwise, so that mutants stay the same
// while the mock changes.
func TestRecordForMutations(t *testing.T) {
	t.Parallel()
	if os.Getenv("RECORD") != "1" {
		t.Skip("RECORD=1 records")
	}
	var list []*recording.Exchange
	for _, name := range specs.Interfaces() {
		document, err := specs.Readable(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range document.Operations {
			list = append(list, recordExample(t, op)...)
		}
	}
	for _, exchanges := range playStories(t) {
		list = append(list, exchanges...)
	}
	checker, err := contract.NewChecker(contract.WithEngine(libopenapi.New()))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	n := int64(0)
	for _, e := range firstOfEachKind(list) {
		if e = atItsInterface(t, e); !isValid(t, checker, e) {
			continue
		}
		n++
		e.Seq = n
		if err := recording.Write(&file, e); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join("..", "..", "contract", "mutation", "testdata", "valid.ndjson"), file.Bytes(),
		0o600); err != nil {
		t.Fatal(err)
	}
}

// recordExample types the example of an operation, and returns what the mock recorded of it.
func recordExample(t *testing.T, op *specs.Operation) []*recording.Exchange {
	t.Helper()
	page, err := manual.Of(op)
	if err != nil {
		t.Fatal(err)
	}
	mock, err := mockserver.New(mockserver.WithScenario(page.Example.Scenario), mockserver.WithClock("frozen"),
		mockserver.WithQueryEngine(sqlite.New()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mock.Close() }()
	typeExample(t, page, func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1"
		r.Header.Del("User-Agent")
		answer := httptest.NewRecorder()
		mock.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	return journalOf(t, mock)
}

// maxOfAKind is the number of exchanges that are kept of an operation and a status.
const maxOfAKind = 4

// firstOfEachKind leaves out repetitions, what is large, and what belongs to no operation of the catalogue.
func firstOfEachKind(list []*recording.Exchange) []*recording.Exchange {
	const maxBody = 16 << 10
	type kind struct {
		operation string
		status    int
	}
	kept, known := map[kind]int{}, map[string]bool{}
	return slices.DeleteFunc(list, func(e *recording.Exchange) bool {
		isOurs := slices.ContainsFunc(specs.Catalogue(), func(c specs.Entry) bool { return c.Name() == e.Operation })
		text := e.Operation + e.Request.URL
		for _, body := range []*recording.Body{e.Request.Body, e.Response.Body} {
			if body != nil {
				isOurs = isOurs && len(body.Bytes) <= maxBody
				text += "\n" + string(body.Bytes)
			}
		}
		k := kind{e.Operation, e.Response.Status}
		if !isOurs || known[text] || kept[k] == maxOfAKind {
			return true
		}
		known[text] = true
		kept[k]++
		return false
	})
}

// atItsInterface moves an exchange to the address that its interface has by default.
func atItsInterface(t *testing.T, e *recording.Exchange) *recording.Exchange {
	t.Helper()
	u, err := url.Parse(e.Request.URL)
	if err != nil {
		t.Fatal(err)
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	e.Request.URL = "https://" + name + ".svc.example/" + rest
	if u.RawQuery != "" {
		e.Request.URL += "?" + u.RawQuery
	}
	e.World, e.Overlaps, e.Notes = "", 0, nil
	e.Request.Headers = slices.DeleteFunc(e.Request.Headers, func(h [2]string) bool {
		return slices.Contains([]string{"Host", "User-Agent", "Accept-Encoding", "Content-Length"}, h[0])
	})
	return e
}

// isValid leaves out what a story sends on purpose to be refused.
func isValid(t *testing.T, checker *contract.Checker, e *recording.Exchange) bool {
	t.Helper()
	r, err := checker.Check(t.Context(), contract.Exchanges(slices.Values([]*recording.Exchange{e})))
	if err != nil && !errors.Is(err, contract.ErrNothingJudged) {
		t.Fatal(err)
	}
	return !slices.ContainsFunc(r.Findings, func(f contract.Finding) bool { return f.Verdict == report.Fail })
}
