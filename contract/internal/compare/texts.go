package compare

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/specs/recording"
)

// Limits of an answer that is shown.
const (
	maxTextLines   = 400
	maxShownOfHuge = 64 << 10 // bytes of one that is too large to be compared
)

// Texts returns the recorded answer and the subject's as lines of text, without secrets. Where values correspond, the
// subject's answer has the recorded ones.
func (e *Exchange) Texts(redactor *recording.Redactor) (recorded, answered []string) {
	was, is := e.redacted(redactor)
	e.align(was, is)
	return textOfAnswer(was), textOfAnswer(is)
}

// recorded returns an answer as a recording has it.
func (a *Answer) recorded() *recording.Response {
	r := &recording.Response{Status: a.Status, Body: &recording.Body{Bytes: a.Body}}
	if a.Size > int64(len(a.Body)) { // it is only shown
		r.Body = &recording.Body{Bytes: a.Body[:min(len(a.Body), maxShownOfHuge)], Truncated: true, Size: a.Size}
	}
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
	if r.Status == 0 {
		return []string{"no answer"}
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
	t := &textLines{lines: lines, most: len(lines) + maxTextLines}
	if value, err := body.DecodeJSON(plain); err == nil { // whose members are in an order of their own
		t.value("", "", value, "")
	} else if !isText(plain) {
		return append(lines, fmt.Sprintf("(%d bytes)", len(plain)))
	} else {
		for line := range strings.SplitSeq(strings.TrimSpace(string(plain)), "\n") {
			if t.line(line); t.isFull() {
				break
			}
		}
	}
	if t.isFull() {
		t.lines = append(t.lines[:t.most], "(and more)")
	}
	return t.lines
}

func isText(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' })
}
