package mockserver

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// brand stands between the wire, which speaks the brand, and rules, which know the neutral identifiers only. What is
// renamed is swapped: a client that sends a neutral name where the brand is another one sends an unknown name, which
// rules then see, and which comes back as it was sent.
type brand struct {
	neutral *specs.Document
	swapped map[string]string
	words   *regexp.Regexp
}

// newBrand is nil where nothing is to be renamed.
func newBrand(rules *op.Interface, word specs.Brand) (*brand, error) {
	if rules.Branded || rules.Name == specs.Control {
		return nil, nil
	}
	identifiers, err := word.Identifiers(rules.Name)
	if err != nil || len(identifiers) == 0 {
		return nil, err
	}
	b := &brand{swapped: map[string]string{}}
	for neutral, own := range identifiers {
		b.swapped[neutral], b.swapped[own] = own, neutral
	}
	b.words = regexp.MustCompile(`\b(` + strings.Join(slices.Sorted(maps.Keys(b.swapped)), "|") + `)\b`)
	b.neutral, err = specs.Load(rules.Name, specs.Neutral)
	return b, err
}

// operation returns the operation as handlers know it: that of our document, with neutral identifiers.
func (b *brand) operation(own *specs.Operation) *specs.Operation {
	if own == nil || own.Embedded == nil {
		return own
	}
	if b != nil {
		return b.neutral.Operation(own.Embedded.ID)
	}
	return own.Embedded
}

// names are the identifiers that are renamed, each with what becomes of it.
func (b *brand) names() map[string]string {
	if b == nil {
		return nil
	}
	return b.swapped
}

// members renames the members of all objects in a JSON text. What is no JSON stays as it is.
func (b *brand) members(text []byte) []byte {
	if b == nil || !b.words.Match(text) {
		return text
	}
	options := []jsontext.Options{
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true),
	}
	var renamed bytes.Buffer
	d, e := jsontext.NewDecoder(bytes.NewReader(text), options...), jsontext.NewEncoder(&renamed, options...)
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(renamed.Bytes(), []byte("\n"))
		}
		if kind, n := d.StackIndex(d.StackDepth()); err == nil && kind == '{' && n%2 == 1 && token.Kind() == '"' {
			if own, ok := b.swapped[token.String()]; ok {
				token = jsontext.String(own)
			}
		}
		if err != nil || e.WriteToken(token) != nil {
			return text
		}
	}
}

// refusal renames what rules say of a request.
func (b *brand) refusal(err error) error {
	if b == nil || err == nil {
		return err
	}
	var list []error
	for _, part := range flatten(err) {
		if said := (*op.Error)(nil); errors.As(part, &said) {
			one := *said
			one.Field, one.Message = b.text(one.Field), b.text(one.Message)
			part = &one
		}
		list = append(list, part)
	}
	return errors.Join(list...)
}

func (b *brand) text(s string) string {
	return b.words.ReplaceAllStringFunc(s, func(word string) string { return b.swapped[word] })
}
