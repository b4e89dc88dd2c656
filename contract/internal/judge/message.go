package judge

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// message is a request or a response, with what is documented for its body.
type message struct {
	op        *specs.Operation
	side      side
	status    int // of the response
	reception reception
	method    string
	headers   recording.Headers
	kind      string // Content-Type
	body      *recording.Body
	doubt     string
	*documentedBody
	form *bodyForm // what is documented for its Content-Type

	queryMembers []string // members of the body that are in the query
	bodiless     bool     // the recording has no body, only members in the query
	isReading    bool     // the body is the JSON that the sent body was read as
	sentType     string   // Content-Type of the sent body, if it was read as JSON

	sampled bool // the second engine judges it even if the first one finds no fault

	read *body.Body // if it is JSON that was read as it was sent

	isFaulty bool // a fault was applied, which may have cut the body

	documented *documentedStatus // of a response
	codings    *body.Codings
}

// neverBody returns why a message has no body, whatever its document says (RFC 9110, 6.4.1), or nothing if it may have
// one, or if it has none by the document as well.
func (m *message) neverBody() string {
	switch {
	case m.side == request:
	case m.method == http.MethodHead:
		return "the response to a HEAD request has a body"
	case m.status == http.StatusNotModified, m.status == http.StatusNoContent && len(m.content) > 0:
		return fmt.Sprintf("the response with status %d has a body, which HTTP does not allow", m.status)
	}
	return ""
}

// presence reports whether there is a body to judge, or why that is not known.
func (m *message) presence() (isThere bool, doubt string) {
	isEmpty := m.body == nil || len(m.body.Bytes) == 0
	switch {
	case m.body == nil && m.doubt != "" && len(m.content) > 0:
		return false, m.doubt
	case m.body == nil && m.required:
		return false, "the recording does not contain the body, and one is documented"
	case m.body == nil, isEmpty && !m.required && m.doubt == "", isEmpty && len(m.content) == 0:
		return false, ""
	}
	return true, ""
}

func (m *message) mediaMessage(header string) string {
	documented := slices.Sorted(maps.Keys(m.content))
	switch {
	case len(documented) == 0:
		return fmt.Sprintf("the %s has a body, but none is documented", m.side)
	case header == "":
		return fmt.Sprintf("the %s has no Content-Type; documented: %s", m.side, strings.Join(documented, ", "))
	}
	return fmt.Sprintf("the %s has Content-Type %q; documented: %s", m.side, header, strings.Join(documented, ", "))
}

// isWhole reports whether a body is recorded byte for byte: its Content-Length fits, and it has no stand-ins for
// secrets, which may break a text whose length the tool then corrects.
func (m *message) isWhole() bool {
	return m.body != nil && m.headers.Value("Content-Length") == strconv.Itoa(len(m.body.Bytes)) && !m.hasStandIn()
}

// hasStandIn reports whether a body has stand-ins for secrets. The tags of a page are none.
func (m *message) hasStandIn() bool {
	text := m.body.Bytes
	return bytes.Contains(text, []byte(recording.Mark)) || !markup.Match(text) && placeholder.Match(text)
}

// mayBeEdited reports whether the tool that recorded a body, or its user, may have changed the text: there are
// stand-ins, or a note that it was cut.
func (m *message) mayBeEdited() bool {
	const note = 64 // bytes at the end in which tools say so
	text := bytes.ToLower(bytes.TrimSpace(m.body.Bytes))
	end := text[max(len(text)-note, 0):]
	isCut := func(mark string) bool { return bytes.Contains(end, []byte(mark)) }
	return m.hasStandIn() || isCut("truncat") || isCut("...") || isCut("…") ||
		isStandIn(string(text)) && !markup.Match(text)
}

var markup = regexp.MustCompile(`(?is)^\s*<(?:!doctype|\?xml|[a-z][^>]*>.*</)`)

var placeholder = regexp.MustCompile(`<[A-Z][A-Z0-9_ -]*>|\{\{|\*{3}`)

// maxConcurrent is the size in bytes up to which bodies are judged concurrently. Larger ones take turns, since a
// decoded body takes many times its bytes, and the check of a large one ends with its first fault.
const maxConcurrent = 1 << 20

// mayBeLarge reports whether a body is large, or may be once it is decompressed.
func (m *message) mayBeLarge() bool {
	const ratio = 64
	if m.body == nil {
		return false
	}
	n := len(m.body.Bytes)
	return n > maxConcurrent || n > maxConcurrent/ratio && m.headers.Value("Content-Encoding") != ""
}

// isCut reports whether a fault cut a body, which may be in doubt: it is shorter than its Content-Length says, or empty
// where one is documented.
func (m *message) isCut(doubt string) bool {
	if !m.isFaulty {
		return false
	}
	size := 0
	if m.body != nil {
		size = len(m.body.Bytes)
	}
	length, err := strconv.Atoi(m.headers.Value("Content-Length"))
	return doubt != "" || m.doubt != "" || m.required && size == 0 || err == nil && length > size
}

// touched returns the parts of the operation that a message touches by its presence and its media type, before the body
// is read.
func (m *message) touched() *coverage.Set {
	header, form := m.sentType, m.form
	switch {
	case !m.isReading:
		header = m.kind
	case header == "" || m.documentedBody.form(header).media != nil:
		form = m.documentedBody.form(header)
	}
	isThere := header != "" || m.body != nil && len(m.body.Bytes) > 0 && !m.bodiless
	if m.side == response && len(m.content) == 0 || form.media != nil && isThere {
		return form.touched
	}
	return m.untouched
}

// touch returns a set with what a body touches in addition.
func (m *message) touch(s *coverage.Set, decoded *body.Body) *coverage.Set {
	s = s.Clone()
	for _, value := range decoded.All() {
		if m.side == request {
			s.RequestValue(value, decoded.Lines)
		} else {
			s.ResponseValue(m.documented.key, value, decoded.Lines)
		}
	}
	return s
}
