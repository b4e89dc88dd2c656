package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With a brand, the process itself writes nothing with the neutral word either.
func TestServeInABrand(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "traffic.ndjson")
	mock := serve(t, "--brand", "XY", "--scenario", "full-account", "--record", file, "--log-level", "debug")
	for _, path := range []string{
		"/workflow/api/projects", "/core/v3/job/list", "/llm/api/knowledge_bases", "/dwh/v1/dwh/81/configs", "/core/v3/none",
		"/_understudy/specs/llm.yaml", "/_understudy/worlds/default/journal.har", "/none",
	} {
		if _, answer := callAs(t, "XY1 1/admin", http.MethodGet, mock.ready.URL+path,
			""); strings.Contains(strings.ToLower(answer), "svc") {
			t.Errorf("GET %s has the neutral word", path)
		}
	}
	mock.stop(t)
	recorded, err := os.ReadFile(file)
	if err != nil || len(recorded) == 0 {
		t.Errorf("%d bytes were recorded, error %v", len(recorded), err)
	}
	_, document, _ := command(t, "spec", "llm", "--brand", "XY")
	for name, text := range map[string]string{
		"the recording": string(recorded), "the log": mock.stderr(t), "the document": document,
	} {
		if strings.Contains(strings.ToLower(text), "svc") {
			t.Errorf("%s has the neutral word", name)
		}
	}
	if code, _, stderr := command(t, "check", "--brand", "XY", file); code != 0 {
		t.Errorf("check says %d: %s", code, stderr)
	}
}
