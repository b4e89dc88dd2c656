package dig_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"svc.example/understudy/mockserver/internal/dig"
)

func TestReadArchiveLimits(t *testing.T) {
	t.Parallel()
	archive := packed(t, tar.Header{Name: "a.dig"}, tar.Header{Name: "b.txt"})
	tests := []struct {
		name  string
		tight func(*dig.Limits)
		says  string
	}{
		{
			"bytes as sent", func(l *dig.Limits) { l.Compressed = int64(len(archive)) - 1 },
			fmt.Sprintf("has %d bytes", len(archive)),
		},
		{"bytes expanded", func(l *dig.Limits) { l.Expanded = 1024 }, "more than 1024 bytes"},
		{"entries", func(l *dig.Limits) { l.Files = 1 }, "more than 1 entries"},
		{
			"bytes of a definition", func(l *dig.Limits) { l.File = int64(len(hello)) - 1 },
			"a.dig: a workflow file has at most",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limits := dig.Limits{
				Compressed: int64(len(archive)), Expanded: 1 << 20, Files: 2, File: int64(len(hello)),
			}
			_, err := dig.ReadArchive(archive, limits)
			check(t, err)
			test.tight(&limits)
			_, err = dig.ReadArchive(archive, limits)
			refused(t, err, test.says)
		})
	}
}

// allocated returns the number of bytes that f allocates in all, a bound on what it holds. Not for parallel tests.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

//nolint:paralleltest // it measures the memory of the whole process
func TestAnArchiveThatExpandsWithoutEndIsReadInBoundedMemory(t *testing.T) {
	tests := map[string][]byte{
		"zeros instead of a tar": zeros(t),
		"a data file":            bomb(t, "data.bin"),
		"a workflow file":        bomb(t, "a.dig"),
	}
	for name, archive := range tests {
		t.Run(name, func(t *testing.T) {
			var err error
			if used := allocated(func() { _, err = dig.ReadArchive(archive, dig.DefaultLimits()) }); used > 48<<20 {
				t.Errorf("allocated %d MiB for an archive of %d KiB", used>>20, len(archive)>>10)
			}
			refused(t, err)
		})
	}
}

// zeros is 100 MiB of them in 100 KiB: gzip streams may follow each other.
func zeros(tb testing.TB) []byte {
	tb.Helper()
	return bytes.Repeat(zipped(tb, make([]byte, 1<<20)), 100)
}

// bomb is a tar of one file of zeros.
func bomb(tb testing.TB, name string) []byte {
	tb.Helper()
	var head bytes.Buffer
	check(tb, tar.NewWriter(&head).WriteHeader(&tar.Header{Name: name, Size: 99 << 20, Mode: 0o644}))
	return append(zipped(tb, head.Bytes()), zeros(tb)...)
}
