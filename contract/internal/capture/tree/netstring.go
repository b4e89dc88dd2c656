package tree

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

var errNetstring = errors.New("it is damaged: a netstring does not have the length that it declares")

// OfNetstring reads a netstring with a type: a payload, and the byte behind it that says what it is.
func (t *Builder) OfNetstring(payload []byte, kind byte, depth int) (v Value, err error) {
	if t.count++; t.count > maxNodes {
		return v, ErrTooManyNodes
	}
	if depth > maxNesting {
		return v, errTooDeep
	}
	switch kind {
	case '~':
		return v, nil
	case ',', ';':
		return Value{Kind: Scalar, Text: string(payload)}, nil
	case '#', '^', '!':
		return Value{Kind: Scalar, Text: string(payload), isLiteral: true}, nil
	case ']':
		v.Kind = List
	case '}':
		v.Kind = Object
	default:
		return v, fmt.Errorf("it is damaged: unknown netstring type %q", rune(kind))
	}
	for len(payload) > 0 {
		var part Value
		if part, payload, err = t.nextNetstring(payload, depth+1); err != nil {
			return v, err
		}
		if v.Kind == Object && len(v.Keys) == len(v.Items) {
			v.Keys = append(v.Keys, part.Text)
			continue
		}
		v.Items = append(v.Items, part)
	}
	if v.Kind == Object && len(v.Keys) != len(v.Items) {
		return v, errNetstring
	}
	return v, nil
}

func (t *Builder) nextNetstring(from []byte, depth int) (v Value, rest []byte, err error) {
	length, rest, found := bytes.Cut(from, []byte{':'})
	n, err := strconv.ParseUint(string(length[:min(len(length), 10)]), 10, 31)
	if !found || err != nil || int(n) >= len(rest) {
		return v, nil, errNetstring
	}
	v, err = t.OfNetstring(rest[:n], rest[n], depth)
	return v, rest[n+1:], err
}
