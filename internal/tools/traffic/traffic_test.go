package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// generate returns the files of a recording, and its manifest.
func generate(t *testing.T, c Config) ([]*bytes.Buffer, *Manifest) {
	t.Helper()
	files := make([]*bytes.Buffer, max(c.Files, 1))
	writers := make([]io.Writer, len(files))
	for i := range files {
		files[i] = &bytes.Buffer{}
		writers[i] = files[i]
	}
	m, err := Write(c, writers...)
	if err != nil {
		t.Fatal(err)
	}
	return files, m
}

// read returns the exchanges of a recording of one file.
func read(t *testing.T, c Config) (list []*recording.Exchange) {
	t.Helper()
	files, _ := generate(t, c)
	for item, err := range contract.Read("traffic."+c.Format, files[0]).Items() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, item.Exchange)
	}
	if len(list) != c.Exchanges {
		t.Fatalf("%d exchanges, want %d", len(list), c.Exchanges)
	}
	return list
}

// each returns a configuration that plants so many violations of each rule.
func each(n int, c Config) Config {
	c.Plant = map[string]int{}
	for _, rule := range Rules() {
		c.Plant[rule] = n
	}
	return c
}

// TestTheSameConfigurationGivesTheSameBytes compares digests with a file, which UPDATE=1 writes.
func TestTheSameConfigurationGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, c := range []Config{
		{Accounts: 1, Exchanges: 2000, Format: NDJSON},
		each(2, Config{Accounts: 20, Exchanges: 4000, Seed: 1, Format: NDJSON}),
		each(2, Config{Accounts: 20, Exchanges: 4000, Seed: 2, Format: NDJSON, Shuffle: true, Files: 3}),
		each(2, Config{Accounts: 20, Exchanges: 4000, Seed: 2, Format: HAR, Shuffle: true}),
	} {
		files, m := generate(t, c)
		digest := sha256.New()
		for _, f := range files {
			fmt.Fprintln(digest, f.Len())
			_, _ = f.WriteTo(digest)
		}
		_ = m.Write(digest)
		fmt.Fprintf(&got, "%s seed %d, %d exchanges of %d accounts, %d files, shuffled %t: %x\n",
			c.Format, c.Seed, c.Exchanges, c.Accounts, len(files), c.Shuffle, digest.Sum(nil))
	}
	file := filepath.Join("testdata", "digests.txt")
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("digests (-want +got), UPDATE=1 rewrites them:\n%s", diff)
	}
}

func TestAnotherSeedGivesOtherTraffic(t *testing.T) {
	t.Parallel()
	a, _ := generate(t, Config{Accounts: 5, Exchanges: 500, Seed: 1, Format: NDJSON})
	b, _ := generate(t, Config{Accounts: 5, Exchanges: 500, Seed: 2, Format: NDJSON})
	if bytes.Equal(a[0].Bytes(), b[0].Bytes()) {
		t.Error("seeds 1 and 2 give the same bytes")
	}
}

func TestAllOperationsAppear(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	documents := map[string]*specs.Document{}
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		documents["https://"+string(name)+".svc.example"+d.BasePath] = d
	}
	for _, e := range read(t, Config{Accounts: 10, Exchanges: 8000, Format: NDJSON}) {
		address, _, _ := strings.Cut(e.Request.URL, "?")
		for base, d := range documents {
			if path, isBelow := strings.CutPrefix(address, base); isBelow {
				if op := d.Find(e.Request.Method, path).Operation; op != nil {
					seen[op.Name()] = true
				}
			}
		}
	}
	for _, c := range specs.Catalogue() {
		if !seen[c.Name()] {
			t.Errorf("%s does not appear", c.Name())
		}
	}
}

// Bodies differ but where a response has nothing to say, such as an empty list, or says again what it said before.
func TestMostBodiesDiffer(t *testing.T) {
	t.Parallel()
	const mostAlike = 12 // percent
	seen, bodies, alike := map[string]bool{}, 0, 0
	for _, e := range read(t, Config{Accounts: 20, Exchanges: 10_000, Format: NDJSON}) {
		text := e.Request.Method
		for _, body := range []*recording.Body{e.Request.Body, e.Response.Body} {
			if body != nil {
				text += "\n" + string(body.Bytes)
			}
		}
		if text == e.Request.Method {
			continue
		}
		if bodies++; seen[text] {
			alike++
		}
		seen[text] = true
	}
	if alike*100 > bodies*mostAlike {
		t.Errorf("%d of %d exchanges have the bodies of another one, want %d%% at most", alike, bodies, mostAlike)
	}
}

