package validate

import (
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
)

// schema is a schema that values are held against, with its compiled form. That accepts most values; the others are
// shown to kin-openapi, which has the last word and the messages.
type schema struct {
	*openapi3.Schema
	direction accept.Direction
	compile   sync.Once    // when the schema is first needed
	tree      *accept.Tree // nil if it cannot be compiled
}

func newSchema(of *openapi3.Schema, direction accept.Direction) *schema {
	return &schema{Schema: of, direction: direction}
}

// compiled returns the compiled form; nil if there is none.
func (s *schema) compiled() *accept.Tree {
	s.compile.Do(func() { s.tree = accept.Compile(s.Schema, s.direction) })
	return s.tree
}

// accepts reports whether the compiled form accepts a value. If not, the value may be valid all the same.
func (s *schema) accepts(value any) bool {
	tree := s.compiled()
	return tree != nil && tree.Accepts(value)
}

// acceptsText reports whether the compiled form accepts a JSON text. If not, the text may be valid all the same.
func (s *schema) acceptsText(text []byte) bool {
	tree := s.compiled()
	return tree != nil && tree.AcceptsText(text)
}

// plain returns the schema itself; nil if there is none.
func (s *schema) plain() *openapi3.Schema {
	if s == nil {
		return nil
	}
	return s.Schema
}
