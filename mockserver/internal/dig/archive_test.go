package dig_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/dig"
)

const hello = "+hello:\n  echo>: hi\n"

// packed is a gzip tar of the entries, each a regular file with its name as content unless it says otherwise.
func packed(tb testing.TB, entries ...tar.Header) []byte {
	tb.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for _, h := range entries {
		content := ""
		if h.Typeflag == 0 || h.Typeflag == tar.TypeReg {
			content = hello
		}
		h.Size = int64(len(content))
		check(tb, archive.WriteHeader(&h))
		_, err := io.WriteString(archive, content)
		check(tb, err)
	}
	check(tb, errors.Join(archive.Close(), zipped.Close()))
	return out.Bytes()
}

func zipped(tb testing.TB, content []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(content)
	check(tb, errors.Join(err, w.Close()))
	return out.Bytes()
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func names(p dig.Project) []string {
	all := []string{}
	for _, w := range p.Workflows {
		all = append(all, w.Name)
	}
	return all
}

// refused wants an *dig.Error that says all of this.
func refused(t *testing.T, err error, says ...string) {
	t.Helper()
	if _, own := errors.AsType[*dig.Error](err); !own {
		t.Fatalf("got error %v, want a *dig.Error that says %q", err, says)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("got error %q, want it to say %q", err, s)
		}
	}
}

