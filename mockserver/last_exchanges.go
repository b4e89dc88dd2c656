package mockserver

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"svc.example/understudy/specs/recording"
)

// Bounds of what a failed test logs of the exchanges in its worlds.
const (
	toldWorlds    = 5
	toldExchanges = 10
	toldBytes     = 300 // of a body
)

// logLastExchanges logs the last exchanges of each world when a test has failed, without secrets.
func (s *Server) logLastExchanges(tb testing.TB) {
	tb.Helper()
	told := 0
	for _, w := range s.worlds.List() {
		entries := w.Journal.Entries()
		if len(entries) == 0 {
			continue
		}
		if told++; told > toldWorlds {
			tb.Log("understudy: more worlds have exchanges")
			return
		}
		var text strings.Builder
		fmt.Fprintf(&text, "understudy: the last exchanges of world %s", w.ID)
		for _, e := range entries[max(0, len(entries)-toldExchanges):] {
			describe(&text, s.redacted(e))
		}
		tb.Log(text.String())
	}
}

// describe writes an exchange as a few lines: what was asked and answered, the beginnings of both bodies, and notes.
func describe(text *strings.Builder, e *recording.Exchange) {
	fmt.Fprintf(text, "\n#%d %s %s → ", e.Seq, e.Request.Method, e.Request.URL)
	response := e.Response
	if response == nil {
		response = &recording.Response{}
		text.WriteString("no response")
	} else {
		fmt.Fprint(text, response.Status)
	}
	if e.Operation != "" {
		fmt.Fprintf(text, " (%s)", e.Operation)
	}
	if body := beginning(e.Request.Body); body != "" {
		fmt.Fprintf(text, "\n    > %s", body)
	}
	if body := beginning(response.Body); body != "" {
		fmt.Fprintf(text, "\n    < %s", body)
	}
	if e.Fault != "" {
		fmt.Fprintf(text, "\n    fault: %s", e.Fault)
	}
	for _, note := range e.Notes {
		fmt.Fprintf(text, "\n    note: %s", note)
	}
}

// beginning returns the beginning of a body in one line, or its size if it is not text.
func beginning(body *recording.Body) string {
	switch {
	case body == nil || len(body.Bytes) == 0:
		return ""
	case !utf8.Valid(body.Bytes):
		return fmt.Sprintf("%d bytes", len(body.Bytes))
	}
	text, more := string(body.Bytes), ""
	if len(text) > toldBytes {
		text, more = strings.ToValidUTF8(text[:toldBytes], ""), "…"
	}
	return strings.Join(strings.Fields(text), " ") + more
}
