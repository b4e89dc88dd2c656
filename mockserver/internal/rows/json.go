package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON reads one object after the other, or an array of them. Anything but an object is a wrong row, behind which
// the next one follows.
func (s *stream) readJSON(plain *bufio.Reader) error {
	decoder := jsontext.NewDecoder(plain, jsontext.AllowDuplicateNames(true))
	s.row = 1
	inArray := decoder.PeekKind() == '['
	if inArray {
		if _, err := decoder.ReadToken(); err != nil {
			return s.brokenJSON(err)
		}
	}
	for ; ; s.row++ {
		if inArray && decoder.PeekKind() == ']' {
			return s.endOfArray(decoder)
		}
		value, err := decoder.ReadValue()
		if errors.Is(err, io.EOF) && !inArray {
			return nil
		}
		if err == nil && len(value) > maxRow {
			err = fmt.Errorf("has more than %d bytes", maxRow)
		}
		if err == nil && depthOf(value) > maxDepth {
			err = fmt.Errorf("is nested deeper than %d levels", maxDepth)
		}
		if err != nil {
			return s.brokenJSON(err)
		}
		row, wrong := parseRow(value)
		if err := s.deliver(row, wrong); err != nil {
			return err
		}
	}
}

func (s *stream) endOfArray(decoder *jsontext.Decoder) error {
	if _, err := decoder.ReadToken(); err != nil {
		return s.brokenJSON(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the array of rows")
	}
	return nil
}

func (s *stream) brokenJSON(err error) error {
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("row %d: not valid JSON: %s", s.row, strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	return s.readError(err)
}

// depthOf returns how deep lists and objects stand within each other in a JSON value.
func depthOf(value jsontext.Value) (deepest int) {
	depth, inText := 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{', c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}', c == ']':
			depth--
		}
	}
	return deepest
}

func parseRow(value jsontext.Value) (row Row, err error) {
	if value.Kind() != '{' {
		s, err := plainJSON(value)
		if err != nil {
			return row, err
		}
		return row, fmt.Errorf("want an object, not %s", s.kind)
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true))
	if _, err := decoder.ReadToken(); err != nil {
		return row, err
	}
	var columns []column
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return row, err
		}
		c := column{name: scalar{name.String(), textKind}}
		raw, err := decoder.ReadValue()
		if err == nil {
			c.value, err = plainJSON(raw)
		}
		if err != nil {
			return row, err
		}
		columns = append(columns, c)
	}
	return assemble(columns)
}

// plainJSON returns a JSON value as text: a number as it is spelled, a list or an object without white space.
func plainJSON(value jsontext.Value) (s scalar, err error) {
	switch value.Kind() {
	case 'n':
		return scalar{"null", nullKind}, nil
	case 't', 'f':
		return scalar{string(value), boolKind}, nil
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		return scalar{string(text), textKind}, err
	case '0':
		if _, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return scalar{string(value), longKind}, nil
		}
		return scalar{string(value), doubleKind}, nil
	}
	compact := value.Clone()
	if err := compact.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		return s, err
	}
	if compact.Kind() == '[' {
		return scalar{string(compact), listKind}, nil
	}
	return scalar{string(compact), mapKind}, nil
}
