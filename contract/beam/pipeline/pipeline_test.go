package pipeline_test

import (
	"bytes"
	"compress/gzip"
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
	folder, err := os.MkdirTemp("", "understudy-beam-test-")
	if err == nil {
		err = os.Setenv("TMPDIR", folder) // Beam leaves an empty file there for each job
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
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
	const formats = "../../internal/capture/testdata/"
	guess := pipeline.Options{Guess: true}
	strict := pipeline.Options{
		Guess: true, Gaps: true, Trust: "assumed", Complete: "always", NoExtras: true,
		Bases:      [][2]string{{"workflow", "https://workflow.example.com"}},
		Severities: []pipeline.Severity{{Rule: "schema", Operation: "*", Level: "warning"}},
	}
	damaged := filepath.Join(t.TempDir(), "damaged.ndjson")
	writeDamaged(t, damaged)
	packed := filepath.Join(t.TempDir(), "packed.ndjson.gz")
	writePacked(t, packed, damaged)
	for name, c := range map[string]struct {
		options  pipeline.Options
		patterns []string
	}{
		"a recording":              {guess, []string{"../../testdata/pools-broken.ndjson"}},
		"one that is cut off":      {guess, []string{"../../testdata/pools-broken-cut.ndjson"}},
		"options":                  {strict, []string{"../../testdata/pools-broken.ndjson"}},
		"damaged":                  {guess, []string{damaged}},
		"files in an order":        {guess, []string{"../../testdata/pools.ndjson", damaged, "../../testdata/pools-broken.ndjson"}},
		"compressed":               {guess, []string{packed}},
		"HAR":                      {guess, []string{formats + "mitmproxy.har"}},
		"cassettes":                {guess, []string{formats + "vcrpy.yaml", formats + "rubyvcr.yaml"}},
		"a folder":                 {guess, []string{"../../testdata"}},
		"a folder of many formats": {guess, []string{formats}},
		"a pattern":                {guess, []string{formats + "*.{json,ndjson}", "../../testdata/pools.ndjson"}},
		"no recording":             {guess, []string{"../../testdata/shapes", "../../testdata/pools.ndjson"}},
		"a file that is not there": {guess, []string{"none.har", "../../testdata/pools.ndjson"}},
		"nothing":                  {guess, []string{"none.har"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameReport(t, c.options, c.patterns...)
		})
	}
}

// writePacked writes what is in a file, compressed.
func writePacked(t *testing.T, path, from string) {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(readFile(t, from)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeDamaged writes a recording behind a byte order mark and empty lines, in which lines are no exchanges.
func writeDamaged(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/pools-broken.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	damaged := append([]byte("\ufeff\n  \n "), lines[0]...)
	damaged = append(damaged, "no exchange\n{\"request\":\n\n"...)
	damaged = append(append(damaged, bytes.Join(lines[1:], nil)...), "{\"request\":{}}\n"...)
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
}
