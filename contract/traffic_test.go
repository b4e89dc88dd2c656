package contract_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
)

// generated returns the beginning of a recording of many accounts, in which internal/tools/traffic has planted two
// violations of each rule: more exchanges than wait in memory.
func generated(t *testing.T, exchanges int) []byte {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "traffic.ndjson.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(lines[:exchanges], nil)
}

// inFiles writes a recording as files, cut at random ends of lines, and returns their names in order.
func inFiles(t *testing.T, text []byte, random *rand.Rand, files int) (paths []string) {
	t.Helper()
	lines := bytes.SplitAfter(text, []byte("\n"))
	dir, from := t.TempDir(), 0
	for i := range files {
		to := len(lines)
		if i < files-1 {
			to = from + 1 + random.IntN((len(lines)-from)/(files-i))
		}
		path := filepath.Join(dir, fmt.Sprintf("%02d.ndjson", i))
		if err := os.WriteFile(path, bytes.Join(lines[from:to], nil), 0o600); err != nil {
			t.Fatal(err)
		}
		paths, from = append(paths, path), to
	}
	return paths
}

// placesInFiles are those parts of a report that say where in which file an exchange is.
var placesInFiles = regexp.MustCompile(`(?m)^\s*"(file|line|entry|offset)":.*\n`)

// A report does not depend on how many workers there are, nor on how a recording is distributed over files, but for the
// places in these.
func TestTrafficOfManyAccountsIsJudgedAlike(t *testing.T) {
	t.Parallel()
	text := generated(t, 5500)
	random := rand.New(rand.NewPCG(1, 2))
	whole := inFiles(t, text, random, 1)
	want := wire(t, contract.Files(whole...), contract.WithWorkers(1))
	for _, workers := range []int{8} {
		if diff := cmp.Diff(want, wire(t, contract.Files(whole...), contract.WithWorkers(workers))); diff != "" {
			t.Errorf("%d workers (-one +these):\n%.3000s", workers, diff)
		}
	}
	withoutPlaces := func(report string) string { return placesInFiles.ReplaceAllString(report, "") }
	for _, files := range []int{7} {
		cut := wire(t, contract.Files(inFiles(t, text, random, files)...))
		if diff := cmp.Diff(withoutPlaces(want), withoutPlaces(cut)); diff != "" {
			t.Errorf("%d files (-one +these):\n%.3000s", files, diff)
		}
	}
}

// The parts of a recording in NDJSON that are cut by bytes have the places of the whole.
func TestPiecesHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	text := generated(t, 500)
	text = append(append(slices.Clip(text), "\n\nnot an exchange\n"...), text[:1000]...)
	want := readAll(t, contract.Read("all", bytes.NewReader(text)))
	random := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		var before contract.Place
		var got []string
		for rest := text; len(rest) > 0; {
			n := min(random.IntN(100_000)+1, len(rest))
			if end := bytes.IndexByte(rest[n:], '\n'); end >= 0 {
				n += end + 1
			} else {
				n = len(rest)
			}
			source := contract.ReadPiece("all", bytes.NewReader(rest[:n]), before)
			got = append(got, readAll(t, source)...)
			extent := contract.Extent(contract.ReadLines("all", bytes.NewReader(rest[:n])))
			before.Exchanges += extent.Exchanges
			before.Entries += extent.Entries
			before.Lines += bytes.Count(rest[:n], []byte("\n"))
			before.Bytes += int64(n)
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("places (-whole +pieces):\n%.2000s", diff)
		}
	}
}

func readAll(t *testing.T, source contract.Source) (list []string) {
	t.Helper()
	for r, err := range source {
		list = append(list, fmt.Sprintf("%+v %v", r.Position, err))
	}
	return list
}

// Only what is NDJSON as it stands can be cut at the ends of lines.
func TestWhatCanBeCut(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		head []byte
		want bool
	}{
		"NDJSON":               {[]byte(numbered(1)), true},
		"with a mark":          {append([]byte("\xef\xbb\xbf"), numbered(1)...), true},
		"an archive":           {[]byte(`{"log":{"version":"1.2","entries":[]}}`), false},
		"compressed":           {[]byte("\x1f\x8b\x08\x00"), false},
		"nothing":              {nil, false},
		"a line of other JSON": {[]byte(`{"level":"info"}` + "\n"), false},
	} {
		if got := contract.IsLines(tt.head); got != tt.want {
			t.Errorf("%s can be cut: %t, want %t", name, got, tt.want)
		}
	}
}
