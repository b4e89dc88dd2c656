package contract_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// The budgets of these targets count bytes that are allocated, not seconds: the same input takes the same steps on
// every machine. Codings may make much of little, up to a bound of their own.
const (
	judgePerByte  = 600
	judgeAtLeast  = 2 << 20
	codedAtLeast  = 1536 << 20
	writePerByte  = 2000 // all forms together
	writeAtLeast  = 12 << 20
	outputPerByte = 200 // of one form, with its evidence and what documents say
	outputAtLeast = 384 << 10
)

// allocatedBy counts what a call allocates.
func allocatedBy(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// headersOf reads lines such as "Content-Type: text/plain".
func headersOf(text string) (list recording.Headers) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		list = append(list, [2]string{name, value})
	}
	return list
}

// drawn makes an exchange out of texts.
func drawn(line, headers string, request []byte, status int, response []byte) (e *recording.Exchange, size int) {
	method, url, _ := strings.Cut(line, " ")
	size = len(line) + 2*len(headers) + len(request) + len(response)
	return &recording.Exchange{
		Request: recording.Request{
			Method: method, URL: url, Headers: headersOf(headers),
			Body: &recording.Body{Bytes: request},
		},
		Response: &recording.Response{
			Status: status, Headers: headersOf(headers), Body: &recording.Body{Bytes: response},
		},
	}, size
}

func addExchanges(f *testing.F) {
	f.Helper()
	const kind = "Content-Type: application/json\nAuthorization: SVC1 1/admin"
	f.Add("POST https://workflow.svc.example/api/pools?x=1", kind, []byte(`{"name":"a","x":[{"y":1},{"z":null}]}`), 201,
		[]byte(`{"id":"1","\u001b[31m":"\u0000"}`))
	f.Add("GET https://llm.svc.example/api/agents?page[limit]=2", "Content-Type: application/vnd.api+json", []byte{}, 200,
		[]byte(`{"data":[{"id":"1","type":"agents"}],"meta":{"total":1},"links":{"first":"/"},"included":[{"type":"a","id":"1"}]}`))
	f.Add("POST https://core.svc.example/v3/job/issue/trino/db", "Content-Type: application/x-www-form-urlencoded",
		[]byte("query=a&a[b][c]=1&%zz"), 200, []byte("[1e999]"))
	f.Add("PUT https://x.acme.io/v3/../..%2f", "Content-Encoding: gzip\nCookie: a=b;;",
		gzipped([]byte("::error::\x1b]0;")), 0, []byte{0xff, '\n'})
	f.Add("POST https://llm.svc.example/api/chats/1/continue", "Content-Type: text/event-stream\n##[group]: ]]>",
		[]byte("{}"), 200, []byte("data: {}\n\ndata: {\"a\":<!--}\n\n"))
}

// FuzzJudgeBudget judges one exchange within a budget of steps, and wants no more findings than one may have.
func FuzzJudgeBudget(f *testing.F) {
	addExchanges(f)
	warm := checker(f, contract.WithWorkers(1))
	f.Fuzz(func(t *testing.T, line, headers string, request []byte, status int, response []byte) {
		e, size := drawn(line, headers, request, status, response)
		judgeWithin(t, warm, e, size)
	})
}

// TestHostileExchangesKeepTheBudget wants the budget of FuzzJudgeBudget kept by what was made to exceed it.
func TestHostileExchangesKeepTheBudget(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	warm := checker(t, contract.WithWorkers(1))
	for name, hostile := range hostileExchanges {
		e := hostile(500)
		size := len(e.Request.URL)
		for _, header := range slices.Concat(e.Request.Headers, e.Response.Headers) {
			size += len(header[0]) + len(header[1])
		}
		for _, body := range []*recording.Body{e.Request.Body, e.Response.Body} {
			if body != nil {
				size += len(body.Bytes)
			}
		}
		t.Log(name)
		judgeWithin(t, warm, e, size)
	}
}

// judgeWithin judges an exchange with a checker that knows nothing yet, in a process in which another one has compiled
// the schemas.
func judgeWithin(t *testing.T, warm *contract.Checker, e *recording.Exchange, size int) {
	t.Helper()
	source := contract.Exchanges(slices.Values([]*recording.Exchange{e}))
	_, _ = warm.Check(t.Context(), source)
	fresh := checker(t, contract.WithWorkers(1))
	var r *contract.Report
	made := allocatedBy(func() { r, _ = fresh.Check(t.Context(), source) })
	most := raceFactor * (judgePerByte*size + judgeAtLeast)
	if slices.ContainsFunc(e.Request.Headers, isCoding) {
		most += codedAtLeast
	}
	if made > uint64(most) {
		t.Errorf("%d KiB for %d bytes", made>>10, size)
	}
	if len(r.Findings) > 200 || r.Exchanges.Broken > 0 {
		t.Errorf("%d findings, %+v", len(r.Findings), r.Problems)
	}
	for _, finding := range r.Findings {
		if len(finding.Message) > 10_000 || len(finding.Found) > 10_000 {
			t.Errorf("a finding of %d and %d bytes", len(finding.Message), len(finding.Found))
		}
	}
}

func isCoding(header [2]string) bool { return strings.Contains(strings.ToLower(header[0]), "encoding") }

// FuzzReportBudget writes the report of an exchange in all forms: each is well-formed, holds no control characters, and
// is not larger than the exchange gives cause for.
func FuzzReportBudget(f *testing.F) {
	addExchanges(f)
	c := checker(f, contract.WithWorkers(1), contract.WithGuess(true))
	f.Fuzz(func(t *testing.T, line, headers string, request []byte, status int, response []byte) {
		e, size := drawn(line, headers, request, status, response)
		source := contract.Exchanges(slices.Values([]*recording.Exchange{e, e}))
		r, _ := c.Check(t.Context(), source)
		if err := c.Evidence(t.Context(), source, r); err != nil {
			t.Fatal(err)
		}
		forms := map[string]string{}
		made := allocatedBy(func() {
			for _, form := range report.Formats() {
				var b bytes.Buffer
				if err := r.Write(&b, form); err != nil {
					t.Errorf("%s: %v", form, err)
				}
				forms[form] = b.String()
			}
		})
		if made > uint64(raceFactor*(writePerByte*size+writeAtLeast)) {
			t.Errorf("%d KiB for %d bytes", made>>10, size)
		}
		for form, text := range forms {
			if len(text) > outputPerByte*size+outputAtLeast {
				t.Errorf("%s: %d bytes for %d", form, len(text), size)
			}
			if err := wellFormed(form, text); err != nil {
				t.Errorf("%s: %v", form, err)
			}
		}
	})
}

// wellFormed returns what is wrong with a report.
func wellFormed(form, text string) error {
	isControl := func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }
	if at := strings.IndexFunc(text, isControl); at >= 0 || !utf8.ValidString(text) {
		return fmt.Errorf("a control character, or no UTF-8: %q", text[max(0, at-40):min(len(text), max(0, at)+40)])
	}
	switch form {
	case "json", "sarif":
		if !json.Valid([]byte(text)) {
			return errors.New("no JSON")
		}
	case "junit":
		decoder := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	case "html":
		if strings.Count(text, "<script") != 1 || !strings.HasSuffix(text, "</html>\n") {
			return errors.New("the page is broken")
		}
	case "github":
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "::") && !strings.HasPrefix(line, "understudy: ") {
				return fmt.Errorf("line %q", line)
			}
		}
	}
	return nil
}
