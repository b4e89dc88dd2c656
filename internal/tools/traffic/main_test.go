package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFilesAreWrittenWithTheirManifest(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "recordings")
	args := []string{
		"-accounts", "3", "-exchanges", "900", "-seed", "4", "-plant", "all=1", "-plant", "role=2", "-files", "2",
		"-shuffle", "-format", "har", "-out", dir,
	}
	if err := run(args, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	planted := map[string]int{}
	for _, p := range m.Planted {
		planted[p.Rule]++
	}
	want := map[string]int{}
	for _, rule := range Rules() {
		want[rule] = 1
	}
	want["role"] = 2
	if diff := cmp.Diff(want, planted); diff != "" {
		t.Errorf("planted violations (-want +got):\n%s", diff)
	}
	entries := 0
	for _, name := range m.Files {
		var file struct {
			Log struct {
				Entries []json.RawMessage `json:"entries"`
			} `json:"log"`
		}
		text, err := os.ReadFile(filepath.Join(dir, name)) //nolint:gosec // the test made the folder
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		entries += len(file.Log.Entries)
	}
	if len(m.Files) != 2 || entries != 900 {
		t.Errorf("%d exchanges in %q, want 900 in two files", entries, m.Files)
	}
}

func TestOneFileGoesToStandardOutput(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run([]string{"-exchanges", "50"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 50 {
		t.Errorf("%d lines, want 50", n)
	}
}

func TestWrongArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"-files 2", "want -out with a folder"},
		{"-plant role", "want RULE=N"},
		{"-plant nonsense=1", `violation of "nonsense"`},
		{"-format xml", `format "xml"`},
		{"file.har", "want flags only"},
	} {
		err := run(strings.Fields(tt.args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.args, err, tt.want)
		}
	}
}

func TestHelpNamesAllFlags(t *testing.T) {
	t.Parallel()
	var help bytes.Buffer
	_ = run([]string{"-h"}, io.Discard, &help)
	for _, name := range []string{"accounts", "exchanges", "seed", "plant", "shuffle", "files", "format", "out"} {
		if !slices.Contains(strings.Fields(help.String()), "-"+name) {
			t.Errorf("the help does not name -%s", name)
		}
	}
}
