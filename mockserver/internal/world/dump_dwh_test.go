package world_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/world"
)

// fillDWH adds two integrations, one of a project that is deleted.
func fillDWH(w *world.World) {
	now := w.Now()
	for id := int64(1); id <= 2; id++ {
		w.DWH.Integrations.Put(id, world.Warehouse{
			ID: id, Name: fmt.Sprint("load ", id), User: 1, Project: id, CreatedAt: now, UpdatedAt: now,
			Schedule: world.WarehouseSchedule{Type: "daily", Option: "10:00", Timezone: "Asia/Tokyo"},
			Config: world.WarehouseConfig{
				ID: id + 10, Digest: "d1", Basic: json.RawMessage(`{"type":"snowflake","schema":"<A&B>"}`),
				Advanced: json.RawMessage(`[{"target_table":"orders"}]`), Output: json.RawMessage(`{"database":"shop"}`),
				CreatedAt: now, UpdatedAt: now,
			},
		})
		w.DWH.Sessions.Put(id, []world.BulkloadSession{{ID: id + 20, Name: "s", Table: "orders", Digest: "d2"}})
	}
	w.Reserve("dwh.integration", 2)
	w.Reserve("dwh.config", 12)
	w.Reserve("dwh.session", 22)
}

// firstOf leads to the first row of a list of the dump.
func firstOf(list string, path ...any) []any { return append([]any{"dwh", list, 0}, path...) }

func TestDumpOfDWH(t *testing.T) {
	t.Parallel()
	w := full(t)
	dump := dumpOf(t, w)
	t.Run("every row comes back", func(t *testing.T) {
		t.Parallel()
		loaded, err := world.Load([]byte(dump), clock.Frozen)
		if err != nil {
			t.Fatal(err)
		}
		got, want := &loaded.DWH, &w.DWH
		if d := cmp.Diff(maps.Collect(want.Integrations.All()), maps.Collect(got.Integrations.All())); d != "" {
			t.Errorf("integrations (-want +got)\n%s", d)
		}
		if d := cmp.Diff(maps.Collect(want.Sessions.All()), maps.Collect(got.Sessions.All())); d != "" {
			t.Errorf("sessions (-want +got)\n%s", d)
		}
	})
	t.Run("ids of rows are not given out again, whatever the dump says of them", func(t *testing.T) {
		t.Parallel()
		loaded, err := world.Load([]byte(edit(t, dump, object{}, "ids")), clock.Frozen)
		if err != nil {
			t.Fatal(err)
		}
		for kind, want := range map[string]int64{"dwh.integration": 3, "dwh.config": 13, "dwh.session": 23} {
			if next := loaded.NewID(kind); next != want {
				t.Errorf("the next %s is %d, want %d", kind, next, want)
			}
		}
	})
}

func TestLoadRefusesIntegrationsThatCannotBe(t *testing.T) {
	t.Parallel()
	dump := dumpOf(t, full(t))
	first := func(path ...any) []any { return firstOf("integrations", path...) }
	sessions := func(path ...any) []any { return firstOf("sessions", path...) }
	for name, test := range map[string]struct {
		value any
		path  []any
		words string
	}{
		"no name":                       {"", first("name"), "integration 1: want a name"},
		"an unknown user":               {9, first("user"), "integration 1: its user 9 is none of the account"},
		"an unknown project":            {9, first("project"), "integration 1: there is no project 9"},
		"the project of another":        {2, first("project"), "integration 2: another one has"},
		"the configuration of another":  {12, first("config", "id"), "integration 2: another one has"},
		"no configuration":              {0, first("config", "id"), "integration 1: its configuration has the id 0"},
		"no digest":                     {"", first("config", "digest"), "integration 1: its configuration has the id 11"},
		"an unknown schedule":           {"yearly", first("schedule", "type"), `integration 1: its schedule is "yearly"`},
		"an unknown time zone":          {"Mars/Olympus", first("schedule", "timezone"), `in "Mars/Olympus"`},
		"a basic part that is none":     {[]any{}, first("config", "basic"), "integration 1: want basic"},
		"an advanced part that is none": {nil, first("config", "advanced"), "integration 1: want basic"},
		"a filter that is none":         {7, first("config", "filter"), "integration 1: want basic"},
		"an id twice":                   {2, first("id"), "dwh.integration 2: is there twice"},
		"sessions of nobody":            {9, sessions("integration"), "bulk load sessions of integration 9: want some"},
		"no sessions":                   {9, sessions("integration"), "integration 1: it has no bulk load sessions"},
		"an empty list":                 {[]any{}, sessions("sessions"), "bulk load sessions of integration 1: want some"},
		"a session's id twice":          {22, sessions("sessions", 0, "id"), "bulk load session 22: want an id of its own"},
		"a session without table":       {"", sessions("sessions", 0, "table"), "bulk load session 21: want"},
	} {
		t.Run(name+" is named", func(t *testing.T) {
			t.Parallel()
			_, err := world.Load([]byte(edit(t, dump, test.value, test.path...)), clock.Frozen)
			if err == nil || !strings.Contains(err.Error(), test.words) {
				t.Errorf("got %v, want %s", err, test.words)
			}
		})
	}
}
