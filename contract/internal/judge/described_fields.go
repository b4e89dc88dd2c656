package judge

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/internal/accept/flat"
)

// Most bodies have no undeclared field. Whether one has any is looked up in what was found out of the schemas before;
// a search then says which fields, and where.

// fieldsMemo remembers which fields schemas describe.
type fieldsMemo struct{ fields sync.Map } // hash of the schemas → *describedFields

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
func (m *fieldsMemo) hasUndeclared(value flat.Value, d *describedValue) bool {
	f := m.fieldsOf(d, value)
	if value[0].Kind == flat.List {
		for rest := value.Parts(); f.items != nil && len(rest) > 0; {
			if item := rest.Cut(); item.IsContainer() && m.hasUndeclared(item, f.items) {
				return true
			}
		}
		return f.isOdd
	}
	for rest := value.Parts(); len(rest) > 0; {
		field := f.named[rest.CutName()]
		if field == nil {
			field = f.others
		}
		inner := rest.Cut()
		if field == nil && !f.isOpen || field != nil && inner.IsContainer() && m.hasUndeclared(inner, field) {
			return true
		}
	}
	return f.isOdd
}

func (m *fieldsMemo) fieldsOf(d *describedValue, value flat.Value) *describedFields {
	if known := d.fields.Load(); known != nil {
		return known
	}
	schemas := withCombined(d.schemas, nil)
	if d.chooses && value[0].Kind == flat.Object {
		schemas = withCombined(d.schemas, value)
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, w := range schemas {
		maphash.WriteComparable(&h, w.schema)
	}
	known, ok := m.fields.Load(h.Sum64())
	if !ok {
		known, _ = m.fields.LoadOrStore(h.Sum64(), newDescribedFields(schemas))
	}
	if !d.chooses {
		d.fields.Store(known.(*describedFields))
	}
	return known.(*describedFields)
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
