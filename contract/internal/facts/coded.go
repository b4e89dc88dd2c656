package facts

import (
	"reflect"
	"time"
	"unsafe"
)

// part writes or reads the value of a type that is at a place in memory. The parts of a type are found once, since each
// exchange passes here: reflection for each of them would take several times as long.
type part func(c *coder, at unsafe.Pointer)

// exchange writes or reads an Exchange, member by member.
var exchange = partOf(reflect.TypeFor[Exchange]())

// nothing holds what most exchanges share instead of having nil.
var nothing = map[reflect.Type]unsafe.Pointer{
	reflect.TypeFor[WorkflowContent](): unsafe.Pointer(noWorkflow),
	reflect.TypeFor[CoreContent]():     unsafe.Pointer(noCore),
}

func partOf(t reflect.Type) part {
	switch t.Kind() {
	case reflect.String:
		return func(c *coder, at unsafe.Pointer) { c.text((*string)(at)) }
	case reflect.Int:
		return func(c *coder, at unsafe.Pointer) { number(c, (*int)(at)) }
	case reflect.Int64:
		return func(c *coder, at unsafe.Pointer) { number(c, (*int64)(at)) }
	case reflect.Uint64:
		return func(c *coder, at unsafe.Pointer) { c.hash((*uint64)(at)) }
	case reflect.Bool:
		return func(c *coder, at unsafe.Pointer) { c.truth((*bool)(at)) }
	case reflect.Slice:
		return listOf(t)
	case reflect.Pointer:
		return optional(t.Elem())
	default: // a struct
	}
	if t == reflect.TypeFor[time.Time]() {
		return func(c *coder, at unsafe.Pointer) { c.time((*time.Time)(at)) }
	}
	return membersOf(t)
}

// member is a part of a struct, of which that of an inner struct counts as one, too.
type member struct {
	code   part
	offset uintptr
}

func membersOf(t reflect.Type) part {
	list := appendMembers(nil, t, 0)
	return func(c *coder, at unsafe.Pointer) {
		for _, m := range list {
			m.code(c, unsafe.Add(at, m.offset))
		}
	}
}

func appendMembers(list []member, t reflect.Type, offset uintptr) []member {
	for f := range t.Fields() {
		switch {
		case f.Tag.Get("coded") == "-":
		case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Time]():
			list = appendMembers(list, f.Type, offset+f.Offset)
		default:
			list = append(list, member{partOf(f.Type), offset + f.Offset})
		}
	}
	return list
}

// enough is the number of elements for which room is made before they are read.
const enough = 64

func listOf(t reflect.Type) part {
	code, size := partOf(t.Elem()), t.Elem().Size()
	return func(c *coder, at unsafe.Pointer) {
		header := (*[]struct{})(at) // whose length is that of any list
		n := c.length(len(*header))
		if !c.isReading() {
			first := unsafe.Pointer(unsafe.SliceData(*header))
			for i := range n {
				code(c, unsafe.Add(first, uintptr(i)*size))
			}
			return
		}
		items := reflect.NewAt(t, at).Elem()
		for i := 0; i < n && !c.isBroken; i++ {
			if i == items.Cap() {
				items.Grow(min(n-i, max(i, enough)))
			}
			items.SetLen(i + 1)
			code(c, items.Index(i).Addr().UnsafePointer())
		}
	}
}

// optional returns the part of a pointer that may be nil, or may lead to nothing.
func optional(t reflect.Type) part {
	code, none := partOf(t), nothing[t]
	return func(c *coder, at unsafe.Pointer) {
		value := (*unsafe.Pointer)(at)
		isThere := *value != none
		if c.truth(&isThere); !isThere {
			*value = none
			return
		}
		if c.isReading() {
			*value = reflect.New(t).UnsafePointer()
		}
		code(c, *value)
	}
}
