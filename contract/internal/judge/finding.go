package judge

import (
	"cmp"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/memo"
	"svc.example/understudy/specs"
)

type side int

const (
	request side = iota
	response
)

func (s side) String() string { return [...]string{"request", "response"}[s] }

// finding completes a finding with its operation, the place of its fact in the document, and its fingerprint. Its
// Spec.Pointer may lead through references. A provenance that is set stays.
func (j *Judge) finding(number int, op *specs.Operation, f report.Finding) report.Finding {
	f.Exchange, f.Evidence = number, []int{number}
	f.Message = short(f.Message)
	for i := range f.Engines {
		f.Engines[i].Message = short(f.Engines[i].Message)
	}
	if op != nil {
		place := j.place(op, f.Spec.Pointer)
		f.Interface, f.Operation = op.Interface, op.Name()
		f.Spec = report.Spec{File: place.File, Line: place.Line, Pointer: place.Pointer}
		if f.Provenance == "" {
			f.Provenance = place.Provenance
		}
	}
	f.ID = report.Fingerprint(&f)
	return f
}

func (j *Judge) place(op *specs.Operation, pointer string) specs.Place {
	return j.places.of(op.Document, pointer)
}

// placeMemo remembers places, since the same few are needed again and again.
type placeMemo struct {
	places memo.Map[placeKey, specs.Place]
}

type placeKey struct {
	document *specs.Document
	pointer  string
}

// of returns the place to which a pointer leads. A fact without provenance, as in a user's own document, counts as
// documented.
func (m *placeMemo) of(d *specs.Document, pointer string) specs.Place {
	return m.places.Of(placeKey{d, pointer}, func() specs.Place {
		place, err := d.Place(pointer)
		if err != nil {
			place = specs.Place{Pointer: pointer, File: d.File}
		}
		place.Provenance = cmp.Or(place.Provenance, specs.Documented)
		return place
	})
}

// join writes a JSON pointer below another.
func join(pointer string, tokens ...string) string {
	for _, token := range tokens {
		pointer += "/" + specs.EscapePointer(token)
	}
	return pointer
}
