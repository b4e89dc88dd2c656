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
	"svc.example/understudy/specs/source"
)

// brand stands between the wire, which speaks the brand, and handlers, which know the neutral identifiers only. What is
// renamed is swapped: a client that sends a neutral name where the brand is another one sends an unknown name, which
// handlers then see, and which comes back as it was sent.
//
// Texts carry the brand by themselves: documents and the scenarios that come with the mock are read with it, and what
// handlers write goes through the brand of the world.
type brand struct {
	*swap
	neutral *specs.Document // nil where nothing is renamed
}

func newBrand(rules *op.Interface, word specs.Brand) (b brand, err error) {
	if rules.Branded || rules.Name == specs.Control {
		return b, nil
	}
	if b.swap, err = newSwap(word, rules.Name); err != nil || b.swap == nil {
		return b, err
	}
	b.neutral, err = specs.Load(rules.Name, specs.Neutral)
	return b, err
}

// operation returns the operation as handlers know it: that of our document, with neutral identifiers.
func (b brand) operation(own *specs.Operation) *specs.Operation {
	if own == nil || own.Embedded == nil {
		return own
	}
	if b.neutral != nil {
		return b.neutral.Operation(own.Embedded.ID)
	}
	return own.Embedded
}

// refusal renames identifiers in what handlers say of a request.
func (b brand) refusal(err error) error {
	if b.swap == nil || err == nil {
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

// remarks renames identifiers in the notes of a reply.
func (b brand) remarks(reply op.Reply) op.Reply {
	if b.swap == nil || len(reply.Notes) == 0 {
		return reply
	}
	notes := make([]string, len(reply.Notes))
	for i, note := range reply.Notes {
		notes[i] = b.text(note)
	}
	reply.Notes = notes
	return reply
}

// swap exchanges neutral identifiers and those of a brand. Doing it twice changes nothing. A nil swap renames nothing.
type swap struct {
	swapped map[string]string
	words   *regexp.Regexp
}

// newSwap makes the swap of the identifiers of interfaces, or nil if there are none.
func newSwap(word specs.Brand, interfaces ...specs.Interface) (*swap, error) {
	s := &swap{swapped: map[string]string{}}
	for _, name := range interfaces {
		identifiers, err := word.Identifiers(name)
		if err != nil {
			return nil, err
		}
		for neutral, own := range identifiers {
			s.swapped[neutral], s.swapped[own] = own, neutral
		}
	}
	if len(s.swapped) == 0 {
		return nil, nil
	}
	s.words = regexp.MustCompile(`\b(` + strings.Join(slices.Sorted(maps.Keys(s.swapped)), "|") + `)\b`)
	return s, nil
}

// names returns the identifiers that are renamed, each with what becomes of it.
func (s *swap) names() map[string]string {
	if s == nil {
		return nil
	}
	return s.swapped
}

func (s *swap) text(text string) string {
	if s == nil {
		return text
	}
	return s.words.ReplaceAllStringFunc(text, func(word string) string { return s.swapped[word] })
}

// members renames the members of all objects in a JSON text. A text that is not JSON stays as it is.
func (s *swap) members(text []byte) []byte {
	if s == nil || !s.words.Match(text) {
		return text
	}
	var renamed bytes.Buffer
	d, e := newRewriter(text, &renamed)
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(renamed.Bytes(), []byte("\n"))
		}
		if kind, n := d.StackIndex(d.StackDepth()); err == nil && kind == '{' && n%2 == 1 && token.Kind() == '"' {
			if own, ok := s.swapped[token.String()]; ok {
				token = jsontext.String(own)
			}
		}
		if err != nil || e.WriteToken(token) != nil {
			return text
		}
	}
}

// newRewriter returns a reader and a writer of JSON that leave everything as it is.
func newRewriter(text []byte, into io.Writer) (*jsontext.Decoder, *jsontext.Encoder) {
	options := []jsontext.Options{
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true),
	}
	return jsontext.NewDecoder(bytes.NewReader(text), options...), jsontext.NewEncoder(into, options...)
}

// swapState renames the members in the state of a world, where each interface has a section: a dump has the names that
// are on the wire.
func swapState(state []byte, word specs.Brand) ([]byte, error) {
	if all, err := newSwap(word, specs.Interfaces()...); err != nil || all == nil {
		return state, err
	}
	var renamed bytes.Buffer
	d, e := newRewriter(state, &renamed)
	brace, err := d.ReadToken()
	if err != nil || brace.Kind() != '{' {
		return state, nil //nolint:nilerr // what is wrong with it is reported where it is read
	}
	for err = e.WriteToken(brace); err == nil && d.PeekKind() != '}'; {
		err = swapSection(d, e, word)
	}
	if err == nil {
		err = e.WriteToken(jsontext.EndObject)
	}
	return bytes.TrimSuffix(renamed.Bytes(), []byte("\n")), err
}

// swapSection copies a member of a world's state. What events have is the client's own: nothing in it is renamed.
func swapSection(d *jsontext.Decoder, e *jsontext.Encoder, word specs.Brand) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	name := token.String()
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	text := []byte(value)
	if slices.Contains(specs.InterfaceNames(), name) && name != specs.Ingestion {
		names, err := newSwap(word, specs.Interface(name))
		if err != nil {
			return err
		}
		text = names.members(text)
	}
	if err := e.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	return e.WriteValue(text)
}

// inWords renames the neutral identifiers in an error about something that a user wrote. Problems with files stay
// apart.
func inWords(err error, word specs.Brand) error {
	names, failed := newSwap(word, specs.Interfaces()...)
	if err == nil || failed != nil || names == nil || !names.words.MatchString(err.Error()) {
		return err
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, err := range joined.Unwrap() {
			all = append(all, inWords(err, word))
		}
		return errors.Join(all...)
	}
	if p, ok := err.(*source.Problem); ok { //nolint:errorlint // what wraps one is another error
		return &source.Problem{File: p.File, Line: p.Line, Path: names.text(p.Path), Reason: names.text(p.Reason)}
	}
	return wordedError{err, names.text(err.Error())}
}

type wordedError struct {
	error
	text string
}

func (e wordedError) Error() string { return e.text }
func (e wordedError) Unwrap() error { return e.error }
