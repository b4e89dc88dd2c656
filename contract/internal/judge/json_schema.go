package judge

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/specs"
)

// Schemas of documents of a user's own may say all that OpenAPI 3.0 or JSON Schema knows. They are compiled once, with
// all rules of their version; kin-openapi is asked in their place where one cannot be compiled.

// schemaCompiler compiles schemas of a document for the messages of one side.
type schemaCompiler struct {
	mu       sync.Mutex
	tree     map[string]any
	compiler *jsonschema.Compiler
	known    sync.Map // *jsonschema.Schema by pointer; nil where it cannot be compiled
}

func newSchemaCompiler(d *specs.Document, side side) *schemaCompiler {
	tree, err := d.JSONSchemas(side == request)
	if err != nil {
		return nil
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseRegexpEngine(compilePattern)
	c.UseLoader(noLoader{})
	for name, format := range accept.Known {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: ofTexts(format.Validate)})
	}
	c.RegisterFormat(&jsonschema.Format{Name: specs.UnknownDialect, Validate: func(any) error { return errDialect }})
	for bits := uint(8); bits <= 64; bits *= 2 { // which the format registry of OpenAPI lists
		c.RegisterFormat(&jsonschema.Format{Name: fmt.Sprint("int", bits), Validate: ofIntegers(bits, true)})
		c.RegisterFormat(&jsonschema.Format{Name: fmt.Sprint("uint", bits), Validate: ofIntegers(bits, false)})
	}
	if c.AddResource(specs.SchemasURL, tree) != nil {
		return nil
	}
	return &schemaCompiler{tree: tree, compiler: c}
}

var errDialect = errors.New("the dialect of the schema is not known")

// noLoader loads nothing: all that a document refers to is in it.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(address string) (any, error) {
	return nil, fmt.Errorf("%s is not in the document", address)
}

func ofTexts(has func(string) error) func(any) error {
	return func(value any) error {
		if text, isText := value.(string); isText {
			return has(text)
		}
		return nil
	}
}

// ofIntegers returns a check that whole numbers fit into so many bits, one of which may be a sign, as they are written.
func ofIntegers(bits uint, isSigned bool) func(any) error {
	limit, least := new(big.Int).Lsh(big.NewInt(1), bits), new(big.Int)
	if isSigned {
		limit.Rsh(limit, 1)
		least.Neg(limit)
	}
	return func(value any) error {
		n, isNumber := new(big.Rat).SetString(fmt.Sprint(value))
		if _, isText := value.(string); isText || !isNumber || !n.IsInt() {
			return nil
		}
		if n.Num().Cmp(limit) >= 0 || n.Num().Cmp(least) < 0 {
			return fmt.Errorf("it does not fit into %d bits", bits)
		}
		return nil
	}
}

// compilePattern compiles an expression of ECMAScript as far as Go has the same.
func compilePattern(pattern string) (jsonschema.Regexp, error) {
	compiled, err := regexp.Compile(specs.GoPattern(pattern))
	return ecmaPattern{compiled, pattern}, err
}

// isPattern reports whether a text may be an expression of ECMAScript, which has more than Go, such as looking ahead.
func isPattern(text any) bool {
	var wrong *syntax.Error
	_, err := compilePattern(fmt.Sprint(text))
	return errors.As(err, &wrong) && (wrong.Code == syntax.ErrInvalidPerlOp || wrong.Code == syntax.ErrInvalidEscape)
}

// ecmaPattern is a pattern, with its text as the document has it.
type ecmaPattern struct {
	*regexp.Regexp
	text string
}

func (p ecmaPattern) String() string { return p.text }

// compiled returns a schema of a user's own document; nil of others, and where it cannot be compiled.
func compiled(d *specs.Document, pointer string, side side) *jsonschema.Schema {
	if !d.IsUsers() {
		return nil
	}
	known := &cacheOf(d).compilers[side]
	known.once.Do(func() { known.compiler = newSchemaCompiler(d, side) })
	if known.compiler == nil {
		return nil
	}
	return known.compiler.compile(pointer)
}

// compilerOnce is the compiler of a side, once it is needed.
type compilerOnce struct {
	once     sync.Once
	compiler *schemaCompiler
}

