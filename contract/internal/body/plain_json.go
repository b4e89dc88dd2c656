package body

import (
	"encoding/json"
	"strings"
	"sync"

	"svc.example/understudy/contract/internal/scan"
)

// plainReader reads JSON in one pass. It accepts nothing that a jsonReader does not.
type plainReader struct {
	*scan.Reader
	members []member // of the objects that are read, the innermost last, until the size of each is known
	items   []any    // likewise of the arrays
}

type member struct {
	name  string
	value any
}

var plainReaders = sync.Pool{New: func() any { return &plainReader{} }}

// readPlain returns the value of a text; its second result is false if the text must be decoded.
func readPlain(text []byte) (value any, ok bool) {
	p := plainReaders.Get().(*plainReader)
	p.Reader = scan.Of(text)
	value = p.value(0)
	ok = p.Done()
	p.free()
	return value, ok
}

func (p *plainReader) free() {
	const worthKeeping = 1 << 12
	p.Free()
	p.Reader = nil
	if cap(p.members) <= worthKeeping && cap(p.items) <= worthKeeping {
		plainReaders.Put(p)
	}
}

// value reads a value below so many others.
func (p *plainReader) value(depth int) any {
	if depth > MaxDepth {
		p.Fail()
	}
	switch {
	case p.Failed():
		return nil
	case p.Take('{'):
		return p.object(depth + 1)
	case p.Take('['):
		return p.array(depth + 1)
	}
	value := p.Scalar()
	if number, ok := value.(json.Number); ok && strings.ContainsAny(string(number), "eE") {
		p.Fail() // its exponent may be absurd
	}
	return value
}

func (p *plainReader) object(depth int) any {
	start := len(p.members)
	for more := p.Peek() != '}'; more && !p.Failed(); more = p.Take(',') {
		name := p.String()
		p.Want(':')
		p.members = append(p.members, member{name, p.value(depth)})
	}
	p.Want('}')
	members := p.members[start:]
	object := make(map[string]any, len(members))
	for _, m := range members {
		object[m.name] = m.value
	}
	if len(object) < len(members) {
		p.Fail() // a duplicate name
	}
	clear(members)
	p.members = p.members[:start]
	return object
}

func (p *plainReader) array(depth int) any {
	start := len(p.items)
	for more := p.Peek() != ']'; more && !p.Failed(); more = p.Take(',') {
		p.items = append(p.items, p.value(depth))
	}
	p.Want(']')
	items := p.items[start:]
	array := append([]any{}, items...)
	clear(items)
	p.items = p.items[:start]
	return array
}
