package statefile_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/internal/statefile"
)

// writerVariable names the file that this test binary writes until it is killed.
const writerVariable = "STATEFILE_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		fmt.Fprintln(os.Stderr, writeForEver(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// dumps returns the states of the nth content. They are so long that writing them takes a while.
func dumps(n int) []string {
	return []string{
		fmt.Sprintf(`{"n":%d}`, n), `{"filler":"` + strings.Repeat(fmt.Sprint(n%10), 512<<10) + `"}`,
	}
}

func write(f *statefile.File, n int, states ...string) error {
	return f.Write(func(w *statefile.Writer) (statefile.Content, error) {
		c := statefile.Content{Brand: "SVC", Serial: uint64(n)}
		for i, dump := range states {
			m := statefile.NewMoment(w.Add([]byte(dump)), "frozen", 0)
			c.Worlds = append(c.Worlds, statefile.World{ID: fmt.Sprint("w", i), Now: m, Origin: m})
		}
		return c, nil
	})
}

func writeForEver(path string) error {
	f, err := statefile.Open(path)
	for n := 0; err == nil; n++ {
		err = write(f, n, dumps(n)...)
		fmt.Fprintln(os.Stdout, n)
	}
	return err
}

func read(path string) (c statefile.Content, states []string, err error) {
	c, err = statefile.Read(path, func(dump []byte) error {
		states = append(states, string(dump))
		return nil
	})
	return c, states, err
}

// Whenever a process is killed, its file has one of the contents that it wrote, as a whole, and no older one than the
// last that it has finished.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	for round := range 12 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), writerVariable+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, finished := bufio.NewReader(out), 0
		for range round%4 + 1 {
			if _, err := fmt.Fscanln(lines, &finished); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		c, states, err := read(path)
		if err != nil || int(c.Serial) < finished || !slices.Equal(states, dumps(int(c.Serial))) {
			t.Fatalf("round %d: serial %d, %d states, %v; want those of %d or a later one", round, c.Serial, len(states), err,
				finished)
		}
	}
	f := open(t, path) // over what the last one has left behind
	if err := write(f, 1, `{}`); err != nil {
		t.Error(err)
	}
}

func open(t *testing.T, path string) *statefile.File {
	t.Helper()
	f, err := statefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestEqualStatesStandOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	if err := write(open(t, path), 1, `{"a":1}`, `{"b":1}`, `{"a":1}`); err != nil {
		t.Fatal(err)
	}
	c, states, err := read(path)
	if err != nil || len(states) != 2 || len(c.Worlds) != 3 || c.Worlds[2].Now != c.Worlds[0].Now {
		t.Errorf("%d states, %+v, %v", len(states), c, err)
	}
}

// What the file has can be kept in it without its dump, as long as nobody else changes the file.
func TestKeptStates(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	f := open(t, path)
	if err := write(f, 1, `{"a":1}`, `{"b":2}`); err != nil {
		t.Fatal(err)
	}
	keep := func(f *statefile.File, index int) (ok bool) {
		t.Helper()
		err := f.Write(func(w *statefile.Writer) (statefile.Content, error) {
			w.Add([]byte(`{"c":3}`))
			if _, ok = w.Keep(index); !ok {
				w.Add([]byte(`{"d":4}`))
			}
			return statefile.Content{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	for round, test := range []struct {
		index int
		ok    bool
		want  string
	}{{1, true, `{"c":3} {"b":2}`}, {1, true, `{"c":3} {"b":2}`}, {0, true, `{"c":3}`}, {7, false, `{"c":3} {"d":4}`}} {
		ok := keep(f, test.index)
		if _, states, err := read(path); err != nil || ok != test.ok || strings.Join(states, " ") != test.want {
			t.Errorf("round %d: %v, %q, %v, want %q", round, ok, states, err, test.want)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = open(t, path)
	if _, err := f.Read(func([]byte) error { return nil }); err != nil || !keep(f, 1) {
		t.Errorf("a state that was read is not kept: %v", err)
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, bytes.Replace(text, []byte(`{"d":4}`), []byte(`{"d":5}`), 1), 0o600)
	}
	if err != nil || keep(f, 1) {
		t.Errorf("a state that was changed meanwhile is kept: %v", err)
	}
	if err := os.Remove(path); err != nil || keep(f, 0) {
		t.Errorf("a state of a file that is gone is kept: %v", err)
	}
}

func TestFileOfOneServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "state.json"), filepath.Join(dir, "link")
	first := open(t, path)
	if err := write(first, 1, `{}`); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if _, err := statefile.Open(link); err == nil || !strings.Contains(err.Error(), "in use by another server") {
		t.Errorf("opened twice: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := write(open(t, link), 2, `{}`); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); err != nil || target != path {
		t.Errorf("the link is %q, %v, after it was written", target, err)
	}
	if c, _, err := read(path); err != nil || c.Serial != 2 {
		t.Errorf("serial %d, %v, want 2", c.Serial, err)
	}
}

func TestPathsThatCannotBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := statefile.Open(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	_, err := statefile.Open(filepath.Join(dir, "none", "state.json"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "the folder of") {
		t.Errorf("in no folder: %v", err)
	}
}

func TestFilesThatAreNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := filepath.Join(dir, "good.json")
	if err := write(open(t, good), 1, `{"a":1}`); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"edited":  {bytes.Replace(text, []byte("SVC"), []byte("CVS"), 1), "it is damaged"},
		"cut":     {text[:len(text)-5], "it is damaged"},
		"longer":  {append(slices.Clone(text), "{}"...), "it is damaged"},
		"short":   {text[:25], "it is damaged"},
		"newer":   {bytes.Replace(text, []byte(":1,"), []byte(":2,"), 1), "a newer Understudy has written it"},
		"older":   {bytes.Replace(text, []byte(":1,"), []byte(":0,"), 1), "it has version 0"},
		"dump":    {[]byte(`{"state":{}}`), "it is not a file in which"},
		"text":    {[]byte("hello"), "it is not a file in which"},
		"nothing": {nil, statefile.ErrEmpty.Error()},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, test.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := read(path); err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed.json")
	file, err := statefile.Open(path)
	if err == nil {
		err = errors.Join(write(file, 1, `{"a":1}`), file.Close())
	}
	text, readErr := os.ReadFile(path)
	if err := errors.Join(err, readErr); err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		c, states, err := read(path)
		for _, w := range c.Worlds {
			if err == nil && (w.Now.State >= len(states) || w.Origin.State >= len(states)) {
				t.Errorf("world %s refers to a state that is not there", w.ID)
			}
		}
	})
}
