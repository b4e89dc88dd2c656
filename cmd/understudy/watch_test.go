package main_test

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// watched is a server that watches a scenario.
type watched struct {
	*process
	file string
	log  *bufio.Reader
}

func watch(t *testing.T, args ...string) watched {
	t.Helper()
	w := watched{file: filepath.Join(t.TempDir(), "mine", "scenario.yaml")}
	if err := os.MkdirAll(filepath.Dir(w.file), 0o700); err != nil {
		t.Fatal(err)
	}
	w.save(t, "first")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	t.Cleanup(func() { _ = read.Close() })
	w.process, w.log = &process{log: os.DevNull}, bufio.NewReader(read)
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--watch", "--scenario", filepath.Dir(w.file)}, args...)
	w.start(t, "", write, "understudy", args...)
	return w
}

// save writes the scenario as editors do: to a file beside it, which then takes its place.
func (w watched) save(t *testing.T, pool string) {
	t.Helper()
	text := "description: Mine.\nnow: 2026-01-15T09:30:00Z\nseed: 1\nuses: [shop]\n" +
		"workflow: {pools: [{id: 71, name: " + pool + ", concurrencyLimit: 3}]}\n"
	if err := os.WriteFile(w.file+"~", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(w.file+"~", w.file); err != nil {
		t.Fatal(err)
	}
}

// logged waits for a line of the log.
func (w watched) logged(t *testing.T, want string) string {
	t.Helper()
	for {
		line, err := w.log.ReadString('\n')
		if err != nil {
			t.Fatalf("no line with %q: %v", want, err)
		}
		if strings.Contains(line, want) {
			return line
		}
	}
}

func (w watched) hasPool(t *testing.T, name string) bool {
	t.Helper()
	_, pools := call(t, http.MethodGet, w.ready.Interfaces["workflow"]+"/api/pools", "")
	return strings.Contains(pools, `"`+name+`"`)
}

func TestWatch(t *testing.T) {
	t.Parallel()
	w := watch(t, "--record", filepath.Join(t.TempDir(), "r.ndjson"))
	if !w.hasPool(t, "first") {
		t.Error("the scenario is not served")
	}
	w.save(t, "{}")
	if line := w.logged(t, "level=ERROR"); !strings.Contains(line, "scenario.yaml:5") || !w.hasPool(t, "first") {
		t.Errorf("logged %s", line)
	}
	w.save(t, "second")
	if w.logged(t, "reloaded scenarios"); !w.hasPool(t, "second") || w.hasPool(t, "first") {
		t.Error("the world does not begin anew")
	}
	w.logged(t, "correct again")
	w.stop(t)

	w = watch(t, "--watch-worlds", "keep")
	w.save(t, "second")
	if w.logged(t, "reloaded scenarios"); !w.hasPool(t, "first") {
		t.Error("the world does not stay")
	}
	call(t, http.MethodPost, w.ready.Control+"/worlds/default/reset", "")
	if !w.hasPool(t, "second") {
		t.Error("a reset does not begin with the new scenario")
	}
	w.stop(t)
}

func TestOverlaysAreWatched(t *testing.T) {
	t.Parallel()
	overlay := filepath.Join(t.TempDir(), "overlay.yaml")
	save := func(id string) {
		t.Helper()
		text := "overlay: 1.0.0\ninfo: {title: More, version: '1'}\nactions:\n  - target: $.paths['/things'].get\n    update: {operationId: " +
			id + "}\n"
		if err := os.WriteFile(overlay, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save("first")
	document := filepath.Join(t.TempDir(), "shop.yaml")
	const text = "openapi: 3.0.3\ninfo: {title: Shop, version: '1'}\npaths: {/things: {get: {responses: {'200': {description: x}}}}}\n"
	if err := os.WriteFile(document, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := watch(t, "--spec", "shop="+document, "--overlay", "shop="+overlay, "--log-level", "debug")
	for _, id := range []string{"first", "second"} {
		if call(t, http.MethodGet, w.ready.Interfaces["shop"]+"/things", ""); !strings.Contains(w.logged(t, "operation=shop."), "shop."+id) {
			t.Errorf("the operation is not %s", id)
		}
		if id == "first" {
			save("second")
			w.logged(t, "reloaded a document")
		}
	}
	w.stop(t)
}

func TestNothingToWatch(t *testing.T) {
	t.Parallel()
	code, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0", "--watch")
	if want := "--watch: there is nothing to watch: want a scenario of your own"; code != 2 || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, %s, want %q", code, stderr, want)
	}
}
