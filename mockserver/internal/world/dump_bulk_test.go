package world_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/world"
)

// fillBulk adds imports with ids, and a bulk import and a bulk load session of each kind. The jobs are those of fillJobs.
func fillBulk(w *world.World) {
	c, now := &w.Core, w.Now()
	for n := range 3 {
		c.Imports.Add(world.Import{Table: 1, UniqueID: fmt.Sprint(n), MD5: "00"})
	}
	reader, _ := c.Jobs.Get(1)
	reader.BulkImport = 2
	c.Jobs.Put(1, reader)
	later := now.Add(time.Hour)
	parts := []world.BulkPart{{Name: "p", Body: []byte{1, 2}}, {Name: "q"}}
	for _, b := range []world.BulkImport{
		{ID: 1, Name: "first", Status: world.BulkUploading, Parts: parts},
		{ID: 2, Name: "second", Status: world.BulkCommitting, Frozen: true, Job: 1, CommitAt: later, ValidRecords: 3, Wrong: []byte{1}},
	} {
		b.Database, b.Table, b.User, b.CreatedAt = "shop", "orders", 1, now
		c.BulkImports.Put(b.ID, b)
		c.BulkImportNames.Put(b.Name, b.ID)
	}
	w.Plan(world.Event{At: later, Kind: world.BulkImportEvent, ID: 2})
	for _, b := range []world.BulkLoad{
		{ID: 1, Name: "never", Timezone: "UTC"},
		{ID: 2, Name: "daily", Timezone: "Asia/Tokyo", Cron: "@daily", Delay: 60, Slot: later, PlannedAt: later.Add(time.Minute)},
	} {
		b.Database, b.Table, b.User, b.CreatedAt, b.UpdatedAt, b.Config = "shop", "orders", 1, now, now, []byte(`{"in":{}}`)
		c.BulkLoads.Put(b.ID, b)
		c.BulkLoadNames.Put(b.Name, b.ID)
	}
	w.Plan(world.Event{At: later.Add(time.Minute), Kind: world.BulkLoadEvent, ID: 2})
	w.Reserve("core.bulk_import", 2)
	w.Reserve("core.bulk_load", 2)
}

func TestDumpOfBulk(t *testing.T) {
	t.Parallel()
	w := full(t)
	loaded, err := world.Load([]byte(dumpOf(t, w)), clock.Frozen)
	if err != nil {
		t.Fatal(err)
	}
	got, want := &loaded.Core, &w.Core
	for name, pair := range map[string][2]any{
		"imports":               {maps.Collect(want.Imports.Done.All()), maps.Collect(got.Imports.Done.All())},
		"last import":           {want.Imports.Last, got.Imports.Last},
		"bulk imports":          {maps.Collect(want.BulkImports.All()), maps.Collect(got.BulkImports.All())},
		"names of bulk imports": {maps.Collect(want.BulkImportNames.All()), maps.Collect(got.BulkImportNames.All())},
		"bulk loads":            {maps.Collect(want.BulkLoads.All()), maps.Collect(got.BulkLoads.All())},
		"names of bulk loads":   {maps.Collect(want.BulkLoadNames.All()), maps.Collect(got.BulkLoadNames.All())},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	if i, ok := got.Imports.Find(1, "2"); !ok || i.ID != 3 {
		t.Errorf("the last import is %+v", i)
	}
}

func TestImportsAreForgotten(t *testing.T) {
	t.Parallel()
	var x world.Imports
	const many = 10_001
	for n := range many {
		x.Add(world.Import{Table: 1, UniqueID: fmt.Sprint(n)})
	}
	_, first := x.Find(1, "0")
	_, second := x.Find(1, "1")
	if x.Done.Len() != many-1 || x.Last != many || first || !second {
		t.Errorf("%d of %d are remembered, the first %v, the second %v", x.Done.Len(), x.Last, first, second)
	}
}

func TestLoadRefusesBulkThatCannotBe(t *testing.T) {
	t.Parallel()
	dump := dumpOf(t, full(t))
	const never = "0001-01-01T00:00:00Z"
	imports := func(steps ...any) []any { return append([]any{"core", "imports"}, steps...) }
	bulk := func(steps ...any) []any { return append([]any{"core", "bulkImports"}, steps...) }
	loads := func(steps ...any) []any { return append([]any{"core", "bulkLoads"}, steps...) }
	for name, test := range map[string]struct {
		value any
		path  []any
		words []string
	}{
		"fewer imports than there are":     {2, imports("last"), []string{"import 3"}},
		"a negative number of imports":     {-1, imports("last"), []string{"imports"}},
		"an import without an id":          {"", imports("done", 0, "uniqueId"), []string{"import 1"}},
		"an import that comes twice":       {"1", imports("done", 0, "uniqueId"), []string{"import 2"}},
		"a bulk import's name":             {"second", bulk(0, "name"), []string{"bulk import 2", "second"}},
		"a bulk import of nobody":          {9, bulk(0, "user"), []string{"bulk import 1", "user 9"}},
		"a bulk import of no table":        {"", bulk(0, "table"), []string{"bulk import 1", "table"}},
		"a bulk import's status":           {"lost", bulk(0, "status"), []string{"bulk import 1", "lost"}},
		"a bulk import's parts":            {"p", bulk(0, "parts", 1, "name"), []string{"bulk import 1", "parts"}},
		"a bulk import's job":              {2, bulk(1, "job"), []string{"bulk import 2", "job"}},
		"a bulk import without its job":    {"ready", bulk(0, "status"), []string{"bulk import 1", "job"}},
		"a bulk import that never goes on": {never, bulk(1, "commitAt"), []string{"bulk import 2", "commitAt"}},
		"a bulk import's counts":           {-1, bulk(1, "validRecords"), []string{"bulk import 2", "counts"}},
		"a bulk load's name":               {"daily", loads(0, "name"), []string{"bulk load 2", "daily"}},
		"a bulk load of nobody":            {9, loads(0, "user"), []string{"bulk load 1", "user 9"}},
		"a bulk load of no database":       {"", loads(0, "database"), []string{"bulk load 1", "database"}},
		"a bulk load's configuration":      {[]any{}, loads(0, "config"), []string{"bulk load 1", "config"}},
		"a bulk load's cron text":          {"7", loads(1, "cron"), []string{"bulk load 2", "cron"}},
		"a bulk load's timezone":           {"Mars", loads(1, "timezone"), []string{"bulk load 2", "Mars"}},
		"a bulk load without a plan":       {never, loads(1, "plannedAt"), []string{"bulk load 2", "plannedAt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := world.Load([]byte(edit(t, dump, test.value, test.path...)), clock.Frozen)
			if err == nil {
				t.Fatal("no error")
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q, want %q in it", err, word)
				}
			}
		})
	}
}
