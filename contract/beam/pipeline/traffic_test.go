package pipeline_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract/beam/pipeline"
	"svc.example/understudy/internal/traffic"
)

// record writes a recording of the generator with violations of all rules into files of a folder, and returns how many
// were planted.
func record(t *testing.T, folder string, c traffic.Config) (planted int) {
	t.Helper()
	c.Plant = map[string]int{}
	for _, rule := range traffic.Rules() {
		c.Plant[rule] = 2
	}
	delete(c.Plant, "latency") // which is judged only where a limit is given
	buffers := make([]*bytes.Buffer, c.Files)
	files := make([]io.Writer, c.Files)
	for i := range files {
		buffers[i] = &bytes.Buffer{}
		files[i] = buffers[i]
	}
	manifest, err := traffic.Write(c, files...)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range buffers {
		name := filepath.Join(folder, fmt.Sprintf("traffic-%d.%s", i, c.Format))
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return len(manifest.Planted)
}

// Violations of all rules that are planted in recordings of many accounts, in order and not, are found at any cut.
func TestPlantedViolationsAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]traffic.Config{
		"several files":    {Accounts: 50, Exchanges: 3000, Seed: 1, Format: traffic.NDJSON, Files: 3},
		"out of order":     {Accounts: 50, Exchanges: 3000, Seed: 2, Format: traffic.NDJSON, Files: 2, Shuffle: true},
		"HAR, one account": {Accounts: 10, Exchanges: 3000, Seed: 3, Format: traffic.HAR, Files: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			planted := record(t, folder, c)
			sameReport(t, pipeline.Options{}, folder)
			result, err := run(t, pipeline.Job{Patterns: []string{folder}, Pieces: 3})
			if err != nil || result.Report.Checks.Fail < planted {
				t.Fatalf("%d checks failed, error %v, want at least %d", result.Report.Checks.Fail, err, planted)
			}
			wantMetrics(t, result, c.Exchanges)
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
