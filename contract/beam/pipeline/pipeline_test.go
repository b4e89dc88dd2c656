package pipeline_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/beam/pipeline"
)

func TestMain(m *testing.M) {
	flag.Parse()
	pipeline.Register()
	beam.Init()
	os.Exit(m.Run())
}

// running lets one job run at a time: Beam's runner keeps its address in a variable.
var running sync.Mutex

// run runs a job on Prism in this process.
func run(t *testing.T, j pipeline.Job) (*pipeline.Result, error) {
	t.Helper()
	running.Lock()
	defer running.Unlock()
	j.Sum = filepath.Join(t.TempDir(), "sum")
	result, err := pipeline.Run(t.Context(), j)
	if result == nil {
		t.Fatal(err)
	}
	return result, err
}

// wire returns a report as JSON, with the error of the check.
func wire(t *testing.T, r *contract.Report, checkErr error) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%serror: %v\n", b.String(), checkErr)
}

// check returns the report of a Check of files on one machine.
func check(t *testing.T, o pipeline.Options, patterns ...string) string {
	t.Helper()
	c, err := contract.NewChecker(o.List()...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Check(t.Context(), contract.Files(patterns...))
	return wire(t, r, err)
}

// sameReport wants a job to give the report of a check, however the files are cut.
func sameReport(t *testing.T, o pipeline.Options, patterns ...string) {
	t.Helper()
	o.Salt = []byte("salt")
	want := check(t, o, patterns...)
	for _, pieces := range []int{1, 8} {
		result, err := run(t, pipeline.Job{Patterns: patterns, Options: o, Pieces: pieces})
		if got := wire(t, result.Report, err); got != want {
			t.Errorf("%d pieces (-check +job):\n%.4000s", pieces, cmp.Diff(want, got))
		}
	}
}

func TestTheReportIsThatOfACheck(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/*.ndjson")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for name, patterns := range map[string][]string{
		"a recording":                  {"../../testdata/pools-broken.ndjson"},
		"one that is cut off":          {"../../testdata/pools-broken-cut.ndjson"},
		"files in another order":       []string{files[3], files[0], files[1]},
		"a folder":                     {"../../testdata"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameReport(t, pipeline.Options{Guess: true}, patterns...)
		})
	}
}
