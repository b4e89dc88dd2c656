package capture

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

var errNetstring = errors.New("it is damaged: a netstring does not have the length that it declares")

// ofNetstring reads a netstring with a type: a payload, and the byte behind it that says what it is.
func (t *tree) ofNetstring(payload []byte, kind byte, depth int) (v value, err error) {
	if t.count++; t.count > maxValues {
		return v, errCrowded
	}
	if depth > maxNesting {
		return v, errNested
	}
	switch kind {
	case '~':
		return v, nil
	case ',', ';':
		return value{kind: scalar, text: string(payload)}, nil
	case '#', '^', '!':
		return value{kind: scalar, text: string(payload), isLiteral: true}, nil
	case ']':
		v.kind = list
	case '}':
		v.kind = object
	default:
		return v, fmt.Errorf("it is damaged: unknown netstring type %q", rune(kind))
	}
	for len(payload) > 0 {
		var part value
		if part, payload, err = t.nextNetstring(payload, depth+1); err != nil {
			return v, err
		}
		if v.kind == object && len(v.keys) == len(v.items) {
			v.keys = append(v.keys, part.text)
			continue
		}
		v.items = append(v.items, part)
	}
	if v.kind == object && len(v.keys) != len(v.items) {
		return v, errNetstring
	}
	return v, nil
}

func (t *tree) nextNetstring(from []byte, depth int) (v value, rest []byte, err error) {
	length, rest, found := bytes.Cut(from, []byte{':'})
	n, err := strconv.ParseUint(string(length[:min(len(length), 10)]), 10, 31)
	if !found || err != nil || int(n) >= len(rest) {
		return v, nil, errNetstring
	}
	v, err = t.ofNetstring(rest[:n], rest[n], depth)
	return v, rest[n+1:], err
}