func (c *schemaCompiler) compile(pointer string) *jsonschema.Schema {
	if known, ok := c.known.Load(pointer); ok {
		return known.(*jsonschema.Schema)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var schema *jsonschema.Schema
	if plain, isThere := specs.WithoutReferences(c.tree, pointer); isThere {
		schema, _ = c.compiler.Compile(specs.SchemasURL + "#" + (&url.URL{Fragment: plain}).EscapedFragment())
	}
	c.known.Store(pointer, schema)
	return schema
}

// jsonSchema adds what is wrong with a value by a compiled schema.
func (f *faultList) jsonSchema(schema *jsonschema.Schema, value any, at []string) {
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(value); errors.As(err, &invalid) {
		f.failure(invalid, at)
	}
}

// failure adds the innermost reasons of an error. A value that fits none of several schemas is one fault, unless its
// discriminator chooses among them.
func (f *faultList) failure(e *jsonschema.ValidationError, at []string) {
	causes := e.Causes
	isOther := func(cause *jsonschema.ValidationError) bool { return isOtherAlternative(e, cause) }
	switch e.ErrorKind.(type) {
	case *kind.OneOf, *kind.AnyOf:
		causes = slices.DeleteFunc(slices.Clone(causes), isOther)
		if len(causes) != 1 {
			causes = nil
		}
	case *kind.Contains, *kind.Not, *kind.PropertyNames:
		causes = nil
	}
	if k, isFormat := e.ErrorKind.(*kind.Format); isFormat && k.Want == "regex" && isPattern(k.Got) {
		return
	}
	for _, cause := range causes {
		f.failure(cause, at)
	}
	switch {
	case len(causes) > 0:
		return
	case isUnread(e):
		f.doubt = "the schema at " + strings.TrimSuffix(pointerOf(e), "/format") +
			" of the document is of a dialect of JSON Schema that is not known"
		return
	}
	one := fault{path: slices.Concat(at, e.InstanceLocation), pointer: pointerOf(e), message: reasonOf(e.ErrorKind)}
	if keywords := e.ErrorKind.KeywordPath(); len(keywords) > 0 {
		one.keyword = keywords[0]
	}
	if slices.ContainsFunc(e.Causes, isOther) || isChoice(e) {
		one.keyword = "discriminator"
	}
	var members []string
	message := "property %q is missing"
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		members = k.Missing
	case *kind.AdditionalProperties:
		members, message = k.Properties, "property %q is unsupported"
	case *kind.Format:
		one.format = k.Want
	}
	for _, name := range members {
		each := one
		each.path, each.message = append(slices.Clip(one.path), name), fmt.Sprintf(message, name)
		f.add(each)
	}
	if len(members) == 0 {
		f.add(one)
	}
}

func (f *faultList) add(one fault) {
	if f.room() {
		f.list = append(f.list, one)
	}
}

// isUnread reports whether a value may fit, as far as it is known: a schema of an unknown dialect is among the reasons.
func isUnread(e *jsonschema.ValidationError) bool {
	k, isFormat := e.ErrorKind.(*kind.Format)
	return isFormat && k.Want == specs.UnknownDialect || slices.ContainsFunc(e.Causes, isUnread)
}

// isOtherAlternative reports whether a value does not fit one of the alternatives of a schema because the discriminator
// of that names another.
func isOtherAlternative(of, e *jsonschema.ValidationError) bool {
	if place := chosen.FindStringIndex(e.SchemaURL); isChoice(e) && place[0] == len(of.SchemaURL) &&
		strings.HasPrefix(e.SchemaURL, of.SchemaURL) {
		return true
	}
	isOther := func(cause *jsonschema.ValidationError) bool { return isOtherAlternative(of, cause) }
	return slices.ContainsFunc(e.Causes, isOther)
}

// isChoice reports whether a discriminator does not have the name of the alternative.
func isChoice(e *jsonschema.ValidationError) bool {
	_, isEnum := e.ErrorKind.(*kind.Enum)
	return isEnum && chosen.MatchString(e.SchemaURL)
}

// chosen matches the places of the names that choose an alternative, in the form of specs.Document.JSONSchemas.
var chosen = regexp.MustCompile(`/(?:oneOf|anyOf)/[0-9]+/allOf/1/properties/[^/]+$`)

// pointerOf returns the place in the document of what a value broke.
func pointerOf(e *jsonschema.ValidationError) string {
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		pointer = fragment
	}
	return join(pointer, e.ErrorKind.KeywordPath()...)
}

