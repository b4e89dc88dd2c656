package body

import (
	"encoding/json"
	"strings"

	"svc.example/understudy/contract/internal/scan"
)

// plainReader reads JSON in one pass. It accepts nothing that a jsonReader does not.
type plainReader struct{ *scan.Reader }

// readPlain returns the value of a text; its second result is false if the text must be decoded.
func readPlain(text []byte) (value any, ok bool) {
	p := plainReader{scan.Of(text)}
	defer p.Free()
	value = p.value(0)
	return value, p.Done()
}

// value reads a value below so many others.
func (p plainReader) value(depth int) any {
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

func (p plainReader) object(depth int) any {
	object := map[string]any{}
	for more := p.Peek() != '}'; more && !p.Failed(); more = p.Take(',') {
		name := p.String()
		p.Want(':')
		before := len(object)
		if object[name] = p.value(depth); len(object) == before {
			p.Fail() // a duplicate name
		}
	}
	p.Want('}')
	return object
}

func (p plainReader) array(depth int) any {
	array := []any{}
	for more := p.Peek() != ']'; more && !p.Failed(); more = p.Take(',') {
		array = append(array, p.value(depth))
	}
	p.Want(']')
	return array
}
