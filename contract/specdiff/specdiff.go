// Package specdiff lists what changed between two OpenAPI documents of one interface, how much each change may break,
// and, given recordings, who uses what changed.
//
// What clients send and what they get is compared in opposite directions: a narrower request is refused to clients who
// sent what was allowed before, and a wider answer holds what clients never had to expect.
package specdiff

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Change is one difference between two documents.
type Change struct {
	// Severity is an error if clients that keep to the old document break, a warning if they may, and otherwise a notice.
	Severity  report.Severity `json:"severity"`
	Kind      string          `json:"kind"`                // such as property-removed
	Operation string          `json:"operation,omitempty"` // such as shop.getProduct; empty of the whole document
	// Place names the part of a message, such as "query limit", "request /name" or "200 /items/*/id"; empty of the whole
	// operation.
	Place   string `json:"place,omitempty"`
	Message string `json:"message"`
	// Spec is the place in the new document, or in the old one of what is removed; nil of the whole document. Changes of
	// one schema that several operations refer to have the same.
	Spec *Spec `json:"spec,omitempty"`
	Use  *Use  `json:"use,omitempty"` // nil without recordings

	trace trace
}

// Spec is a place in one of the documents, references followed.
type Spec struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Pointer string `json:"pointer"` // such as /components/schemas/Product/properties/name
}

// Use counts the exchanges that have to do with a change.
type Use struct {
	What      string `json:"what"` // what the counted ones have in common: "called", "sent", "shown" or "refused"
	Exchanges int    `json:"exchanges"`
	Callers   int    `json:"callers"`
	Of        int    `json:"of"` // exchanges of the operation; of a part of an answer, those with its status
	OfCallers int    `json:"ofCallers"`
	First     int    `json:"first,omitempty"` // the number of the first one in the recordings

	callers, ofCallers map[string]bool
}

// The ways in which an exchange shows that a change has to do with it.
const (
	called  = "called"  // it is of the operation
	sent    = "sent"    // the request has the part
	shown   = "shown"   // the answer has the part
	refused = "refused" // the new document has something against the request at a pointer, and the old one has not
)

// trace says in which exchanges a change shows.
type trace struct {
	what    string // one of the above
	part    string // as the coverage of the old document names it, or a place below it; with a * at the end, any such
	aspect  coverage.Aspect
	status  string   // as documented, of answers
	media   []string // of bodies with the part, if coverage has none of it
	pointer string   // in an exchange that is refused
	header  string   // of an answer, that it has

	credentials *[]string // headers of a request that it has; nil where that does not matter
}

// IsBreaking reports whether clients that keep to the old document break.
func (c *Change) IsBreaking() bool { return c.Severity == report.Error }

// IsUsed reports whether an exchange shows that the change concerns a caller. Without recordings, it may.
func (c *Change) IsUsed() bool { return c.Use == nil || c.Use.Exchanges > 0 }

// Compare lists the changes from an old document to a new one of the same interface: by operations in the order of the
// old document, then what is new.
func Compare(old, changed *specs.Document) []Change {
	c := &comparison{open: map[pair]bool{}}
	c.servers("", addresses(old.T.Servers), addresses(changed.T.Servers))
	byRoute := map[string]*specs.Operation{}
	for _, op := range changed.Operations {
		byRoute[routeOf(op)] = op
	}
	for _, op := range old.Operations {
		c.old, c.new, c.begin, c.steps = op, byRoute[routeOf(op)], len(c.changes), 0
		if c.new != nil {
			delete(byRoute, routeOf(op))
			c.operation()
			continue
		}
		message := fmt.Sprintf("%s %s removed", op.Method, op.Path)
		if moved := changed.Operation(op.ID); moved != nil && moved.ID == op.ID {
			message += fmt.Sprintf("; %s is now %s %s", op.ID, moved.Method, moved.Path)
		}
		c.add(report.Error, "operation-removed", place{}, message, trace{what: called})
	}
	c.old, c.begin = nil, len(c.changes)
	for _, op := range slices.SortedFunc(maps.Values(byRoute),
		func(a, b *specs.Operation) int { return cmp.Compare(routeOf(a), routeOf(b)) }) {
		c.new = op
		c.add(report.Notice, "operation-added", place{}, fmt.Sprintf("%s %s added", op.Method, op.Path), trace{})
	}
	return c.changes
}

// routeOf returns the method and path of an operation without the names of parameters, which are nothing to clients.
func routeOf(op *specs.Operation) string {
	path := op.Path
	for i, name := range op.PathParameters() {
		path = strings.Replace(path, "{"+name+"}", fmt.Sprintf("{%d}", i), 1)
	}
	return path + " " + op.Method
}

// comparison is a comparison of two operations under way.
type comparison struct {
	old, new *specs.Operation
	changes  []Change
	open     map[pair]bool // schemas that are being compared
	begin    int           // the first change of the operations
	steps    int           // schemas that were compared
}

// place is a place in the messages of an operation.
type place struct {
	name   string // such as "query limit", "request" or "200 header X-Total"
	path   string // in a body, such as /items/*/id
	status string // of an answer, as documented
	media  string // of a body
	header string // of an answer
	choice string // the path of the nearest choice between schemas around it; a request is refused there
}

