package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs/recording"
)

// maxTextLines bounds an answer that is shown.
const maxTextLines = 400

// Texts returns the recorded answer and the subject's as lines of text, without secrets. Where values correspond, the
// subject's answer has the recorded ones.
func (e *Exchange) Texts(redactor *recording.Redactor) (recorded, answered []string) {
	was := redactor.Redact(e.Item.Exchange, e.Operation())
	answer := *e.Item.Exchange
	answer.Response = e.Answer.recorded()
	is := redactor.Redact(&answer, e.Operation())
	e.align(was.Response, is.Response)
	return textOfAnswer(was.Response), textOfAnswer(is.Response)
}

// recorded returns an answer as a recording has it.
func (a *Answer) recorded() *recording.Response {
	r := &recording.Response{Status: a.Status, Body: &recording.Body{Bytes: a.Body}}
	for name, values := range a.Header {
		for _, value := range values {
			r.Headers = append(r.Headers, [2]string{name, value})
		}
	}
	return r
}

func textOfAnswer(r *recording.Response) []string {
	if r == nil {
		return nil
	}
	lines := []string{strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)))}
	if kind := r.Headers.Value("Content-Type"); kind != "" {
		lines = append(lines, "Content-Type: "+kind)
	}
	if r.Body == nil || len(r.Body.Bytes) == 0 {
		return lines
	}
	lines = append(lines, "")
	plain, reason := body.Uncode(r.Headers.Value("Content-Encoding"), r.Body.Bytes)
	if reason != "" {
		return append(lines, fmt.Sprintf("(%d bytes: %s)", len(r.Body.Bytes), reason))
	}
	if value, err := body.DecodeJSON(plain); err == nil { // whose members are in an order of their own
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if encoder.Encode(value) == nil {
			plain = text.Bytes()
		}
	} else if !isText(plain) {
		return append(lines, fmt.Sprintf("(%d bytes)", len(plain)))
	}
	lines = append(lines, slices.Collect(strings.SplitSeq(strings.TrimSpace(string(plain)), "\n"))...)
	if len(lines) > maxTextLines {
		lines = append(lines[:maxTextLines], fmt.Sprintf("(and %d more lines)", len(lines)-maxTextLines))
	}
	return lines
}

func isText(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' })
}
