package world_test

import (
	"reflect"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/world"
)

// Every package that sees a world compiles the methods of each instance of a generic type in it, called or not. So
// tables and indexes have few, and no field shows the type of the library's maps, which have many.
func TestAWorldIsLightToCompile(t *testing.T) {
	t.Parallel()
	known := map[reflect.Type]bool{}
	var look func(reflect.Type, string)
	look = func(in reflect.Type, path string) {
		if known[in] {
			return
		}
		known[in] = true
		if n := reflect.PointerTo(in).NumMethod(); strings.Contains(in.Name(), "[") && n > 4 {
			t.Errorf("%s is %v with %d exported methods, want 4 at most, and functions for the rest", path, in, n)
		}
		if strings.Contains(in.PkgPath(), "benbjohnson/immutable") {
			t.Errorf("%s is %v: want any", path, in)
		}
		switch in.Kind() {
		case reflect.Struct:
			for field := range in.Fields() {
				look(field.Type, path+"."+field.Name)
			}
		case reflect.Pointer, reflect.Slice:
			look(in.Elem(), path)
		default: // has no fields
		}
	}
	look(reflect.TypeFor[world.State](), "World")
}