// spec returns where the document of an operation describes the place, or else what it is part of.
func (p place) spec(op *specs.Operation) (spec *Spec, isWhole bool) {
	pointer := specs.Pointer{"paths", op.Template, strings.ToLower(op.Method)}
	_, header, isHeader := strings.Cut(p.name, " header ")
	switch in, name, _ := strings.Cut(p.name, " "); {
	case p.isAnswer() && isHeader:
		pointer = append(pointer, "responses", p.status, "headers", header)
	case p.isAnswer():
		pointer = append(pointer, "responses", p.status)
	case p.name == "request":
		pointer = append(pointer, "requestBody")
	case p.name != "":
		pointer = parameterPointer(op, pointer, in, name)
	}
	if p.media != "" {
		pointer = append(pointer, "content", p.media)
	}
	if p.path != "" || p.media != "" {
		pointer = append(pointer, "schema")
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(p.path, "/"), "/") {
		switch token {
		case "":
		case "*":
			pointer = append(pointer, "items")
		default:
			pointer = append(pointer, "properties", token)
		}
	}
	at, err := op.Document.Place(pointer.String())
	if err != nil {
		return nil, false
	}
	return &Spec{at.File, at.Line, at.Pointer}, path.Base(at.Pointer) == specs.EscapePointer(pointer[len(pointer)-1])
}

// parameterPointer returns where a parameter is described: at the operation or at its path.
func parameterPointer(op *specs.Operation, at specs.Pointer, in, name string) specs.Pointer {
	isIt := func(ref *openapi3.ParameterRef) bool {
		return ref.Value != nil && ref.Value.In == in && ref.Value.Name == name
	}
	if i := slices.IndexFunc(op.Spec.Parameters, isIt); i >= 0 {
		return append(at, "parameters", strconv.Itoa(i))
	}
	if item := op.Document.T.Paths.Value(op.Template); item != nil {
		if i := slices.IndexFunc(item.Parameters, isIt); i >= 0 {
			return append(at[:len(at)-1], "parameters", strconv.Itoa(i))
		}
	}
	return append(at, "parameters", "-") // there is none
}

func (p place) isAnswer() bool { return p.status != "" }

func (p place) String() string { return strings.TrimSpace(p.name + " " + p.path) }

func (p place) at(token string) place {
	p.path += "/" + token
	return p
}

// trace returns how an exchange shows the place, by the part of coverage that is nearest to it.
func (p place) trace() trace {
	switch {
	case p.header != "":
		return trace{what: shown, part: p.status + "*", aspect: coverage.ResponseParts, status: p.status, header: p.header}
	case p.isAnswer():
		return trace{
			what: shown, part: p.String(), aspect: coverage.PropertyParts, status: p.status, media: []string{p.media},
		}
	case p.name == "request":
		return trace{what: sent, part: p.String(), aspect: coverage.PropertyParts, media: []string{p.media}}
	}
	return trace{what: sent, part: p.name, aspect: coverage.ParameterParts}
}

// refused returns how a request shows that it is not accepted any more for what it has at the place, or lacks there.
func (p place) refused() trace {
	if p.name == "request" {
		return trace{what: refused, pointer: "/request/body" + cmp.Or(p.choice, p.path)}
	}
	return trace{what: refused, pointer: "/request/" + strings.Replace(p.name, " ", "/", 1)}
}

func (c *comparison) add(severity report.Severity, kind string, at place, message string, t trace) {
	change := Change{Severity: severity, Kind: kind, Place: at.String(), Message: message, trace: t}
	if op := cmp.Or(c.old, c.new); op != nil {
		change.Operation = op.Name()
	}
	for i := range c.changes[c.begin:] { // the same in another media type
		if other := &c.changes[c.begin+i]; other.Kind == kind && other.Place == change.Place && other.Message == message {
			other.trace.media = append(other.trace.media, t.media...)
			return
		}
	}
	for _, op := range []*specs.Operation{c.old, c.new} { // what is in both is shown in the new one
		if op == nil {
			continue
		}
		if spec, isWhole := at.spec(op); isWhole || change.Spec == nil {
			change.Spec = spec
		}
	}
	c.changes = append(c.changes, change)
}

// narrower adds that some values are not allowed any more at a place.
func (c *comparison) narrower(kind string, at place, message string) {
	if at.isAnswer() {
		c.add(report.Notice, kind, at, message, trace{})
		return
	}
	c.add(report.Error, kind, at, message, at.refused())
}

// wider adds that more values are allowed at a place than before; in answers with the given severity.
func (c *comparison) wider(kind string, at place, message string, inAnswers report.Severity) {
	if !at.isAnswer() {
		c.add(report.Notice, kind, at, message, trace{})
		return
	}
	c.add(inAnswers, kind, at, message, at.trace())
}

// other adds that other values are allowed at a place than before.
func (c *comparison) other(kind string, at place, message string, inAnswers report.Severity) {
	if at.isAnswer() {
		c.wider(kind, at, message, inAnswers)
		return
	}
	c.narrower(kind, at, message)
}