// reasonOf returns why a value is wrong, without the value, which may be secret.
func reasonOf(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		if k.Got == "null" {
			return "Value is not nullable"
		}
		article := "a "
		if len(k.Want) > 1 {
			article = "one of "
		} else if strings.ContainsAny(k.Want[0][:1], "aio") {
			article = "an "
		}
		return "value must be " + article + strings.Join(k.Want, ", ")
	case *kind.Enum:
		return "value is not one of the allowed values"
	case *kind.Const:
		return "value is not the only allowed one"
	case *kind.Format:
		if _, isText := k.Got.(string); isText {
			return fmt.Sprintf("string doesn't match the format %q", k.Want)
		}
		return fmt.Sprintf("integer doesn't match the format %q", k.Want)
	case *kind.Pattern:
		return "string doesn't match the regular expression " + quoted(k.Want)
	case *kind.Minimum:
		return "number must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "number must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "number must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "number must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "number must be a multiple of " + decimal(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("minimum string length is %d", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("maximum string length is %d", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("minimum number of items is %d", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("maximum number of items is %d", k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are the same", k.Duplicates[0], k.Duplicates[1])
	case *kind.FalseSchema:
		return "no value is allowed here"
	}
	keyword := strings.Join(k.KeywordPath(), " ")
	switch k.(type) {
	case *kind.OneOf, *kind.AnyOf:
		return fmt.Sprintf("value doesn't match any schema from %q", keyword)
	case *kind.Not:
		keyword = "not"
	}
	return fmt.Sprintf("does not satisfy %q", keyword)
}

func decimal(n *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(n.FloatString(6), "0"), ".")
}

// locate finds the pointer of the keyword that a value broke. The engine reports the schema, the keyword and the place
// of the value, but not the way through the document, which is found by walking along. When that fails, the pointer
// leads as far as the walk came.
func locate(root *openapi3.Schema, pointer string, path []string, broken *openapi3.Schema, keyword string) string {
	w := &keywordSearch{broken: broken, keyword: keyword}
	if found, ok := w.find(root, pointer, path, 0); ok {
		return found
	}
	return pointer
}

type keywordSearch struct {
	broken  *openapi3.Schema
	keyword string
	visited int
}

// A walk is bounded for schemas that contain themselves, and for those whose parts multiply.
const (
	maxWalk  = 64     // schemas deep
	maxSteps = 10_000 // schemas in all
)

func (w *keywordSearch) find(schema *openapi3.Schema, pointer string, path []string, depth int) (string, bool) {
	if w.visited++; schema == nil || depth > maxWalk || w.visited > maxSteps {
		return "", false
	}
	if schema == w.broken && (len(path) == 0 || len(path) == 1 && w.keyword == "required") {
		if w.keyword == "" {
			return pointer, true
		}
		return join(pointer, keywordOf(w.keyword)), true
	}
	for _, one := range combinedSchemas(schema, pointer) {
		if found, ok := w.find(one.schema, one.pointer, path, depth+1); ok {
			return found, true
		}
	}
	if len(path) == 0 {
		return "", false
	}
	next := innerSchema(schema, pointer, path[0])
	return w.find(next.schema, next.pointer, path[1:], depth+1)
}

// keywordOf returns the document's keyword for the engine's name.
func keywordOf(field string) string {
	if field == "properties" {
		return "additionalProperties"
	}
	return field
}

// locatedSchema is a schema with its JSON pointer.
type locatedSchema struct {
	schema  *openapi3.Schema
	pointer string
}

// noPointer stands for the pointer of a schema, and of all inside it, when it is not needed.
const noPointer = ""

// inside writes a JSON pointer below another, unless that is noPointer.
func inside(pointer string, tokens ...string) string {
	if pointer == noPointer {
		return noPointer
	}
	return join(pointer, tokens...)
}

// combinedSchemas lists the schemas that a schema applies, or may apply, to the same value.
func combinedSchemas(schema *openapi3.Schema, pointer string) []locatedSchema {
	var schemas []locatedSchema
	for _, kind := range []struct {
		name string
		refs openapi3.SchemaRefs
	}{{"allOf", schema.AllOf}, {"anyOf", schema.AnyOf}, {"oneOf", schema.OneOf}} {
		for i, ref := range kind.refs {
			schemas = append(schemas, locatedSchema{ref.Value, inside(pointer, kind.name, strconv.Itoa(i))})
		}
	}
	for i, ref := range []*openapi3.SchemaRef{schema.If, schema.Then, schema.Else} {
		if ref != nil && ref.Value != nil {
			schemas = append(schemas, locatedSchema{ref.Value, inside(pointer, []string{"if", "then", "else"}[i])})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.DependentSchemas)) {
		ref := schema.DependentSchemas[name]
		schemas = append(schemas, locatedSchema{ref.Value, inside(pointer, "dependentSchemas", name)})
	}
	return schemas
}

// innerSchema returns the schema of a member or an item of a value.
func innerSchema(schema *openapi3.Schema, pointer, token string) locatedSchema {
	if property := schema.Properties[token]; property != nil {
		return locatedSchema{property.Value, inside(pointer, "properties", token)}
	}
	if schema.Items != nil {
		if _, err := strconv.Atoi(token); err == nil {
			return locatedSchema{schema.Items.Value, inside(pointer, "items")}
		}
	}
	if additional := schema.AdditionalProperties.Schema; additional != nil {
		return locatedSchema{additional.Value, inside(pointer, "additionalProperties")}
	}
	return locatedSchema{}
}
