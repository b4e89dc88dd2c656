package world_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// numbered returns a record that differs from others by its number.
func numbered(n int) world.Record {
	return world.Record{Time: int64(n), Values: fmt.Sprintf(`{"n":"%d"}`, n)}
}

// appended has records with the numbers from first up to, but not including, end.
func appended(x world.Records, first, end int) world.Records {
	for n := first; n < end; n++ {
		x = x.Append(numbered(n))
	}
	return x
}

// wantRecords compares the records, both ways, and what is counted of them.
func wantRecords(t *testing.T, name string, x world.Records, want []world.Record) {
	t.Helper()
	if forward := slices.Collect(x.All()); !slices.Equal(forward, want) {
		t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, forward))
	}
	backward := slices.Collect(x.Backward())
	if slices.Reverse(backward); !slices.Equal(backward, want) {
		t.Errorf("%s: from the newest they are others: %v", name, backward)
	}
	var bytes int64
	for _, r := range want {
		bytes += int64(len(r.Values)) + 32
	}
	if x.Len() != len(want) || x.MemorySize() != bytes {
		t.Errorf("%s: %d records of %d bytes, want %d of %d", name, x.Len(), x.MemorySize(), len(want), bytes)
	}
}

func numbers(first, end int) []world.Record {
	return slices.Collect(appended(world.Records{}, first, end).All())
}

func TestRecords(t *testing.T) {
	t.Parallel()
	t.Run("are those that were appended, from both ends", func(t *testing.T) {
		t.Parallel()
		for _, count := range []int{0, 1, 255, 256, 257, 512, 700} {
			var want []world.Record
			for n := range count {
				want = append(want, numbered(n))
			}
			wantRecords(t, fmt.Sprint(count), appended(world.Records{}, 0, count), want)
		}
	})
	t.Run("can be looked at in part", func(t *testing.T) {
		t.Parallel()
		x := appended(world.Records{}, 0, 300)
		for r := range x.All() {
			if r.Time == 10 {
				break
			}
		}
		for _, last := range []int64{299, 100} {
			for r := range x.Backward() {
				if r.Time == last {
					break
				}
			}
		}
	})
	t.Run("are a value: no copy sees what is appended to another", func(t *testing.T) {
		t.Parallel()
		for _, shared := range []int{0, 1, 100, 255, 256, 300} {
			original := appended(world.Records{}, 0, shared)
			one, two := appended(original, 1000, 1300), appended(original, 2000, 2300)
			three := appended(two, 3000, 3001)
			wantRecords(t, "original", original, numbers(0, shared))
			wantRecords(t, "one", one, append(numbers(0, shared), numbers(1000, 1300)...))
			wantRecords(t, "two", two, append(numbers(0, shared), numbers(2000, 2300)...))
			wantRecords(t, "three", three, append(slices.Collect(two.All()), numbered(3000)))
		}
	})
	t.Run("know nothing of a transaction that was given up", func(t *testing.T) {
		t.Parallel()
		var x world.Records
		for n := range 600 {
			appended(x, 5000, 5000+n%3)
			x = x.Append(numbered(n))
		}
		wantRecords(t, "records", x, numbers(0, 600))
	})
	t.Run("let the oldest go, but never the last", func(t *testing.T) {
		t.Parallel()
		x := appended(world.Records{}, 0, 600)
		dropped := x.DropOldest()
		wantRecords(t, "a run", dropped, numbers(256, 600))
		wantRecords(t, "the original", x, numbers(0, 600))
		dropped = dropped.DropOldest()
		wantRecords(t, "another", dropped, numbers(512, 600))
		wantRecords(t, "half of the rest", dropped.DropOldest(), numbers(556, 600))
		wantRecords(t, "half of a run", appended(world.Records{}, 0, 256).DropOldest(), numbers(128, 256))
		for range 10 {
			dropped = dropped.DropOldest()
		}
		wantRecords(t, "the last", dropped, numbers(599, 600))
		wantRecords(t, "none", world.Records{}.DropOldest(), nil)
	})
	t.Run("that are large go one at a time", func(t *testing.T) {
		t.Parallel()
		var x world.Records
		for n := range 5 {
			x = x.Append(world.Record{Time: int64(n), Values: strings.Repeat("x", 1<<20)})
		}
		if x = x.DropOldest(); x.Len() != 4 {
			t.Errorf("%d records are left, want 4", x.Len())
		}
	})
}

// TestReaders is for the race detector: readers of older values, and writers of forks, share memory with the writer.
func TestReaders(t *testing.T) {
	t.Parallel()
	t.Run("of older values and forks are not disturbed by a writer", func(t *testing.T) {
		t.Parallel()
		var wg sync.WaitGroup
		var x world.Records
		want := numbers(0, 1000)
		for n := range 1000 {
			x = x.Append(numbered(n))
			if n%100 != 50 {
				continue
			}
			old := x
			wg.Go(func() { wantRecords(t, "an older value", old, want[:old.Len()]) })
			wg.Go(func() {
				fork := appended(old, 7000, 7300)
				wantRecords(t, "a fork", fork, append(slices.Clone(want[:old.Len()]), numbers(7000, 7300)...))
			})
		}
		wg.Wait()
		wantRecords(t, "the newest value", x, want)
	})
}

