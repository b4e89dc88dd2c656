package judge

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/memo"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// judgeUndeclaredFields looks for fields that no schema names, whether or not the body is valid otherwise. A field is
// declared if any schema that applies to the object names it, however the schemas are combined.
func (j *Judge) judgeUndeclaredFields(o *judgement, b *content) {
	if !cacheOf(b.op.Document).fields.mayHaveUndeclared(b.decoded, b.fields) {
		o.check(UndeclaredField, report.Pass)
		return
	}
	s := searchFields(b)
	if len(s.found) == 0 {
		o.check(UndeclaredField, report.Pass)
		return
	}
	o.check(UndeclaredField, report.Fail)
	o.omit(UndeclaredField, s.more)
	for _, f := range s.found {
		provenance := j.place(b.op, f.pointer).Provenance
		severity := j.severity(b.side, provenance, b.reception)
		isOfPlatform := !b.op.Document.IsUsers()
		if isOfPlatform && b.side == request || !isOfPlatform && !j.undeclared {
			// The platform ignores what it does not know; elsewhere an object is open unless its schema closes it
			// (3.0, Schema Object, additionalProperties; JSON Schema 2020-12, 10.3.2.3).
			severity = report.Notice
		}
		j.addFinding(o, b.message, report.Finding{
			Rule: UndeclaredField, Verdict: report.Fail, Severity: severity, Message: f.message,
			Pointer: join("/"+b.side.String()+"/body", f.path...), Spec: report.Spec{Pointer: f.pointer},
		})
	}
}

// judgeExpectedFields notes the members that a request lacks although its document expects them.
func (j *Judge) judgeExpectedFields(o *judgement, b *content) {
	if b.side != request {
		return
	}
	for _, name := range b.expected {
		if b.decoded.Lines || b.decoded.Value[0].Kind != jsontree.Object || b.decoded.Value.Member(name) != nil {
			continue
		}
		o.check(Schema, report.Fail)
		j.addFinding(o, b.message, report.Finding{
			Rule: Schema, Verdict: report.Fail, Severity: report.Notice,
			Message: fmt.Sprintf("property %q is missing: one public document requires it, and clients leave it out", name),
			Pointer: join("/request/body", name), Spec: report.Spec{Pointer: b.schemaPointer + "/" + expectedExtension},
		})
	}
}

// judgeHiddenFields warns of members that messages of the side do not have: in a request what is readOnly, which should
// not be sent, and in an answer what is writeOnly (3.0, Schema Object; JSON Schema 2020-12 Validation, 9.4). A secret
// in an answer is as loud as other deviations.
func (j *Judge) judgeHiddenFields(o *judgement, b *content) {
	if b.compiled == nil || !b.hidesAny {
		return
	}
	for i, value := range b.decoded.Values() {
		var at []string
		if b.decoded.Lines {
			at = []string{strconv.Itoa(i)}
		}
		b.hidden(value, []locatedSchema{{b.media.Schema.Value, b.schemaPointer}}, at, func(path []string, w locatedSchema) {
			name, keyword := path[len(path)-1], map[side]string{request: "readOnly", response: "writeOnly"}[b.side]
			pointer := join(w.pointer, keyword)
			severity := j.severity(b.side, j.place(b.op, pointer).Provenance, b.reception)
			if b.side == request || w.schema.Format != "password" && !recording.IsSecret(name) {
				severity = severity.AtMost(report.Warning)
			}
			o.check(Schema, report.Fail)
			j.addFinding(o, b.message, report.Finding{
				Rule: Schema, Verdict: report.Fail, Severity: severity,
				Message: fmt.Sprintf("%s property %q in %s", keyword, name, b.side),
				Pointer: b.instance("/"+b.side.String()+"/body", path), Found: j.foundAt(b, path),
				Spec: report.Spec{Pointer: pointer},
			})
		})
	}
}

