package capture_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
)

// heldIn describes what a format holds beside method, address and status.
type heldIn struct {
	times   bool // when exchanges were
	headers bool // of requests, the credentials among them
	doubts  string
}

// formatFiles are the files that made/formats.py writes, with what each format holds.
var formatFiles = map[string]heldIn{
	"easyvcr.json": {times: true, headers: true}, "easyvcr-java.json": {times: true, headers: true},
	"phpvcr.yml": {headers: true}, "phpvcr.json": {headers: true}, "vcrpy-list.yaml": {headers: true},
	"vcrpy-parsed.yaml": {headers: true},
	"session.httprr":    {headers: true}, "fiddler.saz": {times: true, headers: true},
	"mitmproxy.flows": {times: true, headers: true},
	"hoverfly.json":   {headers: true}, "hoverfly-v1.json": {headers: true},
	"wiremock": {headers: true}, "wiremock.json": {headers: true}, "wiremock-journal.json": {times: true, headers: true},
	"mockserver.json": {headers: true}, "mockserver-log.json": {headers: true},
	"postman.json": {headers: true}, "insomnia-responses.json": {times: true, headers: true},
	"kong.ndjson":   {times: true, headers: true, doubts: "a gateway log does not contain bodies"},
	"nginx.ndjson":  {times: true, doubts: "a gateway log does not contain bodies"},
	"apache.ndjson": {times: true, doubts: "a gateway log does not contain bodies"},
}

// shortSession is the session without the archive, which not every format can hold.
func shortSession() []string { return slices.Delete(slices.Clone(session), 2, 3) }

func TestRecordingsInTheFormatsOfOtherTools(t *testing.T) {
	t.Parallel()
	for file, holds := range formatFiles {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			want := shortSession()
			if holds.doubts != "" {
				want = []string{
					fmt.Sprintf("GET /workflow/api/pools - 200  (; %s)", holds.doubts),
					fmt.Sprintf("POST /workflow/api/pools - 201  (%s; %[1]s)", holds.doubts),
					fmt.Sprintf("DELETE /workflow/api/pools/1 - 400  (%s; %[1]s)", holds.doubts),
					fmt.Sprintf("DELETE /workflow/api/pools/4 - 200  (%s; %[1]s)", holds.doubts),
				}
			}
			var got []string
			for item, err := range capture.Files(filepath.Join("testdata", file)).Items() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, describeItem(item))
				checkHeld(t, item, holds)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("session (-want +got):\n%s", d)
			}
		})
	}
}

func checkHeld(t *testing.T, item record.Item, holds heldIn) {
	t.Helper()
	if item.Start.IsZero() == holds.times || !item.Start.IsZero() &&
		(item.Start.UTC().Truncate(time.Hour) != time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC) ||
			item.End.Before(item.Start)) {
		t.Errorf("exchange %d was from %v to %v", item.Number, item.Start, item.End)
	}
	if (item.Request.Headers.Value("Authorization") != "") != holds.headers || item.Line < 1 || item.Entry < 1 {
		t.Errorf("exchange %d has headers %v, place %+v", item.Number, item.Request.Headers, item.Position)
	}
}

func TestExportsWithoutResponsesSaySo(t *testing.T) {
	t.Parallel()
	names, problems := files("testdata", capture.Files("testdata/insomnia.json"))
	want := []string{"insomnia.json: the export contains requests without responses: only the requests are judged"}
	if d := cmp.Diff(want, problems); d != "" || len(names) != 4 {
		t.Errorf("%d exchanges, problems (-want +got):\n%s", len(names), d)
	}
	items, problems := read(
		`{"info":{"_postman_id":"1"},"item":[{"name":"a","request":{"method":"GET","url":"http://h/a"}}]}`)
	if len(items) != 0 || len(problems) != 1 || !strings.Contains(problems[0], "none of them was sent") {
		t.Errorf("%d exchanges, problems %q", len(items), problems)
	}
}
