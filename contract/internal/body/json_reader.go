package body

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
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
	b := bodies.Get().(*Body)
	defer b.Free()
	if b.read(data) {
		return b.Value.AsWritten(), nil
	}
	return decodeWithCare(data)
}

// decodeWithCare reads what is too large for a flat value, or finds what is wrong.
func decodeWithCare(data []byte) (value any, err error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	if err := json.UnmarshalDecode(d, &value, json.WithUnmarshalers(json.UnmarshalFromFunc(withLimits))); err != nil {
		if _, ok := errors.AsType[*json.SemanticError](err); !ok {
			err = firstError(data)
		}
		return nil, fmt.Errorf("not JSON: %w", withoutText(err))
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("not JSON: %w", errTrailing)
	}
	return value, nil
}

// firstError returns the error of a text that is not JSON, at the byte at which it is not.
func firstError(data []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	for {
		if _, err := d.ReadToken(); err != nil {
			return err
		}
	}
}

// withoutText returns an error without the decoder's prefix and without parts of the text, which may be secret.
func withoutText(err error) error {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok { // of withLimits
		return semantic.Err
	}
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

// withLimits reads values as package json does, but numbers as they are written, and none beyond our limits.
func withLimits(d *jsontext.Decoder, value *any) error {
	if d.StackDepth() > MaxDepth {
		return errDepth
	}
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	token, err := d.ReadToken()
	if err == nil {
		*value, err = number(token.String())
	}
	return err
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
	return stdjson.Number(text), nil
}
