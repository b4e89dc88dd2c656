package world_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// A table of resources that is new stands in the table of kinds, under its own name.
func TestTableOfKinds(t *testing.T) {
	t.Parallel()
	var tables []string
	l := reflect.TypeFor[world.LLM]()
	for field := range l.Fields() {
		if strings.Contains(field.Type.String(), "Table[") && strings.Contains(field.Type.String(), "Resource[") {
			tables = append(tables, strings.ToLower(field.Name[:1])+field.Name[1:])
		}
	}
	var kinds []string
	w := filled(t)
	for _, kind := range world.LLMKinds() {
		kinds = append(kinds, kind.Type)
		name := strings.ToUpper(kind.Type[:1]) + kind.Type[1:]
		for id, r := range kind.Rows(&w.LLM).All() {
			got := kind.Rows(&w.LLM).Get(id)
			if got == nil || !reflect.DeepEqual(got, r) {
				t.Errorf("%s %d is %v, want %v", kind.Type, id, got, r)
			}
			kind.Rows(&w.LLM).Delete(id)
		}
		rows := reflect.ValueOf(&w.LLM).Elem().FieldByName(name).Addr().Interface()
		for range rows.(interface{ Rows() table.Rows }).Rows().All() {
			t.Errorf("%s leads to another table than LLM.%s", kind.Type, name)
		}
	}
	slices.Sort(tables)
	slices.Sort(kinds)
	if !slices.Equal(tables, kinds) {
		t.Errorf("there are tables of %v, and kinds %v", tables, kinds)
	}
}
