// Package suggest finds what recordings show and a document lacks: operations, statuses, media types, parameters and
// fields. It makes a patch of the document, an OpenAPI Overlay or a JSON Merge Patch. People should review it before
// they apply it: types are inferred, and names are made up where traffic has none.
package suggest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Collector collects what documents lack. It is used by one goroutine.
type Collector struct {
	redactor *recording.Redactor
	drafts   map[*specs.Document]*draft
}

// NewCollector returns a collector for documents, whose examples hold no secrets.
func NewCollector(documents []*specs.Document, redactor *recording.Redactor) *Collector {
	c := &Collector{redactor: redactor, drafts: map[*specs.Document]*draft{}}
	for _, d := range documents {
		c.drafts[d] = newDraft(d)
	}
	return c
}

// addition is something that an existing part of a document lacks.
type addition struct {
	parent string // pointer of the existing part
	rest   []string
	body   *payload   // of a status or a media type
	value  *valueNode // of a field or a parameter
	query  string     // name of the parameter
}

// Take adds to the draft of a document what an exchange shows that the document lacks.
func (c *Collector) Take(r *judge.Result) {
	d := c.drafts[r.Owner.Document]
	if d == nil {
		return
	}
	e := &evidence{r: r, redactor: c.redactor, draft: d}
	taken := 0
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Verdict == report.Fail && d.document.SourceOf(f.Spec.File) != nil && d.addFinding(e, f) {
			taken++
		}
	}
	if taken > 0 {
		d.exchanges++
	}
}

// addFinding adds what a finding reports as missing in the document, and reports whether it does.
func (d *draft) addFinding(e *evidence, f *report.Finding) bool {
	side, place, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
	switch {
	case f.Rule == judge.UndocumentedOperation:
		return d.addUndocumented(e)
	case f.Rule == judge.UndocumentedStatus:
		status := fmt.Sprint(e.r.Item.Response.Status)
		return d.add("statuses", f.Spec.Pointer, []string{status}, func(a *addition) { a.body = a.body.withBody(e, side) })
	case f.Rule == judge.UndocumentedMediaType:
		return d.mediaType(e, f, side)
	case f.Rule == judge.UndeclaredField && strings.HasPrefix(place, "query/"):
		return d.parameter(e, jsontext.Pointer(place).LastToken())
	case f.Rule == judge.UndeclaredField && strings.HasPrefix(place, "body/"):
		return d.addField(e, f, side, place)
	}
	return false
}

func (d *draft) mediaType(e *evidence, f *report.Finding, side string) bool {
	parent, rest, media := f.Spec.Pointer, []string{"content"}, e.media(side)
	if side == "request" {
		parent, rest = e.r.Operation().Pointer, []string{"requestBody", "content"}
	} else if strings.HasSuffix(parent, "/content") {
		rest = nil
	}
	return media != "" &&
		d.add("media types", parent, append(rest, media), func(a *addition) { a.body = a.body.withBody(e, side) })
}

func (d *draft) parameter(e *evidence, name string) bool {
	parent := e.r.Operation().Pointer
	if !e.isNameShown(name) {
		return d.countLeftOut("names")
	}
	if d.additions[keyOf(parent, []string{"parameters", name})] == nil {
		if d.parameters[parent] >= maxNames {
			return d.countLeftOut("parameters")
		}
		d.parameters[parent]++
	}
	return d.add("parameters", parent, []string{"parameters", name}, func(a *addition) {
		a.query, a.value = name, a.value.orNew(name)
		e.addQueryValues(a.value, name)
	})
}

// addField adds a field that an object of the document lacks. If an object lacks many, they become values of a map.
func (d *draft) addField(e *evidence, f *report.Finding, side, place string) bool {
	parent, name := f.Spec.Pointer, jsontext.Pointer(place).LastToken()
	if wide := d.maps[parent]; wide != nil {
		wide.isSecret = wide.isSecret || recording.IsSecret(name)
		e.addMember(wide, side, place)
		return true
	}
	if !e.isNameShown(name) {
		return d.countLeftOut("names")
	}
	rest := []string{"properties", name}
	key := keyOf(parent, rest)
	if d.additions[key] == nil {
		if len(d.fields[parent]) >= maxNames {
			d.makeMap(parent)
			return d.addField(e, f, side, place)
		}
		d.fields[parent] = append(d.fields[parent], key)
	}
	return d.add("fields", parent, rest, func(a *addition) {
		a.value = a.value.orNew(name)
		e.addMember(a.value, side, place)
	})
}

// makeMap turns the fields that an object lacks into a map, since their names are ids.
func (d *draft) makeMap(parent string) {
	wide := (*valueNode)(nil).orNew("")
	for _, key := range slices.Sorted(slices.Values(d.fields[parent])) {
		if a := d.additions[key]; a != nil {
			wide.merge(a.value)
		}
		delete(d.additions, key)
	}
	delete(d.fields, parent)
	d.maps[parent] = wide
}

func keyOf(parent string, rest []string) string { return parent + "\n" + strings.Join(rest, "\n") }

// add adds to an existing part of the document, or to what is added there already.
func (d *draft) add(what, parent string, rest []string, edit func(*addition)) bool {
	key := keyOf(parent, rest)
	a := d.additions[key]
	if a == nil {
		if len(d.additions) >= maxAdditions {
			return d.countLeftOut(what)
		}
		a = &addition{parent: parent, rest: slices.Clone(rest)}
		d.additions[key] = a
	}
	edit(a)
	return true
}
