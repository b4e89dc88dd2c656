package contract_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs"
)

// A recording of which nothing could be judged never conforms, whatever else is noted about it.
func TestWhatCannotBeJudgedDoesNotConform(t *testing.T) {
	t.Parallel()
	c := checker(t, contract.WithBaseURL("workflow", "https://workflow.svc.example"))
	for status, want := range map[string]error{
		"1099511627776": contract.ErrNothingMatched, // it is no status, so there is no exchange
		"20":            contract.ErrNothingMatched,
		"200.5":         contract.ErrNothingMatched,
		"200":           contract.ErrNothingJudged,
	} {
		har := fmt.Sprintf(`{"log":{"version":"1.2","entries":[{"request":{"method":"GET","url":"https://workflow.svc.example/api/pools"},`+
			`"response":{"status":%s,"headers":[{"name":"Content-Type","value":"application/json"}],`+
			`"content":{"size":9,"mimeType":"application/json","encoding":"base64","text":"!!!"}}}]}}`, status)
		file := filepath.Join(t.TempDir(), "a.har")
		if err := os.WriteFile(file, []byte(har), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := c.Check(t.Context(), contract.Files(file))
		if err == nil || errors.Is(want, contract.ErrNothingJudged) && !errors.Is(err, want) || r.Judged.Bodies != 0 {
			t.Errorf("status %s: error %v, want %v", status, err, want)
		}
	}
}

// A document's aliases cost what is written, not what they stand for.
func TestDocumentsAreNoBombs(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	text := "a: &a0 [1,1,1,1,1,1,1,1,1]\n"
	for i := range 9 {
		text += fmt.Sprintf("b%d: &a%d [%s*a%d]\n", i, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 8), i)
	}
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := specs.Load(specs.Workflow, specs.Neutral); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := specs.LoadFile(specs.Workflow, file, specs.Neutral)
	runtime.ReadMemStats(&after)
	if cost := after.TotalAlloc - before.TotalAlloc; err == nil || cost > 10<<20 {
		t.Errorf("%d bytes cost %d MiB: %v", len(text), cost>>20, err)
	}
}
