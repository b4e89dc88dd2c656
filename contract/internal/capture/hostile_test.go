package capture_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svc.example/understudy/contract/internal/capture/record"
)

// samples are small recordings in every format.
func samples(tb testing.TB) map[string]string {
	tb.Helper()
	list := map[string]string{
		"ndjson": first + "\n" + second + "\n",
		"har":    archive(entry(get, content(`{"text":"1"}`)), entry(get, content(`{"text":"2"}`))),
	}
	for name, c := range cassettes {
		list[name] = c.text
	}
	names := []string{"vcrpy.yaml", "vcrpy.json", "rubyvcr.yaml", "rubyvcr.json", "mitmproxy.har"}
	for name := range formatFiles {
		if name != "wiremock" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			tb.Fatal(err)
		}
		list[name] = string(text)
	}
	list["gzip"] = string(gzipped(tb, []byte(list["go-vcr"])))
	list["zip"] = string(zipFile(tb, "a/b.har", []byte(list["har"])))
	return list
}

func gzipped(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func zipFile(tb testing.TB, name string, text []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create(name)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := f.Write(text); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestARecordingThatIsCutAtAnyByte holds what is read before the cut against what is read of the whole: no interaction
// may be another one because its end is missing.
func TestARecordingThatIsCutAtAnyByte(t *testing.T) {
	t.Parallel()
	for name, whole := range samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, problems := read(whole)
			if problems != nil || len(want) < 2 {
				t.Fatalf("of the whole: %d items, problems %q", len(want), problems)
			}
			before := 0
			step := 1 + len(whole)/1500*31 // every byte of the small ones
			for cut := 0; cut < len(whole); cut += step {
				got, problems := read(whole[:cut])
				if begin := want[:min(len(got), len(want))]; !reflect.DeepEqual(begin, got) { // which is faster
					if d := cmp.Diff(begin, got, cmpopts.EquateEmpty()); d != "" {
						t.Fatalf("cut at %d (-want +got):\n%s", cut, d)
					}
				}
				if len(got) < before || len(problems) > 1 {
					t.Fatalf("cut at %d: %d items, %d of a shorter part; problems %q", cut, len(got), before, problems)
				}
				if at := len(got) + 1; at < len(want) && int64(cut) > want[at].Offset && !slices.Contains(wholes, name) {
					t.Fatalf("cut at %d: %d items, but item %d begins at %d", cut, len(got), at+1, want[at].Offset)
				}
				if before = len(got); before < len(want) && before > 0 && len(problems) == 0 && wantsAnEnd(name) {
					t.Fatalf("cut at %d: %d of %d items, and nothing is said of the rest", cut, before, len(want))
				}
			}
		})
	}
}

// wholes are the samples that are read as a whole or not at all.
var wholes = []string{"gzip", "zip", "fiddler.saz", "postman.json", "insomnia-responses.json"}

// wantsAnEnd reports whether a format has something behind the last entry, so that its absence can be noticed. An
// NDJSON recording may end after any line, and a cassette of go-vcr after any interaction.
func wantsAnEnd(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml":
		return strings.HasPrefix(name, "ruby")
	case ".ndjson", ".flows", ".httprr":
		return false
	}
	return name != "ndjson" && name != "go-vcr" && name != "vcr.py"
}

