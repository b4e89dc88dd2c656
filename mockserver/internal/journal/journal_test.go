package journal_test

import (
	"net/http"
	"runtime"
	"strconv"
	"testing"

	"svc.example/understudy/mockserver/internal/journal"
)

// Requests with many tiny headers take no more memory than the journal may.
func TestHeadersCount(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const limit = 8 << 20
	var charged int64
	j := journal.New(limit, func(bytes int64) { charged += bytes })
	before := heap()
	for range 200 {
		header := http.Header{}
		for n := range 5000 {
			header[strconv.Itoa(n)] = []string{""}
		}
		j.Commit(&journal.Entry{RequestHeader: header})
	}
	if more := heap() - before; more > 3*limit {
		t.Errorf("a journal of %d bytes takes %d", limit, more)
	}
	if charged != int64(j.Size()) || charged > limit {
		t.Errorf("%d bytes are charged, and %d taken", charged, j.Size())
	}
	j.Close()
	if j.Commit(&journal.Entry{}); charged != 0 || len(j.Entries()) != 0 {
		t.Errorf("after its end %d bytes are charged, and there are %d entries", charged, len(j.Entries()))
	}
	runtime.KeepAlive(j)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
