package table_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/table"
)

func TestTable(t *testing.T) {
	t.Parallel()
	filled := func(ids ...int64) table.Table[int64] {
		var tab table.Table[int64]
		for _, id := range ids {
			tab.Put(id, id*10)
		}
		return tab
	}
	t.Run("an empty one is ready to use", func(t *testing.T) {
		t.Parallel()
		var tab table.Table[string]
		table.Delete(&tab, 1)
		if _, ok := tab.Get(1); ok || table.Len(&tab) != 0 {
			t.Error("an empty table has a row")
		}
		for range table.All(&tab) {
			t.Error("an empty table yields a row")
		}
		for range table.Before(&tab, 7) {
			t.Error("an empty table yields a row backwards")
		}
	})
	t.Run("a copy never sees what happens to the original", func(t *testing.T) {
		t.Parallel()
		original := filled(1, 2, 3)
		fork := original
		original.Put(2, 99)
		table.Delete(&original, 3)
		fork.Put(4, 40)
		if diff := cmp.Diff([]int64{10, 20, 30, 40}, rows(fork)); diff != "" {
			t.Errorf("fork (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int64{10, 99}, rows(original)); diff != "" {
			t.Errorf("original (-want +got):\n%s", diff)
		}
	})
	pages := filled(2, 4, 6, 8)
	for _, test := range []struct {
		name string
		id   int64
		want []int64
		page func(int64) []int64
	}{
		{"after nothing", 0, []int64{2, 4, 6, 8}, ascending(pages)},
		{"after a row", 4, []int64{6, 8}, ascending(pages)},
		{"after a gap", 5, []int64{6, 8}, ascending(pages)},
		{"after the end", 8, nil, ascending(pages)},
		{"after the last id there can be", math.MaxInt64, nil, ascending(pages)},
		{"before nothing", 0, []int64{8, 6, 4, 2}, descending(pages)},
		{"before a row", 6, []int64{4, 2}, descending(pages)},
		{"before a gap", 5, []int64{4, 2}, descending(pages)},
		{"before the first", 2, nil, descending(pages)},
		{"before what lies beyond the end", 99, []int64{8, 6, 4, 2}, descending(pages)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.page(test.id)); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	type key struct {
		name string
		at   int64
	}
	var original table.Index[key, int64]
	original.Put(key{"a", 1}, 1)
	fork := original
	fork.Put(key{"a", 2}, 2)
	original.Delete(key{"a", 1})
	if _, ok := original.Get(key{"a", 1}); ok || table.Keys(&original) != 0 {
		t.Error("a deleted key is still there")
	}
	if got, ok := fork.Get(key{"a", 1}); !ok || got != 1 || table.Keys(&fork) != 2 {
		t.Errorf("the fork has %d, %v", got, ok)
	}
}

func rows(tab table.Table[int64]) []int64 {
	var list []int64
	for _, row := range table.All(&tab) {
		list = append(list, row)
	}
	return list
}

func ascending(tab table.Table[int64]) func(int64) []int64 {
	return func(id int64) []int64 {
		var ids []int64
		for id := range table.After(&tab, id) {
			ids = append(ids, id)
		}
		return ids
	}
}

func descending(tab table.Table[int64]) func(int64) []int64 {
	return func(id int64) []int64 {
		var ids []int64
		for id := range table.Before(&tab, id) {
			ids = append(ids, id)
		}
		return ids
	}
}

func FuzzTable(f *testing.F) {
	f.Add([]byte{1, 2, 3, 2, 250, 1})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var tab table.Table[int64]
		model := map[int64]int64{}
		for i, step := range steps {
			id := int64(step%32) + 1
			if step >= 128 {
				table.Delete(&tab, id)
				delete(model, id)
				continue
			}
			tab.Put(id, int64(i))
			model[id] = int64(i)
		}
		var want, got []int64
		for id := range model {
			want = append(want, id)
		}
		slices.Sort(want)
		for id, row := range table.All(&tab) {
			if model[id] != row {
				t.Errorf("row %d is %d, want %d", id, row, model[id])
			}
			got = append(got, id)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ids (-want +got):\n%s", diff)
		}
	})
}

// memory returns what is in a table or an index takes.
func memory[T any](value *T) int64 {
	var empty T
	return table.Size(value) - table.Size(&empty)
}

// What a table takes is the sum of its rows, whatever happened to it before.
func TestMemorySize(t *testing.T) {
	t.Parallel()
	type row struct {
		Name  string
		Tags  []string
		Attrs map[string]*string
		At    time.Time
	}
	random := rand.New(rand.NewPCG(1, 2))
	var tab table.Table[row]
	var index table.Index[string, string]
	for range 2000 {
		id, text := random.Int64N(50), strings.Repeat("x", random.IntN(100))
		switch random.IntN(3) {
		case 0:
			table.Delete(&tab, id)
			index.Delete(strconv.FormatInt(id, 10))
		default:
			tab.Put(id, row{
				Name: text, Tags: []string{text, "tag"}, Attrs: map[string]*string{"a": &text, "none": nil},
				At: time.Unix(id, 0),
			})
			index.Put(strconv.FormatInt(id, 10), text)
		}
	}
	var tableBytes, indexBytes int64
	for id, r := range table.All(&tab) {
		var alone table.Table[row]
		alone.Put(id, r)
		if least := int64(4 * len(r.Name)); memory(&alone) < least {
			t.Fatalf("a row with texts of %d bytes counts as %d", least, memory(&alone))
		}
		tableBytes += memory(&alone)
	}
	for key, value := range table.Entries(&index) {
		var alone table.Index[string, string]
		alone.Put(key, value)
		indexBytes += memory(&alone)
	}
	if table.Len(&tab) == 0 || memory(&tab) != tableBytes || memory(&index) != indexBytes {
		t.Errorf("%d rows take %d bytes, want %d; the index takes %d, want %d",
			table.Len(&tab), memory(&tab), tableBytes, memory(&index), indexBytes)
	}
	for id := range table.All(&tab) {
		table.Delete(&tab, id)
		index.Delete(strconv.FormatInt(id, 10))
	}
	if memory(&tab) != 0 || memory(&index) != 0 {
		t.Errorf("empty, they take %d and %d bytes", memory(&tab), memory(&index))
	}
}
