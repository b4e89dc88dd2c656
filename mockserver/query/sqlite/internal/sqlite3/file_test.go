package sqlite3_test

import (
	"strings"
	"testing"

	lib "modernc.org/sqlite/lib"

	"svc.example/understudy/mockserver/query/sqlite/internal/sqlite3"
)

const chunk = 64 << 10

// files opens a temporary file, of a connection that has memory for so many chunks.
func files(t *testing.T, chunks int64) (f sqlite3.File, free *int64) {
	t.Helper()
	left := chunks * chunk
	c := config()
	c.Spend = func(n int64) bool {
		if n > left {
			return false
		}
		left -= n
		return true
	}
	conn, err := sqlite3.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn.OpenFile(), &left
}

func TestAWriteWithoutRoomTakesNone(t *testing.T) {
	t.Parallel()
	f, free := files(t, 4)
	if code := f.Write("far away", 9*chunk); code != lib.SQLITE_FULL {
		t.Errorf("code %d, want that there is no room", code)
	}
	if *free != 4*chunk || f.Size() != 0 {
		t.Errorf("%d bytes are free, the file has %d; want %d, and none", *free, f.Size(), 4*chunk)
	}
	if code := f.Write("near", 3*chunk); code != lib.SQLITE_OK || *free != 0 {
		t.Errorf("code %d, %d bytes are free", code, *free)
	}
	f.Close()
	if *free != 4*chunk {
		t.Errorf("%d bytes are free, want %d", *free, 4*chunk)
	}
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	f, free := files(t, 4)
	f.Write(strings.Repeat("x", 2*chunk), 0)
	for _, test := range []struct {
		size   int64
		code   int32
		chunks int64 // that the file takes
	}{
		{2*chunk + 5, lib.SQLITE_OK, 3}, // longer
		{9 * chunk, lib.SQLITE_FULL, 3}, // too long: it stays as it is
		{chunk + 1, lib.SQLITE_OK, 2},
		{2 * chunk, lib.SQLITE_OK, 2},
		{0, lib.SQLITE_OK, 0},
		{0, lib.SQLITE_OK, 0},
		{3, lib.SQLITE_OK, 1},
	} {
		want := test.size
		if test.code != lib.SQLITE_OK {
			want = f.Size()
		}
		code := f.Truncate(test.size)
		if code != test.code || f.Size() != want || 4*chunk-*free != test.chunks*chunk {
			t.Errorf("truncate to %d: code %d, %d bytes, %d are free; want %d, %d, %d chunks", test.size, code, f.Size(), *free,
				test.code, want, test.chunks)
		}
		if got, code := f.Read(4, want); got != "\x00\x00\x00\x00" || code != lib.SQLITE_IOERR_SHORT_READ {
			t.Errorf("behind its end the file has %q, code %d", got, code)
		}
		if test.size == 2*chunk {
			if got, code := f.Read(4, chunk); got != "x\x00\x00\x00" || code != lib.SQLITE_OK {
				t.Errorf("the file was cut off at %d, and has %q there, code %d", chunk+1, got, code)
			}
		}
	}
	f.Close()
	if *free != 4*chunk {
		t.Errorf("%d bytes are free, want %d", *free, 4*chunk)
	}
}

// A query may open any number of files, one after the other.
func TestAClosedFileIsForgotten(t *testing.T) {
	t.Parallel()
	f, _ := files(t, 4)
	f.Write("text", 0)
	if f.Gone() {
		t.Error("an open file is gone")
	}
	f.Close()
	if !f.Gone() {
		t.Error("a closed file is kept until its connection is closed")
	}
}
