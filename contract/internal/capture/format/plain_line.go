package format

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"svc.example/understudy/internal/scan"
	"svc.example/understudy/specs/recording"
)

// plainLine reads a line whose members stand in the order in which recording.Line writes them, and whose bodies are
// text. It accepts nothing that a line does not.
type plainLine struct {
	*scan.Reader
	headers recording.Headers // those of the message that is read
}

// block holds the parts of an exchange, which are allocated together.
type block struct {
	recording.Exchange
	response recording.Response
	bodies   [2]recording.Body
}

var plainLines = sync.Pool{New: func() any { return &plainLine{headers: recording.Headers{}} }}

// readPlainLine returns the exchange of a line; its second result is false if the line must be decoded.
func readPlainLine(raw []byte) (*recording.Exchange, bool) {
	l := plainLines.Get().(*plainLine)
	l.Reader = scan.Of(raw)
	e := l.exchange()
	ok := l.Done()
	l.Free()
	l.Reader = nil
	clear(l.headers)
	plainLines.Put(l)
	return e, ok
}

func (l *plainLine) exchange() *recording.Exchange {
	b := &block{}
	l.Want('{')
	b.Seq = l.count("seq")
	b.Start, b.End = l.time("start"), l.time("end")
	b.Overlaps = l.count("overlaps")
	b.World = l.text("world")
	b.Epoch = l.count("epoch")
	b.Operation = l.text("operation")
	if !l.Member("request") {
		l.Fail()
	}
	l.request(b)
	if l.Member("response") {
		l.response(b)
	}
	b.Redacted, b.Notes = l.texts("redacted"), l.texts("notes")
	if b.Fault = l.text("fault"); b.Fault != "" {
		if _, ok := recording.ParseFault(b.Fault); !ok {
			l.Fail()
		}
	}
	l.Want('}')
	return &b.Exchange
}

func (l *plainLine) request(b *block) {
	l.Want('{')
	b.Request.Method, b.Request.URL = l.text("method"), l.text("url")
	if b.Request.Method == "" || b.Request.URL == "" {
		l.Fail()
	}
	b.Request.Headers = l.headerLines()
	b.Request.Body = l.body(&b.bodies[0])
	l.Want('}')
}

func (l *plainLine) response(b *block) {
	b.Response = &b.response
	l.Want('{')
	status := l.count("status")
	if status > 999 {
		l.Fail()
	}
	b.response.Status = int(status)
	b.response.Headers = l.headerLines()
	b.response.Body = l.body(&b.bodies[1])
	l.Want('}')
}

func (l *plainLine) headerLines() recording.Headers {
	if !l.Member("headers") {
		return nil
	}
	l.headers = l.headers[:0]
	l.Want('[')
	for more := l.Peek() != ']'; more && !l.Failed(); more = l.Take(',') {
		l.Want('[')
		name := l.String()
		l.Want(',')
		l.headers = append(l.headers, [2]string{name, l.String()})
		l.Want(']')
	}
	l.Want(']')
	return slices.Clone(l.headers)
}

// body reads a body into b, and returns nil if there is none.
func (l *plainLine) body(b *recording.Body) *recording.Body {
	if !l.Member("body") {
		return nil
	}
	l.Want('{')
	if l.Member("text") {
		b.Bytes = bytes.Clone(l.Bytes())
	}
	if l.Member("truncated") {
		if b.Truncated = l.Word("true"); !b.Truncated {
			l.Fail()
		}
	}
	b.Size = l.count("size")
	b.SHA256 = l.text("sha256")
	l.Want('}')
	return b
}

// count reads a member that is a number, and returns 0 if it is not there.
func (l *plainLine) count(name string) int64 {
	if !l.Member(name) {
		return 0
	}
	return l.Count()
}

// text reads a member that is a string, and returns the empty one if it is not there.
func (l *plainLine) text(name string) string {
	if !l.Member(name) {
		return ""
	}
	return l.String()
}

// texts reads a member that is a list of strings, and returns nil if it is not there.
func (l *plainLine) texts(name string) []string {
	if !l.Member(name) {
		return nil
	}
	list := []string{}
	l.Want('[')
	for more := l.Peek() != ']'; more && !l.Failed(); more = l.Take(',') {
		list = append(list, l.String())
	}
	l.Want(']')
	return list
}

// time reads a member that is a time in UTC, and returns the zero one if it is not there.
func (l *plainLine) time(name string) (t time.Time) {
	if !l.Member(name) {
		return t
	}
	const minutes, seconds = len("2006-01-02T15"), len("2006-01-02T15:04:05")
	text := l.Bytes()
	isPlain := len(text) > seconds && text[minutes] == ':' && (text[seconds] == '.' || text[seconds] == 'Z') &&
		text[len(text)-1] == 'Z' // package time takes other forms as well, which are no RFC 3339
	if !isPlain || t.UnmarshalText(text) != nil {
		l.Fail()
	}
	return t
}
