package judge

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept/flat"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Most parameters and headers are absent, or single texts that compiled schemas accept. The first engine is asked about
// others.

// accepts reports whether the engine has no fault to find with a parameter.
func (p *parameters) accepts(g *openapi3.Parameter) bool {
	if g.Content != nil || g.Schema == nil {
		return false
	}
	switch {
	case g.In == openapi3.ParameterInPath && (g.Style == "" || g.Style == openapi3.SerializationSimple):
		return acceptsText(p.op.Document, g.Schema.Value, request, p.inPath(g.Name))
	case g.In == openapi3.ParameterInHeader:
		return acceptsHeader(p.op.Document, g, request, g.Name, p.headers)
	case g.In == openapi3.ParameterInQuery && (g.Style == "" || g.Style == openapi3.SerializationForm):
		switch values := p.query[g.Name]; len(values) {
		case 0:
			return !g.Required && (isSingle(g.Schema.Value) || isList(g.Schema.Value))
		case 1:
			return acceptsText(p.op.Document, g.Schema.Value, request, values[0])
		}
	}
	return false
}

// acceptsHeader reports whether the engine has no fault to find with a header of a side.
func acceptsHeader(
	d *specs.Document, h *openapi3.Parameter, side side, name string, headers recording.Headers,
) bool {
	if h.Content != nil || h.Schema == nil || !isSingle(h.Schema.Value) ||
		h.Style != "" && h.Style != openapi3.SerializationSimple {
		return false
	}
	i := slices.IndexFunc(headers, func(line [2]string) bool { return strings.EqualFold(line[0], name) })
	if i < 0 {
		return !h.Required
	}
	return http.CanonicalHeaderKey(headers[i][0]) == http.CanonicalHeaderKey(name) &&
		acceptsText(d, h.Schema.Value, side, headers[i][1])
}

// isSingle reports whether the values of a schema are strings, whole numbers or truth values, and the schema is not
// combined.
func isSingle(schema *openapi3.Schema) bool {
	return !isCombinedSchema(schema) && (schema.Type.Is(openapi3.TypeString) ||
		schema.Type.Is(openapi3.TypeInteger) || schema.Type.Is(openapi3.TypeBoolean))
}

func isList(schema *openapi3.Schema) bool {
	return !isCombinedSchema(schema) && schema.Type.Is(openapi3.TypeArray)
}

func isCombinedSchema(schema *openapi3.Schema) bool {
	return len(schema.AllOf)+len(schema.AnyOf)+len(schema.OneOf) > 0 || schema.Not != nil
}

// acceptsText reports whether the engine takes a text for a value of a schema of single values.
func acceptsText(d *specs.Document, schema *openapi3.Schema, side side, text string) bool {
	const bits = 32 // what is larger may be too large for its format
	tree := treeOf(d, schema, side)
	if tree == nil || text == "" || !isSingle(schema) {
		return false
	}
	switch {
	case schema.Type.Is(openapi3.TypeString):
		return tree.AcceptsFlat(flat.OfText(text))
	case schema.Type.Is(openapi3.TypeBoolean):
		return (text == "true" || text == "false") && tree.AcceptsFlat(flat.OfBool(text == "true"))
	}
	n, err := strconv.ParseInt(text, 10, bits)
	return err == nil && tree.AcceptsFlat(flat.OfNumber(float64(n)))
}
