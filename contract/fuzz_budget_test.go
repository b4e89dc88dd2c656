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
	"time"
	"unicode"
	"unicode/utf8"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/capture"
	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/contract/rule"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// The budgets of these targets count bytes that are allocated, not seconds: the same input takes the same steps on every
// machine. Codings may make much of little, up to a bound of their own.
const (
	judgePerByte  = 2000
	judgeAtLeast  = 8 << 20
	codedAtLeast  = 1536 << 20
	rulePerEvent  = 256 << 10
	ruleAtLeast   = 4 << 20
	writePerByte  = 4000 // all forms together
	writeAtLeast  = 32 << 20
	outputPerByte = 400 // of one form, with its evidence and what documents say
	outputAtLeast = 512 << 10
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
		Request: recording.Request{Method: method, URL: url, Headers: headersOf(headers), Body: &recording.Body{Bytes: request}},
		Response: &recording.Response{
			Status: status, Headers: headersOf(headers), Body: &recording.Body{Bytes: response},
		},
	}, size
}

func addExchanges(f *testing.F) {
	f.Helper()
	const kind = "Content-Type: application/json\nAuthorization: SVC1 1/admin"
	f.Add("POST https://workflow.svc.example/api/pools?x=1", kind, []byte(`{"name":"a","x":[{"y":1},{"z":null}]}`), 201, []byte(`{"id":"1","\u001b[31m":"\u0000"}`))
	f.Add("GET https://llm.svc.example/api/agents?page[limit]=2", "Content-Type: application/vnd.api+json", []byte{}, 200,
		[]byte(`{"data":[{"id":"1","type":"agents"}],"meta":{"total":1},"links":{"first":"/"},"included":[{"type":"a","id":"1"}]}`))
	f.Add("POST https://core.svc.example/v3/job/issue/trino/db", "Content-Type: application/x-www-form-urlencoded", []byte("query=a&a[b][c]=1&%zz"), 200, []byte("[1e999]"))
	f.Add("PUT https://x.acme.io/v3/../..%2f", "Content-Encoding: gzip\nCookie: a=b;;", gzipped([]byte("::error::\x1b]0;")), 0, []byte{0xff, '\n'})
	f.Add("POST https://llm.svc.example/api/chats/1/continue", "Content-Type: text/event-stream\n##[group]: ]]>", []byte("{}"), 200, []byte("data: {}\n\ndata: {\"a\":<!--}\n\n"))
}

