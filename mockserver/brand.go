package mockserver

import (
	"errors"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
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