// hidden calls a function with each member of a value that messages of the side do not have, and its schema.
func (b *content) hidden(value any, schemas []locatedSchema, at []string, found func(path []string, w locatedSchema)) {
	if len(at) > body.MaxDepth {
		return
	}
	schemas = withCombined(schemas, jsontree.Of(value))
	inner := func(token string, value any) {
		path := append(slices.Clip(at), token)
		below := mapSchemas(schemas, func(w locatedSchema) locatedSchema { return innerSchema(w.schema, w.pointer, token) })
		for _, w := range withCombined(below, nil) {
			if b.hides(w) {
				found(path, w)
				return
			}
		}
		b.hidden(value, below, path, found)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner(name, v[name])
		}
	case []any:
		for i, item := range v {
			inner(strconv.Itoa(i), item)
		}
	}
}

// hidesAny reports whether a schema, or one that it consists of, is readOnly or writeOnly.
func hidesAny(schema *openapi3.Schema) bool {
	return openapi3.NewSchemaRef("", schema).WalkSubtree(func(_ string, ref *openapi3.SchemaRef) error {
		if ref.Value != nil && (ref.Value.ReadOnly || ref.Value.WriteOnly) {
			return errHides
		}
		return nil
	}) != nil
}

var errHides = errors.New("it is readOnly or writeOnly")

// searchFields searches a body for undeclared fields.
func searchFields(b *content) *fieldSearch {
	s := &fieldSearch{}
	root := []locatedSchema{{b.media.Schema.Value, b.schemaPointer}}
	for i, value := range b.decoded.All() {
		if b.decoded.Lines {
			s.path = append(s.path[:0], strconv.Itoa(i))
		}
		s.value(value, root)
	}
	return s
}

// fieldSearch walks a body.
type fieldSearch struct {
	path  []string // of the current value
	found []fault  // the first ones
	more  int      // beyond them
}

func (s *fieldSearch) value(value jsontree.Nodes, schemas []locatedSchema) {
	if len(s.path) > body.MaxDepth {
		return
	}
	switch value[0].Kind {
	case jsontree.Object:
		s.object(value, withCombined(schemas, value))
	case jsontree.List:
		items := itemSchemas(withCombined(schemas, nil))
		if len(items) == 0 {
			return // they are not described
		}
		rest := value.Parts()
		for i := 0; len(rest) > 0; i++ {
			s.descend(strconv.Itoa(i), rest.Cut(), items)
		}
	default: // it has no fields
	}
}

func (s *fieldSearch) descend(token string, value jsontree.Nodes, schemas []locatedSchema) {
	s.path = append(s.path, token)
	s.value(value, schemas)
	s.path = s.path[:len(s.path)-1]
}

// field is a member of an object.
type field struct {
	name  string
	value jsontree.Nodes
}

