package capture_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
)

// folder writes files below a folder of their own.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// files are the names of the files that items are from, and what was said of others.
func files(dir string, source record.Source) (names, problems []string) {
	for item, err := range source.Items() {
		if err != nil {
			problems = append(problems, strings.ReplaceAll(err.Error(), dir+"/", ""))
			continue
		}
		names = append(names, strings.TrimPrefix(item.File, dir+"/"))
	}
	return names, problems
}

func TestFind(t *testing.T) {
	t.Parallel()
	one := first + "\n"
	dir := folder(t, map[string]string{
		"b.ndjson": one, "a/c.txt": one, "a/z.gz": string(gzipped(t, []byte(one))), ".git/d.ndjson": one, ".e.ndjson": one,
		"package.json": `{"name":"x"}`, "start.json": "{\n\"start\": 1}", "config.yaml": "a: 1\nb: [2]\n",
	})
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b.ndjson", filepath.Join(dir, "twin.ndjson")); err != nil {
		t.Fatal(err)
	}
	names, problems := files(dir, capture.Files(dir))
	if d := cmp.Diff([]string{"a/c.txt", "a/z.gz", "b.ndjson"}, names); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	for i, want := range []string{
		"config.yaml:", "out: skipped: the link points outside", "package.json:",
		"start.json:",
	} {
		if i >= len(problems) || !strings.HasPrefix(problems[i], want) || !strings.Contains(problems[i], "skipped: ") {
			t.Errorf("problem %d of %q, want %s", i, problems, want)
		}
	}
	t.Run("the size is that on disk", func(t *testing.T) {
		t.Parallel()
		file, read := filepath.Join(dir, "a", "z.gz"), 0
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		found := capture.Find(capture.Input{Path: file})
		for _, err := range found.Source(func(n int) { read += n }).Items() {
			if err != nil {
				t.Error(err)
			}
		}
		if found.Size() != info.Size() || int64(read) != info.Size() {
			t.Errorf("size %d, read %d, want %d", found.Size(), read, info.Size())
		}
	})
	t.Run("the size of a stream is not known", func(t *testing.T) {
		t.Parallel()
		given := []capture.Input{
			{Name: "standard input", Reader: strings.NewReader(one)},
			{Path: filepath.Join(dir, "b.ndjson")},
		}
		if size := capture.Find(given...).Size(); size != -1 {
			t.Errorf("size %d, want -1", size)
		}
	})
	t.Run("a name with stars is a file if there is one", func(t *testing.T) {
		t.Parallel()
		dir := folder(t, map[string]string{"a[1].ndjson": one, "a1.ndjson": one})
		if names, problems := files(dir, capture.Files(dir+"/a[1].ndjson")); len(problems) > 0 ||
			cmp.Diff([]string{"a[1].ndjson"}, names) != "" {
			t.Errorf("files %q, problems %q", names, problems)
		}
	})
	t.Run("what is found and named too must be a recording", func(t *testing.T) {
		t.Parallel()
		_, err := files(dir, capture.Files(dir, dir+"/package.json"))
		for item, err := range capture.Files(dir, dir+"/package.json").Items() {
			if err != nil && record.IsFatal(err) && strings.Contains(err.Error(), "package.json") {
				return
			}
			_ = item
		}
		t.Errorf("problems %q, want an error for package.json", err)
	})
}

// Links that lead nowhere or in a circle, as package managers leave them, do not stop the rest from being read.
func TestPatternsAndLinks(t *testing.T) {
	t.Parallel()
	one := first + "\n"
	dir := folder(t, map[string]string{"a.ndjson": one, "b/c.ndjson": one})
	for link, target := range map[string]string{"loop": ".", "b/up": "..", "nowhere": "gone", "twin.ndjson": "a.ndjson"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string][]string{
		"/**/*.ndjson": {"a.ndjson", "b/c.ndjson"}, "/*.ndjson": {"a.ndjson"}, "/t*": {"twin.ndjson"},
		"/b/**": {"b/c.ndjson"},
	} {
		names, problems := files(dir, capture.Files(dir+pattern))
		for _, problem := range problems {
			if !strings.Contains(problem, "skipped: ") {
				t.Errorf("%s: %s", pattern, problem)
			}
		}
		if d := cmp.Diff(want, names); d != "" {
			t.Errorf("files of %s (-want +got):\n%s", pattern, d)
		}
	}
}

func TestBodiesInFilesBesideAnArchive(t *testing.T) {
	t.Parallel()
	outside := folder(t, map[string]string{"secret": "hunter2"})
	for name, want := range map[string]string{
		"body.json":               `GET /a - 200 {x:1}`,
		"sub/body.json":           `GET /a - 200 {y:2}`,
		"nowhere.json":            "outside of the folder",
		"../secret":               "outside of the folder",
		outside + "/secret":       "outside of the folder",
		"link":                    "outside of the folder",
		"sub/../../secret":        "outside of the folder",
		strings.Repeat("a", 9999): "outside of the folder",
	} {
		dir := folder(t, map[string]string{
			"x/body.json": `{"x":1}`, "x/sub/body.json": `{"y":2}`, "secret": "hunter2",
			"x/a.har": archive(entry(get, content(`{"size":7,"_file":"`+name+`"}`))),
		})
		if err := os.Symlink(outside+"/secret", filepath.Join(dir, "x", "link")); err != nil {
			t.Fatal(err)
		}
		for item, err := range capture.Files(dir + "/x/a.har").Items() {
			if err != nil {
				t.Fatal(err)
			}
			if got := describeItem(item); !strings.Contains(got, want) || strings.Contains(got, "hunte") {
				t.Errorf("%.40s: %.200s, want %s", name, got, want)
			}
		}
	}
}
