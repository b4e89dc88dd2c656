package pipeline_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/beam/pipeline"
	"svc.example/understudy/specs/recording"
)

// traffic returns a recording of many accounts, in which internal/tools/traffic has planted two violations of each rule
// but latency, which is judged only where a limit is given.
func traffic(t *testing.T) (lines [][]byte) {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "testdata", "traffic.ndjson.gz"))
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
	return slices.Collect(bytes.Lines(text))
}

// inFiles cuts the lines of a recording into files of a folder.
func inFiles(t *testing.T, folder string, lines [][]byte, files int) {
	t.Helper()
	i := 0
	for part := range slices.Chunk(lines, (len(lines)+files-1)/files) {
		name := filepath.Join(folder, fmt.Sprintf("traffic-%d.ndjson", i))
		if err := os.WriteFile(name, bytes.Join(part, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		i++
	}
}

// inHAR writes a recording as a HAR file of a folder.
func inHAR(t *testing.T, folder string, lines [][]byte) {
	t.Helper()
	var list []*recording.Exchange
	for _, line := range lines {
		e := new(recording.Exchange)
		if err := json.Unmarshal(line, e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	var b bytes.Buffer
	if err := recording.WriteHAR(&b, slices.Values(list)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "traffic.har"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Violations of all rules that are planted in recordings of many accounts, in order and not, are found at any cut.
func TestPlantedViolationsAreFound(t *testing.T) {
	t.Parallel()
	lines := traffic(t)
	planted := 2 * (len(contract.Rules()) - 1)
	for name, write := range map[string]func(t *testing.T, folder string){
		"several files": func(t *testing.T, folder string) { t.Helper(); inFiles(t, folder, lines, 3) },
		"out of order": func(t *testing.T, folder string) {
			t.Helper()
			shuffled := slices.Clone(lines)
			rand.New(rand.NewPCG(2, 2)).Shuffle(len(shuffled), func(i, j int) {
				shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
			})
			inFiles(t, folder, shuffled, 2)
		},
		"HAR": func(t *testing.T, folder string) { t.Helper(); inHAR(t, folder, lines) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write(t, folder)
			sameReport(t, pipeline.Options{}, folder)
			result, err := run(t, pipeline.Job{Patterns: []string{folder}, Pieces: 3})
			if err != nil || result.Report.Checks.Fail < planted {
				t.Fatalf("%d checks failed, error %v, want at least %d", result.Report.Checks.Fail, err, planted)
			}
			wantMetrics(t, result, len(lines))
		})
	}
}

// wantMetrics wants Beam to have counted what the report says.
func wantMetrics(t *testing.T, result *pipeline.Result, exchanges int) {
	t.Helper()
	const pending = 1 // without credentials, which is judged when everything is known
	list := pipeline.Metrics(result.Metrics)
	for name, want := range map[string]int{
		pipeline.Read: exchanges, pipeline.Judged: result.Report.Exchanges.Matched,
		pipeline.Broken: 0, pipeline.Violations: result.Report.Checks.Fail - pending,
	} {
		if line := fmt.Sprintf("%s %d", name, want); !slices.Contains(list, line) {
			t.Errorf("metrics %q, want %q", list, line)
		}
	}
	for _, name := range []string{pipeline.Events, pipeline.Keys, pipeline.EventsPerKey} {
		is := func(line string) bool { return strings.HasPrefix(line, name+" ") && line != name+" 0" }
		if !slices.ContainsFunc(list, is) {
			t.Errorf("metrics %q, want %s above 0", list, name)
		}
	}
}