// FuzzJudgeBudget judges one exchange within a budget of steps, and wants no more findings than one may have.
func FuzzJudgeBudget(f *testing.F) {
	addExchanges(f)
	warm := checker(f, contract.WithWorkers(1))
	f.Fuzz(func(t *testing.T, line, headers string, request []byte, status int, response []byte) {
		e, size := drawn(line, headers, request, status, response)
		source := contract.Exchanges(slices.Values([]*recording.Exchange{e}))
		_, _ = warm.Check(t.Context(), source) // which compiles schemas, once in a process
		fresh := checker(t, contract.WithWorkers(1))
		var r *contract.Report
		made := allocatedBy(func() { r, _ = fresh.Check(t.Context(), source) })
		most := judgePerByte*size + judgeAtLeast
		if strings.Contains(strings.ToLower(headers), "encoding") {
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
	})
}

// FuzzRuleBudget shows histories to the rules: six bytes draw what is asked about which thing, by whom, when, for how long and
// how it is answered; bodies show what the text has.
func FuzzRuleBudget(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x01\x05\x02\x01\x01\x00\x01\x05\x02\x02\x01\x02\x01\x09\x30"), `{"id":"1","poolId":"1","name":"a","done":true}`)
	f.Add(bytes.Repeat([]byte{3, 1, 0, 2, 0, 255}, 40), `{"pools":[{"id":"1"},{"id":2}],"poolRules":[{"poolId":"1","conditions":[{"values":[]}]}]}`)
	f.Add(bytes.Repeat([]byte{11, 0, 1, 0, 7, 3, 12, 1, 0, 1, 0, 1}, 20), `{"id":7,"job_id":"1","status":"running","output_config":{"database":"a"}}`)
	f.Add(bytes.Repeat([]byte("abcdefghijkl"), 30), `{"data":{"id":"1","type":"agents","relationships":{"a":{"data":[{"type":"b","id":"1"}]}}}}`)
	var documents []*specs.Document
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			f.Fatal(err)
		}
		documents = append(documents, d)
	}
	j, err := judge.New(judge.Config{Documents: documents, SecondOff: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, script []byte, body string) {
		const most = 100 // exchanges
		script, body = script[:min(len(script), 6*most)], body[:min(len(body), 4096)]
		var events []*rule.Event
		for draw := range slices.Chunk(script, 6) {
			if len(draw) < 6 {
				break
			}
			if e := rule.NewEvent(j.Exchange(scripted(documents, draw, body, len(events)+1))); e != nil {
				events = append(events, e)
			}
		}
		verdicts := 0
		made := allocatedBy(func() {
			w := rule.NewWatcher(rule.Config{Documents: documents, Trust: specs.Assumed}, func(v rule.Verdict) {
				verdicts++
				if v.Finding != nil && (len(v.Finding.Evidence) > 2*len(events) || len(v.Finding.Message) > 10_000) {
					t.Errorf("a finding with %d exchanges and %d bytes", len(v.Finding.Evidence), len(v.Finding.Message))
				}
			})
			for _, e := range events {
				w.See(e)
			}
			if err := w.End(t.Context()); err != nil {
				t.Error(err)
			}
		})
		if made > uint64(rulePerEvent*len(events)+ruleAtLeast) || verdicts > 100*len(events) {
			t.Errorf("%d KiB and %d verdicts for %d exchanges", made>>10, verdicts, len(events))
		}
	})
}

// scripted is an exchange that six bytes draw.
func scripted(documents []*specs.Document, draw []byte, body string, number int) capture.Item {
	at := time.Date(2026, 5, 4, 1, 0, 0, 0, time.UTC).Add(time.Duration(draw[4]) * time.Second)
	var operations []*specs.Operation
	for _, d := range documents {
		operations = append(operations, d.Operations...)
	}
	op := operations[(int(draw[0])<<2|int(draw[1])>>6)%len(operations)]
	var segments []string
	for segment := range strings.SplitSeq(op.Document.BasePath+op.Path, "/") {
		if strings.HasPrefix(segment, "{") {
			segment = fmt.Sprint(draw[1] % 8)
		}
		segments = append(segments, segment)
	}
	headers := recording.Headers{{"Content-Type", "application/json"}, {"Authorization", fmt.Sprintf("SVC1 1/%d", draw[3]%5)}}
	e := &recording.Exchange{
		Seq: int64(number), Start: at, End: at.Add(time.Duration(draw[5]) * time.Second),
		Request: recording.Request{
			Method: op.Method, URL: "https://" + op.Interface + ".svc.example" + strings.Join(segments, "/"), Headers: headers,
			Body: &recording.Body{Bytes: []byte(body)},
		},
	}
	statuses := []int{200, 201, 204, 202, 400, 401, 403, 404, 409, 500, 0}
	if status := statuses[int(draw[2])%len(statuses)]; status > 0 {
		e.Response = &recording.Response{Status: status, Headers: headers[:1], Body: &recording.Body{Bytes: []byte(body)}}
	}
	return capture.Item{Exchange: e, Place: capture.Place{File: "fuzz", Number: number, Line: number}}
}

// FuzzReportBudget writes the report of an exchange in all forms: each is well-formed, holds no control characters, and is not
// larger than the exchange gives cause for.
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
		if made > uint64(writePerByte*size+writeAtLeast) {
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
