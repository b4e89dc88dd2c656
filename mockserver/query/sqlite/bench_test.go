package sqlite_test

import (
	"fmt"
	"testing"

	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/mockserver/query/sqlite"
)

func BenchmarkTrivialQuery(b *testing.B) {
	benchmark(b, "SELECT 1", world{})
}

func BenchmarkCountOver10000Rows(b *testing.B) {
	var rows []query.Row
	for i := range 10_000 {
		rows = append(rows, query.Row{
			Time: int64(i), Values: fmt.Sprintf(`{"id":"%d","user":"user %d","price":"%d.5","path":"/a/b"}`, i, i%9, i),
		})
	}
	table := records(rows...)
	table.Columns = []query.Column{
		{Name: "id", Type: "long"},
		{Name: "user", Type: "string"},
		{Name: "price", Type: "double"},
		{Name: "path", Type: "string"},
	}
	benchmark(b, "SELECT count(*) FROM t", world{"db.t": table})
}

func benchmark(b *testing.B, text string, w world) {
	b.Helper()
	engine := sqlite.New()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := engine.Query(b.Context(), query.Query{Text: text, Database: "db", Tables: w, Now: now}); err != nil {
			b.Fatal(err)
		}
	}
}
