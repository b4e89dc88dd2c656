package specs

import (
	"bytes"
	"encoding/json"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"
)

// rewrite returns a JSON text with the values that its schema wants: a text becomes the number, boolean, list or object
// that it stands for, as in a form, and a member that counts as absent is left out. All else stays as it is written.
func (r *Reader) rewrite(schema *openapi3.Schema, text []byte) (rewritten []byte, changed bool, err error) {
	var out bytes.Buffer
	w := rewriter{
		reader: r, in: jsontext.NewDecoder(bytes.NewReader(text)),
		out: jsontext.NewEncoder(&out, jsontext.PreserveRawStrings(true)),
	}
	if err := w.value(schema); err != nil || !w.changed {
		return text, false, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), true, nil
}

type rewriter struct {
	reader  *Reader
	in      *jsontext.Decoder
	out     *jsontext.Encoder
	changed bool
}

func (w *rewriter) value(schema *openapi3.Schema) error {
	switch w.in.PeekKind() {
	case '{':
		return w.between(func() error { return w.member(schema) })
	case '[':
		var item *openapi3.Schema
		if schema != nil && schema.Items != nil {
			item = schema.Items.Value
		}
		return w.between(func() error { return w.value(item) })
	}
	raw, err := w.in.ReadValue()
	if err != nil {
		return err
	}
	value, _, err := w.scalar(schema, raw)
	if err != nil {
		return err
	}
	return w.out.WriteValue(value)
}

// between copies the opening and the closing delimiter, and calls each for what stands between them.
func (w *rewriter) between(each func() error) error {
	err := w.copyToken()
	for err == nil && w.in.PeekKind() != '}' && w.in.PeekKind() != ']' {
		err = each()
	}
	if err != nil {
		return err
	}
	return w.copyToken()
}

func (w *rewriter) copyToken() error {
	token, err := w.in.ReadToken()
	if err != nil {
		return err
	}
	return w.out.WriteToken(token)
}

func (w *rewriter) member(schema *openapi3.Schema) error {
	token, err := w.in.ReadToken()
	if err != nil {
		return err
	}
	name := token.Clone()
	part := memberOrAny(schema, name.String())
	if kind := w.in.PeekKind(); kind == '{' || kind == '[' {
		if err := w.out.WriteToken(name); err != nil {
			return err
		}
		return w.value(part)
	}
	raw, err := w.in.ReadValue()
	if err != nil {
		return err
	}
	value, isAbsent, err := w.scalar(part, raw)
	if err != nil {
		return err
	}
	if isAbsent {
		w.changed = true
		return nil
	}
	if err := w.out.WriteToken(name); err != nil {
		return err
	}
	return w.out.WriteValue(value)
}

// memberOrAny returns the schema of a member, by its name or by what the schema says of all others.
func memberOrAny(schema *openapi3.Schema, name string) *openapi3.Schema {
	if part := member(schema, name); part != nil || schema == nil || schema.AdditionalProperties.Schema == nil {
		return part
	}
	return schema.AdditionalProperties.Schema.Value
}

// scalar returns what a text, a number, a boolean or null stands for, and whether it counts as absent.
func (w *rewriter) scalar(
	schema *openapi3.Schema, raw jsontext.Value,
) (value jsontext.Value, isAbsent bool, err error) {
	if schema == nil {
		return raw, false, nil
	}
	switch raw.Kind() {
	case 'n':
		return raw, w.reader.work.Refuses(schema, nil), nil
	case '"':
		return w.text(schema, raw)
	}
	return raw, false, nil
}

func (w *rewriter) text(schema *openapi3.Schema, raw jsontext.Value) (value jsontext.Value, isAbsent bool, err error) {
	if len(raw) > len(`""`) && takesText(schema) {
		return raw, false, nil
	}
	plain, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return raw, false, err
	}
	read := w.reader.value(schema, []string{string(plain)})
	if _, isText := read.(string); isText || read == notSent {
		return raw, !isText, nil
	}
	w.changed = true
	if value, err = json.Marshal(read); err == nil {
		value, _, err = w.reader.rewrite(schema, value) // what stood in the text may hold texts
	}
	return value, false, err
}