func TestReadArchive(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		entries []tar.Header
		want    []string
	}{
		{
			"workflows are sorted by name",
			[]tar.Header{{Name: "b.dig"}, {Name: "a-b.dig"}, {Name: "a.dig"}},
			[]string{"a", "a-b", "b"},
		},
		{
			"only .dig files of the top folder are workflows",
			[]tar.Header{{Name: "a.dig"}, {Name: "sub/b.dig"}, {Name: "c.sql"}},
			[]string{"a"},
		},
		{
			"a leading ./ is accepted",
			[]tar.Header{{Name: "./", Typeflag: tar.TypeDir}, {Name: "./a.dig"}},
			[]string{"a"},
		},
		{
			"a folder may come twice",
			[]tar.Header{{Name: "q/", Typeflag: tar.TypeDir}, {Name: "q/", Typeflag: tar.TypeDir}},
			[]string{},
		},
		{"an archive without workflows is a project without workflows", []tar.Header{{Name: "readme.md"}}, []string{}},
		{"an empty tar is one too", nil, []string{}},
		{"dot files are passed over", []tar.Header{{Name: "._a.dig"}, {Name: ".dig"}, {Name: "a.dig"}}, []string{"a"}},
		{"a folder called like a workflow is none", []tar.Header{{Name: "a.dig/", Typeflag: tar.TypeDir}}, []string{}},
		{
			"a symbolic link that stays inside is passed over",
			[]tar.Header{
				{Name: "sub/l.dig", Typeflag: tar.TypeSymlink, Linkname: "../a.dig"},
				{Name: "b.dig", Typeflag: tar.TypeSymlink, Linkname: "a.dig"},
				{Name: "a.dig"},
			},
			[]string{"a"},
		},
		{
			"a global header is passed over",
			[]tar.Header{{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "x"}}, {Name: "a.dig"}},
			[]string{"a"},
		},
		{
			"a workflow name may begin with a digit and hold any script",
			[]tar.Header{{Name: "01_読込.dig"}},
			[]string{"01_読込"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := dig.ReadArchive(packed(t, test.entries...), dig.DefaultLimits())
			check(t, err)
			if diff := cmp.Diff(test.want, names(got)); diff != "" {
				t.Errorf("workflows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadArchiveRefusesEntries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		entries []tar.Header
		says    string
	}{
		{"an absolute path", []tar.Header{{Name: "/a.dig"}}, "must be relative"},
		{"a path that leaves", []tar.Header{{Name: "sub/../../a.dig"}}, "must not contain .."},
		{"a folder that leaves", []tar.Header{{Name: "../", Typeflag: tar.TypeDir}}, "must not contain .."},
		{"a backslash", []tar.Header{{Name: `sub\a.dig`}}, "backslash"},
		{"an empty name", []tar.Header{{Name: "", Typeflag: tar.TypeReg}}, "no name"},
		{"a device", []tar.Header{{Name: "null", Typeflag: tar.TypeChar}}, "null: only files"},
		{"a block device", []tar.Header{{Name: "sda", Typeflag: tar.TypeBlock}}, "only files"},
		{"a pipe", []tar.Header{{Name: "pipe", Typeflag: tar.TypeFifo}}, "only files"},
		{
			"a hard link",
			[]tar.Header{{Name: "a.dig"}, {Name: "b.dig", Typeflag: tar.TypeLink, Linkname: "a.dig"}},
			"b.dig: hard links",
		},
		{
			"a link that leaves",
			[]tar.Header{{Name: "sub/l", Typeflag: tar.TypeSymlink, Linkname: "../../x"}},
			"stay inside",
		},
		{
			"an absolute link",
			[]tar.Header{{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}},
			"stay inside",
		},
		{
			"a path that comes twice",
			[]tar.Header{{Name: "a.dig"}, {Name: "./a.dig"}},
			"a.dig: the archive contains this path twice",
		},
		{"a file where a folder was", []tar.Header{{Name: "a/", Typeflag: tar.TypeDir}, {Name: "a"}}, "twice"},
		{
			"a workflow name with a reserved character",
			[]tar.Header{{Name: "a+b.dig"}},
			"a+b.dig: a workflow name must not contain",
		},
		{"a workflow name with the extension twice", []tar.Header{{Name: "a.dig.dig"}}, "must not end in .dig"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := dig.ReadArchive(packed(t, test.entries...), dig.DefaultLimits())
			refused(t, err, test.says)
		})
	}
}

func TestReadArchiveRefusesDamage(t *testing.T) {
	t.Parallel()
	good := packed(t, tar.Header{Name: "a.dig"})
	changed := func(at int) []byte {
		bytes := bytes.Clone(good)
		bytes[(at+len(bytes))%len(bytes)] ^= 0xff
		return bytes
	}
	plain, err := gzip.NewReader(bytes.NewReader(good))
	check(t, err)
	archive, err := io.ReadAll(plain)
	check(t, err)
	tests := []struct {
		name  string
		bytes []byte
		says  string
	}{
		{"nothing", nil, "cut off"},
		{"no gzip", []byte("PK\x03\x04 is a zip file"), "not gzip"},
		{"a truncated stream", good[:len(good)/2], "cut off"},
		{"a stream without its trailer", good[:len(good)-4], "cut off"},
		{"a wrong checksum", changed(-8), "checksum"},
		{"a damaged stream", changed(10), "damaged"},
		{"garbage behind the end", append(bytes.Clone(good), "some garbage"...), "after its end"},
		{"little garbage behind the end", append(bytes.Clone(good), 0), "after its end"},
		{"no tar", zipped(t, []byte(strings.Repeat("not a tar ", 100))), "not contain a tar"},
		{"a short text", zipped(t, []byte("short")), "cut off"},
		{"an empty stream", zipped(t, nil), "is empty"},
		{"a truncated tar", zipped(t, archive[:600-80]), "cut off"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := dig.ReadArchive(test.bytes, dig.DefaultLimits())
			refused(t, err, test.says)
		})
	}
}

func TestWriteArchive(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.dig": hello, "b.dig": hello, "queries/q.sql": "select 1"}
	for i := range 100 {
		files[fmt.Sprintf("data/%d-%d", i, rand.Int())] = "x"
	}
	first, err := dig.WriteArchive(files)
	check(t, err)
	second, err := dig.WriteArchive(files)
	check(t, err)
	if !bytes.Equal(first, second) {
		t.Error("the same files gave different bytes")
	}
	project, err := dig.ReadArchive(first, dig.DefaultLimits())
	check(t, err)
	if diff := cmp.Diff([]string{"a", "b"}, names(project)); diff != "" {
		t.Errorf("workflows (-want +got):\n%s", diff)
	}
	for _, name := range []string{"", "/a", "../a", "./a", "a/"} {
		_, err := dig.WriteArchive(map[string]string{"!": hello, name: ""})
		refused(t, err)
	}
	afterRefused, err := dig.WriteArchive(files)
	check(t, err)
	if !bytes.Equal(first, afterRefused) {
		t.Error("the same files gave different bytes after archives that were refused half way")
	}
}