func TestHostileRecordings(t *testing.T) {
	t.Parallel()
	const mebibyte = 1 << 20
	bomb := strings.Builder{}
	bomb.WriteString("version: 2\ninteractions:\n- request: {method: GET, url: u}\n  a0: &a0 [x, x, x, x, x, x, x, x, " +
		"x, x]\n")
	for i := range 20 {
		fmt.Fprintf(&bomb, "  a%d: &a%d [%s]\n", i+1, i+1,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for name, tt := range map[string]struct{ text, want string }{
		"JSON that is nested deeply":   {`{"log":{"entries":[` + strings.Repeat("[", mebibyte), "cut off here"},
		"a line that is nested deeply": {`{"seq":` + strings.Repeat("[", mebibyte) + "\n", ""},
		"a cassette in JSON that is nested deeply": {
			`{"interactions":[{"request":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}]}`, "nested deeper",
		},
		"YAML that is nested deeply": {
			"version: 2\ninteractions:\n- " + strings.Repeat("[", mebibyte/2) + "\n",
			"interaction 1",
		},
		"lists in lists in lists": {
			"version: 2\ninteractions:\n- " + strings.Repeat("- ", 20_000) + "\n",
			"interaction 1",
		},
		"a bomb of aliases": {bomb.String(), "more than 262144 values"},
		"a crowd of values": {
			"version: 2\ninteractions:\n- [" + strings.Repeat("1,", mebibyte) + "1]\n",
			"more than 262144 values",
		},
		"a crowd of values in JSON": {
			`{"interactions":[[` + strings.Repeat("1,", mebibyte) + "1]]}",
			"more than 262144 values",
		},
		"a crowd in flow style": {
			"interactions: [" + strings.Repeat("1,", mebibyte) + "1]\n",
			"more than 262144 values",
		},
		"an interaction beyond bounds": {"version: 2\ninteractions:\n- request:\n    body: " + strings.Repeat("x",
			record.MaxEntry) + "\n", "longer than 64 MiB"},
		"a flow list beyond bounds": {
			"interactions: ['" + strings.Repeat("x", record.MaxEntry) + "']\n",
			"cannot be read in parts",
		},
		"a huge number":           {`{"interactions":[{"request":{"method":"GET","uri":"u"},"response":{"status":{"code":1e999999999}}}]}`, "status"},
		"bytes that are no UTF-8": {"version: 2\ninteractions:\n- \xff\xfe\xfa\n", "interaction 1"},
		"UTF-16":                  {"\xff\xfe{\x00", "UTF-16"},
		"mitmproxy flows":         {"2077:9:websocket;0:~8:response;", "ends within a flow"},
		"NUL":                     {"version: 2\x00\n", "neither"},
		"gzip in gzip in gzip":    {string(gzipped(t, gzipped(t, gzipped(t, []byte(first))))), "more than twice"},
		"gzip that is damaged":    {string(gzipped(t, []byte(first)))[:20] + "damaged", ""},
		"zip without a recording": {string(zipFile(t, "a.txt", []byte("x"))), "skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, problems := read(tt.text)
			if len(items) != 0 || len(problems) == 0 || !strings.Contains(problems[0], tt.want) {
				t.Errorf("%d items, problems %.300q, want %q", len(items), problems, tt.want)
			}
		})
	}
}

// endless is a stream that repeats a text.
type endless struct {
	text string
	left int64
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), e.left)]
	n := 0
	for n < len(p) {
		m := copy(p[n:], e.text[e.at:])
		n, e.at = n+m, (e.at+m)%len(e.text)
	}
	e.left -= int64(n)
	return n, nil
}

func TestBombs(t *testing.T) {
	t.Parallel()
	const large = 90 << 20
	spaces := func() io.Reader { return &endless{text: strings.Repeat(" ", 64<<10), left: large} }
	for name, open := range map[string]func(w io.Writer) (io.WriteCloser, func() error){
		"gzip": func(w io.Writer) (io.WriteCloser, func() error) {
			return gzip.NewWriter(w), func() error { return nil }
		},
		"zip": func(w io.Writer) (io.WriteCloser, func() error) {
			z := zip.NewWriter(w)
			f, err := z.Create("bomb.har")
			if err != nil {
				t.Fatal(err)
			}
			return nopCloser{f}, z.Close
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			w, end := open(&b)
			_, err := io.WriteString(w, `{"log":{"entries":[`)
			if err == nil {
				_, err = io.Copy(w, spaces())
			}
			if err == nil {
				err = w.Close()
			}
			if err == nil {
				err = end()
			}
			if err != nil {
				t.Fatal(err)
			}
			items, problems := read(b.String())
			if len(items) != 0 || len(problems) != 1 || !strings.Contains(problems[0], "600-fold") {
				t.Errorf("%d items, problems %.300q", len(items), problems)
			}
		})
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
