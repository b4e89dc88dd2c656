package main

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Processes that begin at once have one salt, whole, and a home that nothing can be written to is no error.
func TestSaltOfAUser(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	salts := make([]string, 50)
	var all sync.WaitGroup
	for i := range salts {
		all.Go(func() {
			salt, err := (&saltFlag{}).bytes()
			if err != nil {
				t.Error(err)
			}
			salts[i] = string(salt)
		})
	}
	all.Wait()
	for _, salt := range salts {
		if salt == "" || salt != salts[0] {
			t.Fatalf("salts %q and %q, want one", salts[0], salt)
		}
	}
	left, err := filepath.Glob(filepath.Join(home, "config", "understudy", "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("files %q (%v), want the salt alone", left, err)
	}
	if given, err := (&saltFlag{text: "ours"}).bytes(); err != nil || string(given) != "ours" {
		t.Errorf("the salt %q (%v), want that of the flag", given, err)
	}
	if err := os.WriteFile(filepath.Join(home, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "file")) // in which there can be no folder
	if salt, err := (&saltFlag{}).bytes(); salt != nil || err != nil {
		t.Errorf("the salt %q (%v), want none", salt, err)
	}
}