func (s *fieldSearch) object(object jsontree.Nodes, schemas []locatedSchema) {
	if !slices.ContainsFunc(schemas, func(w locatedSchema) bool { return len(w.schema.Properties) > 0 }) {
		if !slices.ContainsFunc(schemas, hasMap) {
			return // its fields are not described
		}
	}
	open := slices.ContainsFunc(schemas, isOpen)
	isNamed := func(name string) bool {
		return slices.ContainsFunc(schemas,
			func(w locatedSchema) bool { return declares(w, name) || hasMap(w) })
	}
	fields := make([]field, 0, 8) // that are to be looked at, mostly few
	for rest := object.Parts(); len(rest) > 0; {
		value := rest.Cut()
		if name := value[0].Name; value.IsContainer() || !open && !isNamed(name) {
			fields = append(fields, field{name, value})
		}
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	for _, f := range fields {
		switch {
		case isNamed(f.name):
			s.documentedField(f, schemas)
		case open:
		case len(s.found) >= maxFaults:
			s.more++
		default:
			s.found = append(s.found, fault{
				path: append(slices.Clone(s.path), f.name), pointer: schemas[0].pointer,
				message: fmt.Sprintf("field %q is not documented", f.name),
			})
		}
	}
}

// declares reports whether a schema names a field, if only to require it.
func declares(w locatedSchema, name string) bool {
	for _, names := range w.schema.DependentRequired {
		if slices.Contains(names, name) {
			return true
		}
	}
	return w.schema.Properties[name] != nil || slices.Contains(w.schema.Required, name)
}

// documentedField searches the value of a documented field.
func (s *fieldSearch) documentedField(f field, schemas []locatedSchema) {
	if f.value.IsContainer() {
		s.descend(f.name, f.value, fieldSchemas(schemas, f.name))
	}
}

// fieldSchemas lists the schemas that schemas of an object have for a field.
func fieldSchemas(schemas []locatedSchema, name string) []locatedSchema {
	return mapSchemas(schemas, func(w locatedSchema) locatedSchema {
		if w.schema.Properties[name] == nil && !hasMap(w) {
			return locatedSchema{}
		}
		return innerSchema(w.schema, w.pointer, name)
	})
}

// itemSchemas lists the schemas that schemas of a list have for its items.
func itemSchemas(schemas []locatedSchema) []locatedSchema {
	return mapSchemas(schemas, func(w locatedSchema) locatedSchema {
		if w.schema.Items == nil {
			return locatedSchema{}
		}
		return locatedSchema{w.schema.Items.Value, inside(w.pointer, "items")}
	})
}

func hasMap(w locatedSchema) bool { return w.schema.AdditionalProperties.Schema != nil }

// isOpen reports whether a schema allows fields that it does not name, by additionalProperties: true, by patterns, by
// unevaluatedProperties, or because a discriminator leads to schemas that name more.
func isOpen(w locatedSchema) bool {
	allowed := w.schema.AdditionalProperties.Has
	return allowed != nil && *allowed ||
		len(w.schema.PatternProperties) > 0 || w.schema.UnevaluatedProperties.Schema != nil ||
		w.schema.Discriminator != nil && len(w.schema.OneOf)+len(w.schema.AnyOf) == 0
}

func mapSchemas(schemas []locatedSchema, next func(locatedSchema) locatedSchema) []locatedSchema {
	var list []locatedSchema
	for _, w := range schemas {
		if n := next(w); n.schema != nil {
			list = append(list, n)
		}
	}
	return list
}

// withCombined adds the schemas that schemas are combined of. If a discriminator names one of several alternatives for
// the object, only that one is added.
func withCombined(schemas []locatedSchema, object jsontree.Nodes) []locatedSchema {
	if len(schemas) <= maxWalk && !slices.ContainsFunc(schemas, isCombined) {
		return schemas
	}
	var list []locatedSchema
	for i := 0; i < len(schemas) && len(list) <= maxWalk; i++ {
		w := schemas[i]
		list = append(list, w)
		if !isCombined(w) {
			continue
		}
		parts := combinedSchemas(w.schema, w.pointer)
		if chosen, ok := discriminated(w, parts, object); ok {
			parts = []locatedSchema{chosen}
		}
		schemas = append(slices.Clip(schemas), parts...)
	}
	return list
}

func isCombined(w locatedSchema) bool {
	s := w.schema
	return len(s.AllOf)+len(s.AnyOf)+len(s.OneOf)+len(s.DependentSchemas) > 0 || s.If != nil
}

func discriminated(w locatedSchema, parts []locatedSchema, object jsontree.Nodes) (locatedSchema, bool) {
	if w.schema.Discriminator == nil || object == nil {
		return locatedSchema{}, false
	}
	kind := ""
	if value := object.Member(w.schema.Discriminator.PropertyName); value != nil {
		kind = value[0].Text
	}
	target, ok := w.schema.Discriminator.Mapping[kind]
	if !ok {
		return locatedSchema{}, false
	}
	for i, ref := range slices.Concat(w.schema.AllOf, w.schema.AnyOf, w.schema.OneOf) {
		if ref.Ref == target.Ref {
			return parts[i], true
		}
	}
	return locatedSchema{}, false
}

// Most bodies have no undeclared field. Whether one has any is looked up in what was found out of the schemas before;
// a search then says which fields, and where.

// fieldsMemo remembers which fields schemas describe.
type fieldsMemo struct {
	fields memo.Map[uint64, *describedFields]
} // by a hash of the schemas

// describedFields are the fields and items that some schemas describe of a value to which all of them apply.
type describedFields struct {
	named  map[string]*describedValue
	others *describedValue // of fields that no schema names; nil if none describes those
	items  *describedValue // of a list; nil if none describes them
	isOpen bool            // other fields are not described
	isOdd  bool            // a schema describes what only the search tells apart, such as both lists and maps
}

// describedValue is a value with the schemas that apply to it.
type describedValue struct {
	schemas []locatedSchema
	chooses bool                            // a discriminator decides which schemas they are combined of
	fields  atomic.Pointer[describedFields] // unless it does, once they are known
}

// mayHaveUndeclared reports whether a body may have fields that are not documented.
func (m *fieldsMemo) mayHaveUndeclared(b *body.Body, d *describedValue) bool {
	for _, value := range b.All() {
		if value.IsContainer() && m.hasUndeclared(value, d) {
			return true
		}
	}
	return false
}

func describe(schemas []locatedSchema) *describedValue {
	decides := func(w locatedSchema) bool { return w.schema.Discriminator != nil }
	return &describedValue{schemas: schemas, chooses: slices.ContainsFunc(withCombined(schemas, nil), decides)}
}

// hasUndeclared reports whether a list or an object may have fields that are not documented.
func (m *fieldsMemo) hasUndeclared(value jsontree.Nodes, d *describedValue) bool {
	f := m.fieldsOf(d, value)
	if value[0].Kind == jsontree.List {
		for rest := value.Parts(); f.items != nil && len(rest) > 0; {
			if item := rest.Cut(); item.IsContainer() && m.hasUndeclared(item, f.items) {
				return true
			}
		}
		return f.isOdd
	}
	for rest := value.Parts(); len(rest) > 0; {
		inner := rest.Cut()
		field := f.named[inner[0].Name]
		if field == nil {
			field = f.others
		}
		if field == nil && !f.isOpen || field != nil && inner.IsContainer() && m.hasUndeclared(inner, field) {
			return true
		}
	}
	return f.isOdd
}

func (m *fieldsMemo) fieldsOf(d *describedValue, value jsontree.Nodes) *describedFields {
	if known := d.fields.Load(); known != nil {
		return known
	}
	schemas := withCombined(d.schemas, nil)
	if d.chooses && value[0].Kind == jsontree.Object {
		schemas = withCombined(d.schemas, value)
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, w := range schemas {
		maphash.WriteComparable(&h, w.schema)
	}
	known := m.fields.Of(h.Sum64(), func() *describedFields { return newDescribedFields(schemas) })
	if !d.chooses {
		d.fields.Store(known)
	}
	return known
}

// newDescribedFields takes all schemas of a value.
func newDescribedFields(schemas []locatedSchema) *describedFields {
	f := &describedFields{named: map[string]*describedValue{}}
	if items := itemSchemas(schemas); len(items) > 0 {
		f.items = describe(items)
	}
	others := slices.DeleteFunc(slices.Clone(schemas), func(w locatedSchema) bool { return !hasMap(w) })
	if len(others) > 0 {
		f.others = describe(fieldSchemas(others, ""))
	}
	isDescribed := len(others) > 0
	for _, w := range schemas {
		isDescribed = isDescribed || len(w.schema.Properties) > 0
		for _, name := range slices.AppendSeq(slices.Clone(w.schema.Required), maps.Keys(w.schema.Properties)) {
			if f.named[name] == nil {
				f.named[name] = describe(fieldSchemas(schemas, name))
			}
		}
		f.isOdd = f.isOdd || hasMap(w) && (w.schema.Items != nil || w.schema.Properties[""] != nil)
	}
	f.isOpen = !isDescribed || slices.ContainsFunc(schemas, isOpen)
	return f
}

// judgeUndeclaredParameters looks for query parameters that the operation does not name. One whose name is a prefix
// with brackets may be a part of an object.
func (j *Judge) judgeUndeclaredParameters(o *judgement, p *parameters) {
	var undeclared []string
	for name := range p.query {
		if !declaresQuery(p.op, name) && !p.op.Reader.TakesFromQuery(name) {
			undeclared = append(undeclared, name)
		}
	}
	slices.Sort(undeclared)
	verdict := report.Pass
	for _, name := range undeclared {
		verdict = report.Fail
		if o.isFull(UndeclaredField) {
			o.omit(UndeclaredField, 1)
			continue
		}
		provenance := j.place(p.op, p.op.Pointer+"/parameters").Provenance
		severity := j.severity(request, provenance, p.reception)
		if !p.op.Document.IsUsers() || !j.undeclared {
			severity = severity.AtMost(report.Warning)
		}
		j.addFinding(o, &p.message, report.Finding{
			Rule: UndeclaredField, Verdict: report.Fail,
			Severity: severity,
			Message:  fmt.Sprintf("query parameter %q is not documented", name),
			Pointer:  join("/request/query", name), Spec: report.Spec{Pointer: p.op.Pointer + "/parameters"},
		})
	}
	o.check(UndeclaredField, verdict)
}

func declaresQuery(op *specs.Operation, name string) bool {
	return namesQuery(op, name, nil) ||
		slices.ContainsFunc(op.Parameters, func(ref *openapi3.ParameterRef) bool { return hasMember(ref.Value, name) })
}

// namesQuery reports whether a parameter of the query has the name, but for one.
func namesQuery(op *specs.Operation, name string, except *openapi3.Parameter) bool {
	for _, ref := range op.Parameters {
		if p := ref.Value; p.In == openapi3.ParameterInQuery && p != except &&
			(p.Name == name || p.Name+"[]" == name || p.Style == "deepObject" && strings.HasPrefix(name, p.Name+"[")) {
			return true
		}
	}
	for _, scheme := range credentialSchemes(op) {
		if scheme.In == "query" && scheme.Name == name {
			return true
		}
	}
	return false
}

// judgeUndeclaredHeaders looks for headers of an answer that the document does not name for its status. An answer that
// was recorded without headers is not judged.
func (j *Judge) judgeUndeclaredHeaders(r *Result, m *message) {
	if len(m.headers) == 0 {
		r.check(UndeclaredHeader, report.Skipped)
		return
	}
	var names []string
	for _, line := range m.headers {
		if !j.standard.has(line[0]) && !declaresHeader(m.documented, line[0]) && !j.ignores(line[0]) {
			names = append(names, shownHeader(line[0]))
		}
	}
	if len(names) == 0 {
		r.check(UndeclaredHeader, report.Pass)
		return
	}
	slices.Sort(names)
	o := &judgement{}
	o.check(UndeclaredHeader, report.Fail)
	for _, name := range slices.Compact(names) {
		j.addUndeclaredHeader(o, m, name)
	}
	r.add(o.conclude())
}

// addUndeclaredHeader adds a finding on a header, without its value, which may be secret. Its fingerprint contains the
// status, since statuses may share their documentation.
func (j *Judge) addUndeclaredHeader(o *judgement, m *message, name string) {
	before := len(o.findings)
	j.addFinding(o, m, report.Finding{
		Rule: UndeclaredHeader, Severity: report.Notice, Verdict: report.Fail,
		Message: fmt.Sprintf("header %s is not documented for status %d", name, m.status),
		Pointer: join("/response/headers", name), Spec: report.Spec{Pointer: m.pointer},
	})
	for i := range o.findings[before:] {
		f := &o.findings[before+i]
		f.ID = fmt.Sprintf("%s-%d", f.ID, m.status)
	}
}

func declaresHeader(documented *documentedStatus, name string) bool {
	for _, declared := range documented.headers {
		if strings.EqualFold(declared, name) {
			return true
		}
	}
	return false
}

// headerMemo remembers whether headers are standard ones.
type headerMemo struct{ bounded[string, bool] }

func (m *headerMemo) has(name string) bool {
	if is, known := m.get(name); known {
		return is
	}
	return m.put(strings.Clone(name), isStandardHeader(name))
}

// isStandardHeader reports whether a header of an answer has a meaning of its own, whatever the interface.
func isStandardHeader(name string) bool {
	isPseudo := name == "" || name[0] == ':' // of HTTP/2
	return isPseudo || standardHeaders[name] || standardHeaders[strings.ToLower(name)] ||
		slices.ContainsFunc(standardFamilies, func(prefix string) bool {
			return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
		})
}

// shownHeader returns the name of a header in one spelling, cut if it is long.
func shownHeader(name string) string {
	const longest = 100
	if len(name) > longest {
		name = name[:longest] + "…"
	}
	return http.CanonicalHeaderKey(strings.ToValidUTF8(name, "�"))
}
