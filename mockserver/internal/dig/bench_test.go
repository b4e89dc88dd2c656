package dig_test

import (
	"archive/tar"
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
)

func BenchmarkReadArchive(b *testing.B) {
	archive := packed(b, tar.Header{Name: "a.dig"}, tar.Header{Name: "b.dig"}, tar.Header{Name: "queries/q.sql"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dig.ReadArchive(archive, dig.DefaultLimits()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteArchive(b *testing.B) {
	files := map[string]string{"a.dig": "+a:\n  echo>: a\n"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dig.WriteArchive(files); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScheduleNext(b *testing.B) {
	for _, bench := range []struct{ name, kind, spec, zone string }{
		{"daily", "daily", "07:00:00", "Asia/Tokyo"},
		{"minutes", "minutes_interval", "5", "America/New_York"},
		{"leap day", "cron", "0 0 29 2 *", "America/New_York"},
		{"never", "cron", "0 0 30 2 *", "America/New_York"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s := schedule(b, bench.kind, bench.spec, bench.zone)
			from := at(b, "2024-01-01")
			b.ReportAllocs()
			for at := from; b.Loop(); {
				if at = s.Next(at).Time; at.IsZero() || at.Year() > 2400 {
					at = from
				}
			}
		})
	}
}

func BenchmarkScheduleLast(b *testing.B) {
	s := schedule(b, "weekly", "Sun,09:00:00", "America/New_York")
	t := time.Date(2024, 5, 17, 3, 4, 5, 6, time.UTC)
	for b.Loop() {
		s.Last(t)
	}
}
