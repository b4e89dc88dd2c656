package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is the largest depth of JSON. Anything deeper is an attack, not a message.
const MaxDepth = 256

const maxExponent = 4096 // larger ones take seconds to compute with

var (
	errDepth    = fmt.Errorf("nested deeper than %d levels", MaxDepth)
	errExponent = fmt.Errorf("a number has an exponent beyond %d", maxExponent)
	errTrailing = errors.New("data after the value")
	errSyntax   = errors.New("a syntax error")
	errEarly    = errors.New("the text ends too early")
)

// isBroken reports whether no reader would accept a text as JSON. Some accept duplicate keys, and values beyond our
// limits.
func isBroken(err error) bool {
	return errors.Is(err, errSyntax) || errors.Is(err, errEarly) || errors.Is(err, errTrailing)
}

// DecodeJSON reads exactly one JSON value: UTF-8, no duplicate keys, nothing after it, no absurd numbers or nesting.
// Numbers are json.Number, so that no digits are lost.
func DecodeJSON(data []byte) (any, error) {
	if value, ok := readPlain(data); ok {
		return value, nil
	}
	d := &jsonReader{jsontext.NewDecoder(bytes.NewBuffer(data))}
	value, err := d.value()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", withoutText(err))
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("not JSON: %w", errTrailing)
	}
	return value, nil
}

// withoutText returns an error without the decoder's prefix and without parts of the text, which may be secret.
func withoutText(err error) error {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		if errors.Is(err, io.EOF) {
			return errEarly
		}
		return err
	}
	reason := errSyntax
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		reason = errors.New("a duplicate key")
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = errEarly
	}
	return fmt.Errorf("%w at byte %d", reason, syntactic.ByteOffset)
}

type jsonReader struct{ *jsontext.Decoder }

func (d *jsonReader) value() (any, error) {
	if d.StackDepth() > MaxDepth {
		return nil, errDepth
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		return token.String(), nil
	case '0':
		return number(token.String())
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func (d *jsonReader) object() (any, error) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if object[key], err = d.value(); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err
}

func (d *jsonReader) array() (any, error) {
	array := []any{}
	for d.PeekKind() != ']' {
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err := d.ReadToken()
	return array, err
}

func number(text string) (any, error) {
	for i, c := range []byte(text) {
		if c == 'e' || c == 'E' {
			exponent, err := strconv.Atoi(text[i+1:])
			if err != nil || exponent > maxExponent || exponent < -maxExponent {
				return nil, errExponent
			}
		}
	}
	return json.Number(text), nil
}
