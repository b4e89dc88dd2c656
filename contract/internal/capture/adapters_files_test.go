package capture_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
)

// Bodies of WireMock stand in __files, in the folder of the mappings or beside it, and nowhere else.
func TestBodiesInFilesOfWireMock(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"body.json": "{x:1}", "sub/body.json": "{y:2", "../secret": "outside of the folder",
		"/etc/hostname": "outside of the folder",
		"link":          "outside of the folder", "sub/../../secret": "outside of the folder", "": "outside of the folder",
	} {
		text := wiremock(`"url":"/a"`, `"status":200,"bodyFileName":"`+name+`"`)
		dir := folder(t, map[string]string{
			"__files/body.json": `{"x":1}`, "__files/sub/body.json": `{"y":2}`, "mappings/a.json": text, "secret": "hunter2",
			"alone/mappings/a.json": text,
		})
		if err := os.Symlink("/etc/hostname", filepath.Join(dir, "__files", "link")); err != nil {
			t.Fatal(err)
		}
		var got []string
		for item, err := range capture.Files(dir).Items() {
			if err != nil {
				t.Log(err)
				continue
			}
			got = append(got, describeItem(item))
		}
		if len(got) != 2 || !strings.Contains(got[1], want) || !strings.Contains(got[0], "outside of the folder") ||
			strings.Contains(strings.Join(got, ""), "hunte") {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	t.Run("in a zip archive", func(t *testing.T) {
		t.Parallel()
		text := zipped(t, map[string]string{
			"w/mappings/a.json": wiremock(`"url":"/a"`, `"status":200,"bodyFileName":"b.json"`), "w/__files/b.json": `{"x":1}`,
		})
		items, problems := read(text)
		if d := cmp.Diff([]string{"GET /a - 200 {x:1}"}, inShort(items)); d != "" || problems != nil {
			t.Errorf("problems %q, items (-want +got):\n%s", problems, d)
		}
	})
	t.Run("not outside of what was named", func(t *testing.T) {
		t.Parallel()
		dir := folder(t, map[string]string{
			"__files/b.json": `{"x":1}`, "mappings/a.json": wiremock(`"url":"/a"`, `"status":200,"bodyFileName":"b.json"`),
		})
		for item, err := range capture.Files(dir + "/mappings/a.json").Items() {
			if err != nil || !strings.Contains(item.ResponseDoubt, "outside of the folder") {
				t.Errorf("%+v, %v", item, err)
			}
		}
	})
}

func zipped(tb testing.TB, files map[string]string) string {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

func TestSessionsOfFiddler(t *testing.T) {
	t.Parallel()
	const request = "GET http://h/a HTTP/1.1\r\n\r\n"
	for name, tt := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"without an answer": {map[string]string{"raw/1_c.txt": request, "raw/1_m.xml": "<"}, []string{"GET /a - none"}},
		"only an answer": {
			map[string]string{"raw/1_s.txt": "HTTP/1.1 200 OK\r\n\r\n"},
			[]string{"the zip archive contains no recording"},
		},
		"in the order of numbers": {
			map[string]string{"raw/10_c.txt": strings.Replace(request, "/a", "/b", 1), "raw/9_c.txt": request},
			[]string{"GET /a - none", "GET /b - none"},
		},
		"of which one is broken": {
			map[string]string{"raw/1_c.txt": "x", "raw/2_c.txt": request},
			[]string{"GET /a - none", "interaction 1: its request"},
		},
		"that grows beyond bounds": {
			map[string]string{"raw/1_c.txt": request + strings.Repeat("x", record.MaxEntry+1<<20)}, []string{"600-fold"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, problems := read(zipped(t, tt.files))
			got := append(inShort(items), problems...)
			if len(got) < len(tt.want) {
				t.Fatalf("%q, want %q", got, tt.want)
			}
			got = got[len(got)-len(tt.want):]
			for i := range got {
				if !strings.Contains(got[i], tt.want[i]) {
					t.Errorf("%q, want %q", got, tt.want)
				}
			}
		})
	}
}
