package capture

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// appendJSON writes a value as JSON. Numbers and truth values are what they were in the recording; what JSON cannot
// write, such as the infinities of YAML, is a text.
func (v value) appendJSON(b []byte) []byte {
	switch v.kind {
	case null:
		return append(b, "null"...)
	case scalar:
		return v.appendScalar(b)
	case list, object:
	}
	opening, closing := byte('['), byte(']')
	if v.kind == object {
		opening, closing = '{', '}'
	}
	b = append(b, opening)
	for i, item := range v.items {
		if i > 0 {
			b = append(b, ',')
		}
		if v.kind == object {
			b = append(appendText(b, v.keys[i]), ':')
		}
		b = item.appendJSON(b)
	}
	return append(b, closing)
}

func (v value) appendScalar(b []byte) []byte {
	if !v.isLiteral {
		return appendText(b, v.text)
	}
	if literal := strings.ToLower(v.text); jsontext.Value(literal).IsValid() {
		return append(b, literal...)
	}
	var number float64 // such as .5, 0x1f and 1_000 in YAML
	if err := yaml.Unmarshal([]byte(v.text), &number); err == nil {
		if literal := jsontext.Float(number).String(); isNumber(literal) {
			return append(b, literal...)
		}
	}
	return appendText(b, v.text)
}

func isNumber(text string) bool {
	return jsontext.Value(text).Kind() == '0' && jsontext.Value(text).IsValid()
}

// appendText writes a text in quotes. Invalid UTF-8 becomes the replacement character.
func appendText(b []byte, text string) []byte {
	quoted, _ := jsontext.AppendQuote(b, text) // the only error is invalid UTF-8
	return quoted
}
