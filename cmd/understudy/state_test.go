package main_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A server goes on where the last one with its file ended.
func TestServeKeepsState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "state.json")
	mock := serve(t, "--state", file, "--clock", "frozen")
	_, made := call(t, http.MethodPost, mock.ready.Control+"/worlds", `{"mintKeys":true}`)
	var world struct{ Keys map[string]string }
	if err := json.Unmarshal([]byte(made), &world); err != nil || len(world.Keys) == 0 {
		t.Fatalf("%v: %s", err, made)
	}
	key := "SVC1 " + world.Keys["admin"]
	callAs(t, key, http.MethodPost, mock.ready.Interfaces["workflow"]+"/api/pools", `{"name":"kept","concurrencyLimit":2}`)
	code, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0", "--state", file)
	if want := "is in use by another server"; code != 2 || !strings.Contains(stderr, want) {
		t.Errorf("a second server: exit code %d, %s", code, stderr)
	}
	mock.stop(t)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v, %v, want mode 0600", info.Mode(), err)
	}

	mock = serve(t, "--state", file)
	_, pools := callAs(t, key, http.MethodGet, mock.ready.Interfaces["workflow"]+"/api/pools", "")
	if !strings.Contains(pools, `"kept"`) {
		t.Errorf("pools %s", pools)
	}
	call(t, http.MethodPost, mock.ready.Control+"/clock", `{"advance":"1h"}`)
	if err := mock.end(t, syscall.SIGKILL); err == nil {
		t.Fatal("the process was not killed")
	}
	mock = serve(t, "--state", file) // it was saved before the kill or it was not: either is whole
	mock.stop(t)
	if log := mock.stderr(t); !strings.Contains(log, "loaded the worlds") {
		t.Errorf("log %s", log)
	}
}

// What state show and diff print of files that servers have written.
func TestState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before.json"), filepath.Join(dir, "after.json")
	args := []string{"--clock", "frozen", "--state"}
	mock := serve(t, append(args, before)...)
	call(t, http.MethodPost, mock.ready.Control+"/worlds", `{"id":"old","mintKeys":true}`)
	mock.stop(t)
	text, err := os.ReadFile(before)
	if err == nil {
		err = os.WriteFile(after, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if code, out, log := command(t, "state", "diff", before, after); code != 0 || out+log != "" {
		t.Errorf("the same: exit code %d, %s%s", code, out, log)
	}
	mock = serve(t, append(args, after)...)
	workflow, control := mock.ready.Interfaces["workflow"], mock.ready.Control
	call(t, http.MethodPost, workflow+"/api/pools", `{"name":"nightly","concurrencyLimit":2}`)
	call(t, http.MethodPatch, workflow+"/api/pools/3", `{"concurrencyLimit":5}`)
	call(t, http.MethodPost, mock.ready.Interfaces["core"]+"/database/delete/sandbox2", "")
	call(t, http.MethodDelete, control+"/worlds/old", "")
	call(t, http.MethodPost, control+"/worlds", `{"id":"new","fork":"default"}`)
	call(t, http.MethodPut, control+"/checkpoints/here", "")
	mock.stop(t)

	code, out, log := command(t, "state", "diff", before, after)
	for _, want := range []string{
		"~ world default\n", "  + checkpoint here\n", "  + workflow.pools 4 nightly\n",
		"  ~ workflow.pools 3 adhoc: concurrencyLimit 2 → 5\n", "+ world new\n", "- world old\n",
	} {
		if code != 1 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s\n%s, want %q", code, log, out, want)
		}
	}
	code, out, _ = command(t, "state", "diff", "--json", before, after)
	var diff struct {
		Worlds []struct{ ID, Change string }
	}
	if err := json.Unmarshal([]byte(out), &diff); err != nil || code != 1 || len(diff.Worlds) != 3 {
		t.Errorf("exit code %d, %v, %s", code, err, out)
	}
	code, out, _ = command(t, "state", "show", after)
	for _, want := range []string{
		"2 worlds, saved ", "world default: scenario quickstart, seed 1, clock frozen at 2026-", "fork of",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s, want %q", code, out, want)
		}
	}
	_, _, log = command(t, "state", "show", filepath.Join(dir, "none.json"))
	if !strings.Contains(log, "no such file") {
		t.Errorf("a file that is not there: %s", log)
	}
}

// Objects of an interface of the user's own are compared one by one, by their resources and keys.
func TestStateDiffOfAnOwnInterface(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before.json"), filepath.Join(dir, "after.json")
	scenario := filepath.Join(dir, "s.yaml")
	text := "interfaces: {shop: {products: [{id: 1, name: rose, price: 1}, {id: 2, name: lily, price: 2}]}}\n"
	if err := os.WriteFile(scenario, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	mock := serve(t, "--clock", "frozen", "--spec", "shop=../../mockserver/testdata/own/shop.yaml", "--scenario", scenario)
	shop, control := mock.ready.Interfaces["shop"], mock.ready.Control
	dump := func(file string) {
		t.Helper()
		_, state := call(t, http.MethodGet, control+"/state", "")
		if err := os.WriteFile(file, []byte(state), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dump(before)
	callAs(t, "Bearer any", http.MethodDelete, shop+"/products/1", "")
	callAs(t, "Bearer any", http.MethodPatch, shop+"/products/2", `{"price":3}`)
	callAs(t, "Bearer any", http.MethodPost, shop+"/products", `{"name":"tulip","price":4}`)
	dump(after)
	mock.stop(t)
	code, out, log := command(t, "state", "diff", before, after)
	want := "~ world default\n  - shop.product 1 rose\n" +
		"  ~ shop.product 2 lily: price 2 → 3, updated_at\n  + shop.product 3 tulip\n"
	if code != 1 || !strings.HasPrefix(out, want) {
		t.Errorf("exit code %d\n%s%s\nwant\n%s", code, out, log, want)
	}
}