func TestStore(t *testing.T) {
	t.Parallel()
	fill := func(core *world.Core, table int64, count, size int) {
		for n := range count {
			row, _ := core.Tables.Get(table)
			row.ID = table
			core.Store(row, world.Record{Time: int64(n), Values: strings.Repeat("x", size)})
		}
	}
	sum := func(core *world.Core) (bytes int64) {
		for _, records := range table.All(&core.Records) {
			bytes += records.MemorySize()
		}
		return bytes
	}
	for _, test := range []struct {
		name        string
		limit       int64
		count, size int
	}{
		{"small records", 1 << 20, 200_000, 10},
		{"large records", 4 << 20, 100, 1 << 20},
		{"a limit that is less than a run", 1000, 600, 10},
	} {
		t.Run(test.name+" stay within the limit, while counts count on", func(t *testing.T) {
			t.Parallel()
			core := world.Core{RecordLimit: test.limit}
			fill(&core, 1, test.count, test.size)
			table, _ := core.Tables.Get(1)
			if core.RecordBytes > test.limit || core.RecordBytes < test.limit/2 || core.RecordBytes != sum(&core) {
				t.Errorf("%d bytes are counted and %d there, want at most %d", core.RecordBytes, sum(&core), test.limit)
			}
			if want := int64(test.count * test.size); table.Count != int64(test.count) || table.Bytes != want {
				t.Errorf("the table counts %d records of %d bytes, want %d of %d", table.Count, table.Bytes, test.count, want)
			}
			records, _ := core.Records.Get(1)
			for last := range records.Backward() {
				if last.Time != int64(test.count-1) || table.LastLogAt != last.Time {
					t.Errorf("the last record is %d, by the table %d; want %d", last.Time, table.LastLogAt, test.count-1)
				}
				break
			}
		})
	}
	t.Run("the largest table loses records, others do not", func(t *testing.T) {
		t.Parallel()
		core := world.Core{RecordLimit: 100_000}
		fill(&core, 1, 100, 10)
		fill(&core, 2, 10_000, 10)
		small, _ := core.Records.Get(1)
		large, _ := core.Records.Get(2)
		if small.Len() != 100 || large.Len() >= 10_000 || core.RecordBytes > core.RecordLimit {
			t.Errorf("%d and %d records, %d bytes", small.Len(), large.Len(), core.RecordBytes)
		}
	})
	t.Run("the last record of each table stays, whatever the limit", func(t *testing.T) {
		t.Parallel()
		core := world.Core{RecordLimit: 1}
		for table := range int64(3) {
			fill(&core, table+1, 10, 100)
		}
		for table, records := range table.All(&core.Records) {
			if records.Len() != 1 {
				t.Errorf("table %d has %d records, want 1", table, records.Len())
			}
		}
	})
	t.Run("discarding a table frees what it takes", func(t *testing.T) {
		t.Parallel()
		var core world.Core
		fill(&core, 1, 300, 10)
		fill(&core, 2, 1, 10)
		core.Discard(1)
		if core.RecordBytes != 42 || table.Len(&core.Records) != 1 {
			t.Errorf("%d bytes in %d tables, want 42 in 1", core.RecordBytes, table.Len(&core.Records))
		}
	})
}

// FuzzRecords does to three values, each a copy of another now and then, what it does to slices.
func FuzzRecords(f *testing.F) {
	f.Add([]byte{0, 200, 3, 1, 250, 9, 2, 4, 100, 7, 8, 6})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var values [3]world.Records
		var models [3][]world.Record
		for n, step := range steps {
			i := n % len(values)
			switch from := int(step) % len(values); {
			case step < 16:
				values[i], models[i] = values[from], slices.Clone(models[from])
			case step < 32:
				values[i] = values[i].DropOldest()
				models[i] = models[i][len(models[i])-values[i].Len():]
			default:
				for range step {
					r := world.Record{Time: int64(n), Values: strings.Repeat("x", int(step)*2)}
					values[i], models[i] = values[i].Append(r), append(models[i], r)
				}
			}
		}
		for i := range values {
			wantRecords(t, fmt.Sprint(i), values[i], models[i])
		}
	})
}

func BenchmarkRecords(b *testing.B) {
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		var x world.Records
		for b.Loop() {
			x = x.Append(world.Record{Values: `{"a":"b"}`})
		}
	})
	b.Run("append to a fork", func(b *testing.B) {
		b.ReportAllocs()
		x := appended(world.Records{}, 0, 100)
		for b.Loop() {
			x.Append(world.Record{Values: `{"a":"b"}`})
		}
	})
	b.Run("store at the limit", func(b *testing.B) {
		b.ReportAllocs()
		core := world.Core{RecordLimit: 1 << 20}
		table := world.Table{ID: 1}
		for b.Loop() {
			table = core.Store(table, world.Record{Values: `{"a":"b"}`})
		}
	})
}
