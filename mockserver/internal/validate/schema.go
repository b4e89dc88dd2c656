package validate

import (
	"cmp"
	"fmt"
	"path"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver/internal/op"
)

// schema is a schema that values are held against, with its compiled form. That accepts most values; the others are
// shown to kin-openapi, which has the last word and the messages.
type schema struct {
	*openapi3.Schema
	name      string // by which the document refers to it; empty without one
	direction accept.Direction
	formats   accept.Formats // of strings, beside those that kin-openapi knows
	work      accept.Work
	compile   sync.Once    // when the schema is first needed
	tree      *accept.Tree // nil if it cannot be compiled
}

func newSchema(of *openapi3.SchemaRef, direction accept.Direction) *schema {
	return &schema{Schema: of.Value, name: path.Base(of.Ref), direction: direction}
}

// compiled returns the compiled form; nil if there is none.
func (s *schema) compiled() *accept.Tree {
	s.compile.Do(func() { s.tree = accept.CompileWith(s.formats, s.Schema, s.direction) })
	return s.tree
}

// accepts reports whether the compiled form accepts a value. If not, the value may be valid all the same.
func (s *schema) accepts(value any) bool {
	tree := s.compiled()
	return tree != nil && tree.Accepts(value)
}

// acceptsString does the same of a string, without a copy of it.
func (s *schema) acceptsString(value string) bool {
	tree := s.compiled()
	return tree != nil && tree.AcceptsFlat(jsontree.OfText(value))
}

// acceptsText reports whether the compiled form accepts a JSON text. If not, the text may be valid all the same.
func (s *schema) acceptsText(text []byte) bool {
	tree := s.compiled()
	return tree != nil && tree.AcceptsText(text)
}

// beyond returns the error of a value that kin-openapi takes too long to hold against the schema: the client's if the
// value is wrong, or ours, of the document that is served.
func (s *schema) beyond(name string, value any) error {
	what := "the schema"
	if s.name != "." {
		what += " " + s.name
	}
	if s.compiled().Refuses(value) {
		return op.Invalid(name, "does not match %s; that combines too many schemas to say why", what)
	}
	return fmt.Errorf("%s: %s combines so many schemas, level by level, that it takes too many steps to hold a value "+
		"against it; want a discriminator, or schemas that exclude each other by the type of a value",
		cmp.Or(name, "the body"), what)
}

// plain returns the schema itself; nil if there is none.
func (s *schema) plain() *openapi3.Schema {
	if s == nil {
		return nil
	}
	return s.Schema
}
