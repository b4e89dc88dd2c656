package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// hostile holds what could break a report: markup, workflow commands, escapes of terminals, references.
const hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\n::error::owned\r\x1b[31m\u202e" +
	"```@octocat #1 | ${{ secrets.TOKEN }} ]]> &amp; \"quoted\" 'single' %0A"

var poolsExcerpt = []string{
	"  /api/pools/{id}:",
	"    delete:",
	"      operationId: deletePool",
	"      summary: Delete a pool that nothing references",
	"      x-provenance: documented",
	"      parameters:",
	"        - $ref: '#/components/parameters/id'",
	"      responses:",
	"        '200':",
	"          description: The pool that was deleted",
	"        '400':",
	"          description: A rule references the pool, or it is the default one",
}

// exchange returns an exchange with JSON bodies. Its key is already a mark.
func exchange(method, url, request string, status int, response string) *recording.Exchange {
	e := &recording.Exchange{Request: recording.Request{
		Method: method, URL: "https://workflow.svc.example" + url,
		Headers: recording.Headers{{"Authorization", "SVC1 [redacted:1a2b3c4d]"}},
	}}
	if request != "" {
		e.Request.Headers = append(e.Request.Headers, [2]string{"Content-Type", "application/json"})
		e.Request.Body = &recording.Body{Bytes: []byte(request)}
	}
	if status > 0 {
		e.Response = &recording.Response{
			Status: status, Headers: recording.Headers{{"Content-Type", "application/json"}, {"X-Request-Id", "8f14e45f"}},
			Body: &recording.Body{Bytes: []byte(response)},
		}
	}
	return e
}

// builder fills a report as a check does.
type builder struct{ *report.Report }

func (b builder) exchange(number int, e *recording.Exchange, path string) {
	line := report.ExchangeLine{
		Exchange: number, Method: e.Request.Method, URL: path, File: "traffic.har", Line: number + 1,
		Entry: number, OnDisk: true,
	}
	if e.Response != nil {
		line.Status = e.Response.Status
	}
	b.Shown[number], b.Evidence[number] = line, e
}

func (b builder) finding(f report.Finding, times int) {
	f.ID = report.Fingerprint(&f)
	g := report.Group{Finding: f, Count: times}
	for i := range min(times, 50) { // a check keeps no more
		o := report.Occurrence{Exchange: f.Exchange, Pointer: f.Pointer}
		if i > 0 {
			o.Pointer = strings.Replace(f.Pointer, "/1/", fmt.Sprintf("/%d/", 1+i%3), 1)
			o.Exchange += i
		}
		g.Occurrences = append(g.Occurrences, o)
	}
	b.Groups, b.Findings = append(b.Groups, g), append(b.Findings, f)
}

// healthy returns a report of a run in which all is well.
func healthy(tb testing.TB) *report.Report {
	tb.Helper()
	r := rich(tb)
	r.Findings, r.Groups, r.Omitted, r.Problems, r.Baseline, r.Notes = nil, nil, 0, nil, nil, nil
	r.Exchanges.Broken, r.Checks.Fail, r.Checks.Inconclusive = 0, 0, 0
	r.Thresholds = r.Thresholds[1:]
	for i := range r.Rules {
		r.Rules[i].Pass, r.Rules[i].Fail, r.Rules[i].Inconclusive = r.Rules[i].Triggered, 0, 0
	}
	return r
}

func written(tb testing.TB, r *report.Report, format string) string {
	tb.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, format); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}
