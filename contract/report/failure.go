package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"

	"svc.example/understudy/specs/recording"
)

const (
	maxFailures = 10   // findings in full
	maxQuoted   = 2000 // bytes of a body
)

// WriteFailure writes why a check failed, for the log of a test: the findings that break it, each with the request and
// the response in question when Evidence is there, what else failed, and how much more there is to know.
func (r *Report) WriteFailure(w io.Writer) error {
	t := &textWriter{Writer: bufio.NewWriter(LogWriter(w)), r: r}
	shown, left, others := 0, 0, 0
	for i := range r.Groups {
		g := &r.Groups[i]
		switch {
		case !r.Breaks(&g.Finding):
			others++
		case shown == maxFailures:
			left++
		default:
			shown++
			t.group(g)
			t.quote(r.Evidence[g.Exchange])
		}
	}
	if left > 0 {
		t.line("and %s like these", count(left, "more "+r.fault()))
	}
	if others > 0 {
		t.line("%s that are not %ss are left out here", count(others, "other finding"), r.fault())
	}
	t.alarms()
	injected := ""
	if r.Exchanges.Injected > 0 {
		injected = "; " + r.Exchanges.injectedInWords()
	}
	t.line("exchanges read: %d, of an interface: %d%s", r.Exchanges.Read, r.Exchanges.Matched, injected)
	return t.Flush()
}

// quote writes an exchange as HTTP text, shortened.
func (t *textWriter) quote(e *recording.Exchange) {
	if e == nil {
		return
	}
	t.line("  > %s %s", plain(e.Request.Method), plain(e.Request.URL))
	t.quoteBody("  > ", e.Request.Body)
	if e.Response == nil {
		t.line("  < no response")
	} else {
		t.line("  < %d %s", e.Response.Status, plain(e.Response.Headers.Value("Content-Type")))
		t.quoteBody("  < ", e.Response.Body)
	}
	t.line("")
}

func (t *textWriter) quoteBody(mark string, body *recording.Body) {
	if body == nil || len(body.Bytes) == 0 {
		return
	}
	text := body.Bytes
	var indented bytes.Buffer
	if json.Indent(&indented, text, "", "  ") == nil {
		text = indented.Bytes()
	}
	isCut := body.Truncated || len(text) > maxQuoted
	text = text[:min(len(text), maxQuoted)]
	for !utf8.Valid(text) && len(text) > maxQuoted-utf8.UTFMax {
		text = text[:len(text)-1] // a rune that was cut in two
	}
	for line := range bytes.Lines(text) {
		t.line("%s%s", mark, plain(string(bytes.TrimRight(line, "\r\n"))))
	}
	if isCut {
		t.line("%s…", mark)
	}
}
