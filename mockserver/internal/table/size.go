package table

import (
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// Meters returns a function that adds up the meters of all tables, indexes and their like that are fields of a struct,
// or of structs within it.
func Meters[T any]() func(*T) int64 {
	places := meters(reflect.TypeFor[T](), 0)
	return func(value *T) (n int64) {
		for _, place := range places {
			n += (*Meter)(unsafe.Add(unsafe.Pointer(value), place)).bytes
		}
		return n
	}
}

// Sames returns a function that reports whether all tables and indexes that are fields of two structs, or of structs
// within them, have the same entries because one is a copy of the other. It may report false although they have.
func Sames[T any]() func(a, b *T) bool {
	places := meters(reflect.TypeFor[T](), 0)
	all := unsafe.Offsetof(tree{}.all) // as in an index
	return func(a, b *T) bool {
		for _, place := range places {
			if *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(a), place+all)) !=
				*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(b), place+all)) {
				return false
			}
		}
		return true
	}
}

// meters returns where the meters of a struct are, which itself is at a place.
func meters(t reflect.Type, place uintptr) (places []uintptr) {
	switch {
	case t.Kind() != reflect.Struct:
		return nil
	case isMetered(t):
		return []uintptr{place}
	}
	for field := range t.Fields() {
		places = append(places, meters(field.Type, place+field.Offset)...)
	}
	return places
}

// isMetered reports whether a struct begins with a meter.
func isMetered(t reflect.Type) bool { return t.NumField() > 0 && t.Field(0).Type == meterType }

// entryCost is an estimate of the bytes that a table or an index needs for an entry beside the entry itself.
const entryCost = 64

// Meter counts what a struct takes in memory beside its shallow size. Size asks it instead of looking through the
// struct when it is the first field.
type Meter struct{ bytes int64 }

// Charge adds n bytes, which may be fewer than none.
func (m *Meter) Charge(n int64) { m.bytes += n }

// MemorySize returns about how many bytes there are.
func (m Meter) MemorySize() int64 { return m.bytes }

// Size returns about how many bytes a value takes in memory, with what it points to. What it points to twice counts
// twice.
func Size[T any](value *T) int64 { return size(reflect.ValueOf(value).Elem()) }

func size(v reflect.Value) int64 {
	n := int64(v.Type().Size())
	if more := sizerOf(v.Type()); more != nil {
		n += more(v)
	}
	return n
}

// sizer returns what a value takes beside its shallow size. It is nil for types that take no more than that.
type sizer func(reflect.Value) int64

// sizers are kept, since they are asked for each row that is put.
var sizers sync.Map // reflect.Type → sizer

var (
	meterType = reflect.TypeFor[Meter]()
	timeType  = reflect.TypeFor[time.Time]()
)

func sizerOf(t reflect.Type) sizer {
	if known, ok := sizers.Load(t); ok {
		return known.(sizer)
	}
	s := newSizer(t)
	sizers.Store(t, s)
	return s
}

func newSizer(t reflect.Type) sizer {
	switch t.Kind() {
	case reflect.String:
		return func(v reflect.Value) int64 { return int64(v.Len()) }
	case reflect.Slice:
		return sliceSizer(t)
	case reflect.Pointer:
		return pointerSizer(t)
	case reflect.Map:
		return mapSizer(t)
	case reflect.Struct:
		return structSizer(t)
	case reflect.Array:
		return arraySizer(t)
	case reflect.Interface:
		return interfaceSize
	default:
		return nil
	}
}

func sliceSizer(t reflect.Type) sizer {
	items := arraySizer(t)
	size := int64(t.Elem().Size())
	return func(v reflect.Value) int64 {
		n := size * int64(v.Len())
		if items != nil {
			n += items(v)
		}
		return n
	}
}

// arraySizer returns what the items of a slice or an array take beside their places in it.
func arraySizer(t reflect.Type) sizer {
	if t.Elem().Kind() == reflect.Uint8 {
		return nil
	}
	var once sync.Once
	var item sizer // found late, since types may contain themselves
	return func(v reflect.Value) (n int64) {
		once.Do(func() { item = sizerOf(t.Elem()) })
		for i := 0; item != nil && i < v.Len(); i++ {
			n += item(v.Index(i))
		}
		return n
	}
}

func pointerSizer(t reflect.Type) sizer {
	size := int64(t.Elem().Size())
	return func(v reflect.Value) int64 {
		if v.IsNil() {
			return 0
		}
		n := size
		if item := sizerOf(t.Elem()); item != nil {
			n += item(v.Elem())
		}
		return n
	}
}

func mapSizer(t reflect.Type) sizer {
	size := int64(t.Key().Size()+t.Elem().Size()) + entryCost
	return func(v reflect.Value) int64 {
		n := size * int64(v.Len())
		key, value := sizerOf(t.Key()), sizerOf(t.Elem())
		for it := v.MapRange(); it.Next(); {
			if key != nil {
				n += key(it.Key())
			}
			if value != nil {
				n += value(it.Value())
			}
		}
		return n
	}
}

// structSizer looks only at fields that may take more than their place.
func structSizer(t reflect.Type) sizer {
	switch {
	case t == timeType: // whose location is shared
		return nil
	case isMetered(t):
		return func(v reflect.Value) int64 { return v.Field(0).Field(0).Int() }
	}
	type field struct {
		index int
		size  sizer
	}
	var fields []field
	for i := range t.NumField() {
		if s := sizerOf(t.Field(i).Type); s != nil {
			fields = append(fields, field{i, s})
		}
	}
	if fields == nil {
		return nil
	}
	return func(v reflect.Value) (n int64) {
		for _, f := range fields {
			n += f.size(v.Field(f.index))
		}
		return n
	}
}

// interfaceSize does not follow pointers: what is behind them may change meanwhile.
func interfaceSize(v reflect.Value) int64 {
	if v = v.Elem(); !v.IsValid() || v.Kind() == reflect.Pointer {
		return 0
	}
	n := int64(v.Type().Size())
	if more := sizerOf(v.Type()); more != nil {
		n += more(v)
	}
	return n
}
