package capture_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs/recording"
)

// An entry has two numbers: one in all that was read, and one in its own file, where a reader looks for it.
func TestNumbersOfEntries(t *testing.T) {
	t.Parallel()
	one := entry(get, content(`{}`))
	huge := entry(get, content(`{"text":"`+strings.Repeat("x", record.MaxEntry)+`"}`))
	dir := folder(t, map[string]string{
		"a.ndjson": first + "\n" + second + "\n", "b.har": archive(one, one) + archive(one), "c.yaml": goVCR,
		"d.zip":  string(zipFile(t, "in/side.har", []byte(archive(one, one)))),
		"e.har":  archive(one, huge, one),
		"f.yaml": "interactions: [{request: {method: GET, uri: u}, response: null}]\n",
	})
	var got []string
	for item, err := range capture.Files(dir).Items() {
		if err != nil {
			got = append(got, strings.ReplaceAll(err.Error(), dir+"/", ""))
			continue
		}
		name, _ := filepath.Rel(dir, item.File)
		got = append(got, fmt.Sprintf("%d %s#%d", item.Number, name, item.Entry))
	}
	want := []string{
		"1 a.ndjson#1", "2 a.ndjson#2", "3 b.har#1", "4 b.har#2", "5 b.har#3", "6 c.yaml#1", "7 c.yaml#2",
		"8 d.zip/in/side.har#1", "9 d.zip/in/side.har#2", "10 e.har#1",
		"e.har:2 (byte 375): the entry is longer than 64 MiB: it was not read", "11 e.har#3", "12 f.yaml#1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("numbers (-want +got):\n%s", d)
	}
	for record, err := range record.Exchanges("memory",
		func(yield func(*recording.Exchange) bool) { yield(&recording.Exchange{}) }) {
		if err != nil || record.Entry != 1 {
			t.Errorf("entry %d, %v, want 1", record.Entry, err)
		}
	}
}

// A broken entry is named by its number in its own file.
func TestABrokenEntryIsNamedByItsNumberInItsFile(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"a.ndjson": first + "\n", "b.har": archive(entry(get, content(`{}`)), `{}`)})
	_, problems := files(dir, capture.Files(dir))
	if len(problems) != 1 || !strings.Contains(problems[0], ": entry 2: ") {
		t.Errorf("problems %q, want entry 2", problems)
	}
}

func TestARecordingOfNothingIsCalledEmpty(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing.ndjson": "", "blank.ndjson": "\n\n", "browser.har": archive(),
		"go-vcr.yaml": "version: 2\ninteractions: []\n",
		"block.yaml":  "version: 1\ninteractions:\n", "ruby.json": `{"http_interactions":[],"recorded_with":"VCR 5.0.0"}`,
		"packed.har": string(gzipped(t, []byte(archive()))),
	} {
		dir := folder(t, map[string]string{name: text})
		for _, source := range []record.Source{capture.Files(filepath.Join(dir, name)), capture.Files(dir)} {
			names, problems := files(dir, source)
			if d := cmp.Diff([]string{name + ": the recording is empty"}, problems); d != "" || names != nil {
				t.Errorf("%s: exchanges of %q, problems (-want +got):\n%s", name, names, d)
			}
			for _, err := range source {
				if record.IsFatal(err) {
					t.Errorf("%s: %v is an error, want a note", name, err)
				}
			}
		}
	}
}

func TestAFileThatIsNotThereIsSaidInPlainWords(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"file": ""})
	for name, want := range map[string]string{
		"nowhere.har": "nowhere.har: file not found", "gone/nowhere.har": "gone/nowhere.har: file not found",
		"file/in/it.har": "file/in/it.har: not a directory",
	} {
		if _, problems := files(dir, capture.Files(dir+"/"+name)); cmp.Diff([]string{want}, problems) != "" {
			t.Errorf("problems %q, want %q", problems, want)
		}
	}
}