func TestBodiesHaveTheLengthThatHeadersAnnounce(t *testing.T) {
	t.Parallel()
	for _, e := range read(t, each(2, Config{Accounts: 20, Exchanges: 4000, Format: NDJSON})) {
		length := 0
		if e.Response.Body != nil {
			length = len(e.Response.Body.Bytes)
		}
		if text := e.Response.Headers.Value("Content-Length"); text != "" && text != strconv.Itoa(length) {
			t.Errorf("exchange %d %s: Content-Length %s, want %d", e.Seq, e.Request.URL, text, length)
		}
	}
}

func TestFormatsHoldTheSameExchanges(t *testing.T) {
	t.Parallel()
	c := each(1, Config{Accounts: 10, Exchanges: 2000, Format: NDJSON, Shuffle: true})
	ndjson := read(t, c)
	c.Format = HAR
	for i, e := range read(t, c) {
		text := func(e *recording.Exchange) string {
			e.Start, e.End = e.Start.Round(time.Millisecond), e.End.Round(time.Millisecond)
			line, err := recording.Line(e)
			if err != nil {
				t.Fatal(err)
			}
			return string(line)
		}
		if diff := cmp.Diff(text(ndjson[i]), text(e)); diff != "" {
			t.Fatalf("exchange %d (-NDJSON +HAR):\n%s", i+1, diff)
		}
	}
}

func TestSessionsOfAccountsOverlap(t *testing.T) {
	t.Parallel()
	list := read(t, Config{Accounts: 10, Exchanges: 2000, Format: NDJSON})
	overlaps := 0
	for i, e := range list[1:] {
		if e.Start.Before(list[i].Start) {
			t.Fatalf("exchange %d began before the one that it follows", e.Seq)
		}
		if e.Start.Before(list[i].End) {
			overlaps++
		}
	}
	if overlaps < 100 {
		t.Errorf("%d exchanges overlap with the one before, want 100 or more", overlaps)
	}
}

func TestShuffledExchangesAreOutOfOrder(t *testing.T) {
	t.Parallel()
	list := read(t, Config{Accounts: 10, Exchanges: 5000, Format: NDJSON, Shuffle: true})
	late := 0
	for i, e := range list[1:] {
		if e.Start.Before(list[i].Start) {
			late++
		}
	}
	if late < len(list)/4 {
		t.Errorf("%d exchanges began before the one that they follow, want %d or more", late, len(list)/4)
	}
	slices.SortFunc(list, func(a, b *recording.Exchange) int { return a.Start.Compare(b.Start) })
	for i, e := range list {
		if e.Seq != int64(i+1) {
			t.Fatalf("exchange %d in order of time has number %d", i+1, e.Seq)
		}
	}
}

func TestWrongConfigurationsAreRefused(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Config{
		"0 accounts":       {Exchanges: 1, Format: NDJSON},
		"no exchanges":     {Accounts: 1, Format: NDJSON},
		`format "xml"`:     {Accounts: 1, Exchanges: 1, Format: "xml"},
		"-1 files":         {Accounts: 1, Exchanges: 1, Format: NDJSON, Files: -1},
		"are given: want":  {Accounts: 1, Exchanges: 1, Format: NDJSON, Files: 2},
		`violation of "x"`: {Accounts: 1, Exchanges: 1, Format: NDJSON, Plant: map[string]int{"x": 1}},
		"are too few":      {Accounts: 1, Exchanges: 10, Format: NDJSON, Plant: map[string]int{"dwh-target": 5}},
		"want one in each": {Accounts: 1, Exchanges: 900, Format: NDJSON, Plant: map[string]int{"table-recovery": 2}},
		"exchanges: want":  {Accounts: 1, Exchanges: 1 << 40, Format: NDJSON},
	} {
		if _, err := Write(c, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", c, err, want)
		}
	}
}

// BenchmarkWrite counts exchanges per second, bytes and allocations: what is allocated does not grow with the length.
func BenchmarkWrite(b *testing.B) {
	for _, format := range []string{NDJSON, HAR} {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			var size counter
			if _, err := Write(Config{Accounts: 1000, Exchanges: b.N, Format: format}, &size); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size) / int64(b.N))
		})
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
