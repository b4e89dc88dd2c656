package capture_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
)

// session lists the exchanges that the tools recorded, as testdata/README.md describes.
var session = []string{
	"GET /workflow/api/pools - 200 {pool",
	"POST /workflow/api/pools {name 201 {id:4",
	"GET /workflow/api/projects/1/archive - 200 gzip",
	"DELETE /workflow/api/pools/1 - 400 {mess",
	"DELETE /workflow/api/pools/4 - 200 {id:4",
}

// describeItem returns an item in one short line, with its doubts.
func describeItem(i record.Item) string {
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(i.Request.URL, "http://"), "https://"), "/")
	text := fmt.Sprintf("%s /%s %s", i.Request.Method, path, "-")
	if b := i.Request.Body; b != nil {
		text = fmt.Sprintf("%s /%s %s", i.Request.Method, path, beginning(b.Bytes))
	}
	if i.Response == nil {
		return text + " none"
	}
	text += fmt.Sprintf(" %d ", i.Response.Status)
	if i.Response.Body != nil {
		text += beginning(i.Response.Body.Bytes)
	}
	if i.RequestDoubt != "" || i.ResponseDoubt != "" {
		text += fmt.Sprintf(" (%s; %s)", i.RequestDoubt, i.ResponseDoubt)
	}
	return text
}

func beginning(body []byte) string {
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return "gzip"
	}
	text := strings.ReplaceAll(string(body), `"`, "")
	return text[:min(5, len(text))]
}

func TestRecordingsOfTheToolsThemselves(t *testing.T) {
	t.Parallel()
	withoutArchive := slices.Delete(slices.Clone(session), 2, 3)
	withoutPath := slices.Clone(session) // of the interface
	for i := range withoutPath {
		withoutPath[i] = strings.ReplaceAll(withoutPath[i], "/workflow/", "/")
	}
	for file, want := range map[string][]string{
		"vcrpy.yaml": session, "vcrpy.json": withoutArchive, "rubyvcr.yaml": session, "rubyvcr-exact.yaml": session,
		"rubyvcr.json": withoutArchive, "mitmproxy.har": session, "playwright-embed.har": session,
		"playwright.zip": session, "playwright-attach/attach.har": session, "playwright-attach": session,
		"govcr-v3.yaml": withoutPath, "govcr-v4.yaml": withoutPath,
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			wantSession(t, want, capture.Files(filepath.Join("testdata", file)))
		})
	}
	t.Run("mitmproxy.zhar", func(t *testing.T) {
		t.Parallel()
		plain, err := os.ReadFile("testdata/mitmproxy.har")
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w, err := zlib.NewWriterLevel(&packed, 9) // as its har_dump.py does
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		wantSession(t, session, capture.Read("mitmproxy.zhar", &packed))
	})
}

func wantSession(t *testing.T, want []string, source record.Source) {
	t.Helper()
	var got []string
	for item, err := range source.Items() {
		if err != nil {
			t.Error(err)
			continue
		}
		if item.Number != len(got)+1 || item.Line < 1 || item.ResponseSize < 0 {
			t.Errorf("place %+v, response of %d bytes", item.Position, item.ResponseSize)
		}
		got = append(got, describeItem(item))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("session (-want +got):\n%s", d)
	}
}
