package pipeline_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/beam/pipeline"
	"svc.example/understudy/contract/report"
)

// What cannot be read is written down with its places, which are those in the report, whatever piece it is in.
func TestDeadLetters(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	damaged, letters := filepath.Join(folder, "damaged.ndjson"), filepath.Join(t.TempDir(), "letters.ndjson")
	writeDamaged(t, damaged)
	for _, pieces := range []int{1, 5} {
		result, err := run(t, pipeline.Job{
			Patterns: []string{damaged, "none.har"}, Pieces: pieces, DeadLetters: letters, Options: pipeline.Options{Guess: true},
		})
		if err == nil {
			t.Error("a damaged file is not an error")
		}
		var list []report.Problem
		for line := range bytes.Lines(readFile(t, letters)) {
			var one report.Problem
			if err := json.Unmarshal(line, &one); err != nil {
				t.Fatal(err)
			}
			list = append(list, one)
		}
		slices.SortFunc(list, func(a, b report.Problem) int { return int(b.Offset - a.Offset) })
		want := slices.Clone(result.Report.Problems)
		slices.SortFunc(want, func(a, b report.Problem) int { return int(b.Offset - a.Offset) })
		if diff := cmp.Diff(want, list); diff != "" || len(list) != 4 {
			t.Errorf("%d dead letters (-report +letters):\n%s", len(list), diff)
		}
	}
}

// A job without dead letters leaves none of an earlier one.
func TestNoDeadLetters(t *testing.T) {
	t.Parallel()
	letters := filepath.Join(t.TempDir(), "letters.ndjson")
	if err := os.WriteFile(letters, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := run(t, pipeline.Job{Patterns: []string{"../../testdata/pools.ndjson"}, DeadLetters: letters})
	if text := readFile(t, letters); err != nil || len(text) > 0 {
		t.Errorf("dead letters %q, error %v", text, err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A filesystem of Beam gives the same report as files on disk, but for the names of the files, which are its addresses.
func TestAnObjectStore(t *testing.T) {
	t.Parallel()
	const broken = "../../testdata/pools-broken.ndjson"
	put(t, "memfs://store/b/broken.ndjson", readFile(t, broken))
	put(t, "memfs://store/a/README", []byte("# no recording\n"))
	options := pipeline.Options{Guess: true, Salt: []byte("salt")}
	want, wantErr := run(t, pipeline.Job{Patterns: []string{broken}, Options: options})
	got, err := run(t, pipeline.Job{Patterns: []string{"memfs://store/?/*"}, Options: options, Pieces: 4})
	if err != nil || wantErr != nil {
		t.Fatal(err, wantErr)
	}
	notes := got.Report.Notes
	if len(notes) == 0 {
		t.Error("a file that is not a recording gives no note")
	}
	if diff := cmp.Diff(want.Report.Checks, got.Report.Checks); diff != "" || got.Report.Checks.Fail == 0 {
		t.Errorf("checks (-files +store):\n%s", diff)
	}
	line := got.Report.Shown[got.Report.Findings[0].Exchange]
	if line.File != "memfs://store/b/broken.ndjson" {
		t.Errorf("the finding is in %s", line.File)
	}
	if err := got.Checker.Evidence(t.Context(), got.Source, got.Report); err != nil || len(got.Report.Evidence) == 0 {
		t.Errorf("evidence of %d exchanges, error %v", len(got.Report.Evidence), err)
	}
}

// That nothing is at an address is an error, and so is an address that no filesystem knows.
func TestNothingInAStore(t *testing.T) {
	t.Parallel()
	_, err := run(t, pipeline.Job{Patterns: []string{"memfs://empty/*"}})
	if err == nil {
		t.Error("no file is no error")
	}
	if _, err := pipeline.Run(t.Context(), pipeline.Job{Patterns: []string{"ftp://a/b"}}); err == nil {
		t.Error("an unknown filesystem is no error")
	}
}

func put(t *testing.T, address string, text []byte) {
	t.Helper()
	fs, err := filesystem.New(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if err := filesystem.Write(t.Context(), fs, address, text); err != nil {
		t.Fatal(err)
	}
}
