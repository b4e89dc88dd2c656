package contract_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// wire returns the JSON report of a recording.
func wire(t *testing.T, source contract.Source, opts ...contract.Option) string {
	t.Helper()
	r, err := checker(t, opts...).Check(t.Context(), source)
	var b bytes.Buffer
	if writeErr := r.WriteJSON(&b); writeErr != nil {
		t.Fatal(writeErr)
	}
	return fmt.Sprintf("%serror: %v\n", b.String(), err)
}

// A report is the same, byte for byte, however many workers judge and however many processors there are.
func TestReportsDoNotDependOnWorkers(t *testing.T) { //nolint:paralleltest // it sets GOMAXPROCS, which is everybody's
	sources := map[string]contract.Source{
		"hostile":       hostile(t),
		"many findings": contract.Exchanges(slices.Values(faulty(2000))),
	}
	files, _ := filepath.Glob("testdata/*.ndjson")
	for _, file := range files {
		sources[file] = contract.Files(file)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, source := range sources {
		want := wire(t, source, contract.WithWorkers(1))
		for _, processors := range []int{1, 4} {
			runtime.GOMAXPROCS(processors)
			for _, workers := range []int{1, 2, 3, 8} {
				got := wire(t, source, contract.WithWorkers(workers))
				if got != want {
					t.Errorf("%s, %d workers on %d processors (-want +got):\n%.4000s", name, workers, processors, cmp.Diff(want, got))
				}
			}
		}
	}
}

// faulty returns a recording with faults of many kinds, alone and between exchanges, of several callers and worlds.
func faulty(n int) []*recording.Exchange {
	list := make([]*recording.Exchange, n)
	for i := range list {
		id := i / 10 % 37
		e := plainGET(fmt.Sprintf("/pools/%d", id), fmt.Sprintf("1/key%d", i%5))
		e.World = fmt.Sprintf("w%d", i%3)
		body := fmt.Sprintf(`{"id":"%d","name":"p","concurrencyLimit":%d,"default":false}`, id, i%7)
		switch i % 10 {
		case 0:
			e.Request.Method, e.Response.Status = "DELETE", 200
		case 1:
			e.Request.URL = fmt.Sprintf("https://workflow.svc.example/api/nowhere/%d", i)
		case 2:
			body = fmt.Sprintf(`{"id":%d,"more%d":1}`, id, i%50)
		case 3:
			e.Response.Status, body = 418, `{}`
		case 4:
			e.Request.URL, body = "https://workflow.svc.example/api/pools", fmt.Sprintf(`{"pools":[%s,%[1]s]}`, body)
		case 5:
			e.Request.URL = fmt.Sprintf("https://elsewhere.example/%d/things", i%20)
		case 6:
			e.Request.Headers = nil
		case 7:
			e.Response = nil
		}
		if e.Response != nil {
			e.Response.Body = &recording.Body{Bytes: []byte(body)}
		}
		list[i] = e
	}
	return list
}
