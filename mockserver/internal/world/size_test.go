package world_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// Whatever requests can add to a world counts: a field that is new is a table, or stands here with a reason.
func TestEverythingInAWorldCounts(t *testing.T) {
	t.Parallel()
	var apart []string
	var walk func(reflect.Type, string)
	walk = func(in reflect.Type, path string) {
		for field := range in.Fields() {
			name := strings.TrimPrefix(path+"."+field.Name, ".")
			switch kind := field.Type.Kind(); {
			case kind == reflect.Struct && field.Type.NumField() > 0 &&
				field.Type.Field(0).Type == reflect.TypeFor[table.Meter]():
			case kind == reflect.Struct && field.Type.PkgPath() != "time":
				walk(field.Type, name)
			case kind == reflect.Slice || kind == reflect.Map || kind == reflect.Pointer || kind == reflect.Interface:
				apart = append(apart, name)
			}
		}
	}
	walk(reflect.TypeFor[world.State](), "")
	want := []string{
		"Account.Features", "Account.ProfileOptions", "Account.Partners", // only fixtures say these
		"Core.Restrictions", // of fixtures
		"Faults.Plan",       // counted when it changes
		"waits.latest",      // what queries read counts where it is known how the world has changed
	}
	if diff := cmp.Diff(want, apart); diff != "" {
		t.Errorf("fields that do not count by themselves (-want +got):\n%s", diff)
	}
}

func TestAWorldCountsItsRows(t *testing.T) {
	t.Parallel()
	var w world.State
	empty := w.MemorySize()
	w.Core.Jobs.Put(1, world.Job{ID: 1, Output: &world.Output{Rows: make([]byte, 1000)}})
	w.Core.Results.Add(world.QueuedResult{Query: strings.Repeat("x", 500)})
	w.Plan(world.DueEvent{Kind: world.JobEvent, ID: 1})
	if n := w.MemorySize() - empty; n < 1500 || n > 4000 {
		t.Errorf("a job, a result and an event count %d bytes", n)
	}
}
