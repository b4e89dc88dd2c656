package tree

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// AppendJSON writes a value as JSON. Numbers and truth values are what they were in the recording; what JSON cannot
// write, such as the infinities of YAML, is a text.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.Kind {
	case Null:
		return append(b, "null"...)
	case Scalar:
		return v.appendScalar(b)
	case List, Object:
	}
	opening, closing := byte('['), byte(']')
	if v.Kind == Object {
		opening, closing = '{', '}'
	}
	b = append(b, opening)
	for i, item := range v.Items {
		if i > 0 {
			b = append(b, ',')
		}
		if v.Kind == Object {
			b = append(appendText(b, v.Keys[i]), ':')
		}
		b = item.AppendJSON(b)
	}
	return append(b, closing)
}

func (v Value) appendScalar(b []byte) []byte {
	if !v.isLiteral {
		return appendText(b, v.Text)
	}
	if literal := strings.ToLower(v.Text); jsontext.Value(literal).IsValid() {
		return append(b, literal...)
	}
	var number float64 // such as .5, 0x1f and 1_000 in YAML
	if err := yaml.Unmarshal([]byte(v.Text), &number); err == nil {
		if literal := jsontext.Float(number).String(); isNumber(literal) {
			return append(b, literal...)
		}
	}
	return appendText(b, v.Text)
}

func isNumber(text string) bool {
	return jsontext.Value(text).Kind() == '0' && jsontext.Value(text).IsValid()
}

// appendText writes a text in quotes. Invalid UTF-8 becomes the replacement character.
func appendText(b []byte, text string) []byte {
	quoted, _ := jsontext.AppendQuote(b, text) // the only error is invalid UTF-8
	return quoted
}
