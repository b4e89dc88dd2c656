package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/capture/tree"
	"svc.example/understudy/specs/recording"
)

// readDocument reads a document as a whole, up to MaxEntry, and yields the exchanges in it.
func readDocument(drafts func(document tree.Value) ([]record.Draft, error)) func(in *record.Input,
	yield func(record.Raw, error) bool) bool {
	return func(in *record.Input, yield func(record.Raw, error) bool) bool {
		place := in.Place()
		raw, err := io.ReadAll(io.LimitReader(in.Reader, record.MaxEntry+1))
		if err != nil {
			return yield(record.Raw{}, in.Broken(err))
		}
		if len(raw) > record.MaxEntry {
			return yield(record.Raw{},
				in.Problem(record.TooLarge,
					fmt.Errorf("it is longer than %d MiB and cannot be read in parts", record.MaxEntry>>20)))
		}
		document, err := parseDocument(raw)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return yield(record.Raw{}, in.Problem(record.Truncated, errors.New("the document is cut off here")))
		case err != nil:
			return yield(record.Raw{}, in.Problem(record.Malformed, err))
		}
		list, err := drafts(document)
		if err != nil && !yield(record.Raw{},
			&record.ReadError{Position: record.Position{File: in.Name}, Kind: record.Skipped, Err: err}) {
			return false
		}
		for _, d := range list {
			decode := func(r record.Raw) (record.Item, error) { return r.ItemOf(d.OrAt("http://localhost")) }
			if !yield(record.Raw{Position: place, Decoder: decode}, nil) {
				return false
			}
		}
		return true
	}
}

// parseDocument reads a document in JSON or YAML.
func parseDocument(raw []byte) (tree.Value, error) {
	if begin := bytes.TrimLeft(raw, " \t\r\n"); len(begin) == 0 || begin[0] == '{' || begin[0] == '[' {
		return record.ParseJSON(raw)
	}
	doc, err := parseYAML(raw)
	if err != nil {
		return tree.Value{}, err
	}
	return new(tree.Builder).OfYAML(doc.Content[0], 0)
}

// variables holds the values that a collection of requests refers to by names, as in {{base}}/api/pools.
type variables struct {
	values map[string]string
	left   int // bytes that may still be put in the place of names, in all texts of the document
}

var template = regexp.MustCompile(`\{\{\s*(?:_\.)?([\w.-]+)\s*\}\}`)

const (
	maxResolved  = 8 << 20 // bytes
	maxReferring = 8       // times that a value may refer to another one
)

func newVariables() *variables { return &variables{values: map[string]string{}, left: maxResolved} }

// resolve puts values in the place of their names. An address that begins with a name that is not known loses it: its
// path is known all the same.
func (v *variables) resolve(text string) string {
	for range maxReferring {
		resolved := template.ReplaceAllStringFunc(text, v.valueOf)
		if resolved == text {
			break
		}
		text = resolved
	}
	if at := template.FindStringIndex(text); at != nil && at[0] == 0 && strings.HasPrefix(text[at[1]:], "/") {
		return text[at[1]:]
	}
	return text
}

func (v *variables) valueOf(name string) string {
	value, known := v.values[template.FindStringSubmatch(name)[1]]
	if !known || len(value) > v.left {
		return name
	}
	v.left -= len(value)
	return value
}

// resolveAll resolves names and values.
func (v *variables) resolveAll(headers recording.Headers) recording.Headers {
	for i := range headers {
		headers[i] = [2]string{v.resolve(headers[i][0]), v.resolve(headers[i][1])}
	}
	return headers
}
