package table_test

import (
	"strconv"
	"testing"

	"svc.example/understudy/mockserver/internal/table"
)

func BenchmarkTable(b *testing.B) {
	var tab table.Table[*int]
	for id := int64(1); id <= 10_000; id++ {
		tab.Put(id, new(int))
	}
	b.Run("get", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			tab.Get(int64(i%10_000 + 1))
		}
	})
	b.Run("put", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			next := tab
			next.Put(int64(i%10_000+1), nil)
		}
	})
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range table.All(&tab) {
			}
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	var index table.Index[string, int64]
	keys := make([]string, 10_000)
	for i := range keys {
		keys[i] = "a key with the number " + strconv.Itoa(i)
		index.Put(keys[i], int64(i))
	}
	b.Run("get", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			index.Get(keys[i%10_000])
		}
	})
	b.Run("put", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			next := index
			next.Put(keys[i%10_000], 1)
		}
	})
}
