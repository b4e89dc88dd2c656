package capture_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/capture"
)

// anchored is read at the pace of the YAML parser, and so it is made shorter.
const anchored = "ruby vcr with anchors"

// frame holds the parts of a long recording: what comes first, then the entry over and over, then the end.
type frame struct{ head, entry, end string }

func frames() map[string]frame {
	text := strings.Repeat("all work and no play makes a dull body ", 3000) // 117 kB
	return map[string]frame{
		"ndjson": {entry: `{"request":{"method":"GET","url":"http://h/a"},"response":{"status":200,"body":{"text":"` + text +
			`"}}}` + "\n"},
		"har": {
			head: `{"log":{"entries":[`, end: `]}}`,
			entry: `{"request":{"method":"GET","url":"http://h/a"},"response":{"status":200,"content":{"text":"` + text +
				`"}}},`,
		},
		"go-vcr": {
			head: "version: 2\ninteractions:\n",
			entry: "    - id: 1\n      request:\n        method: GET\n        url: http://h/a\n      response:\n        body: " +
				text + "\n        code: 200\n",
		},
		"vcr.py json": {
			head: `{"version":1,"interactions":[`, end: `]}`,
			entry: `{"request":{"method":"GET","uri":"http://h/a"},"response":{"status":{"code":200},"body":{"string":"` + text +
				`"}}},`,
		},
		"ruby vcr": {
			head: "---\nhttp_interactions:\n", end: "recorded_with: VCR 6\n",
			entry: "- request:\n    method: get\n    uri: http://h/a\n  response:\n    status:\n      code: 200\n    body:\n  " +
				"    string: >-\n        " + text +
				"\n  recorded_at: Tue, 01 Nov 2011 04:58:44 GMT\n",
		},
		"flows": {entry: flowOf("http", netstring(",", text))},
		"list of mockserver": {
			head: "[", end: "]",
			entry: `{"httpRequest":{"method":"GET","path":"/a"},"httpResponse":{"statusCode":200,"body":"` + text + `"}},`,
		},
		anchored: {
			head: "---\nhttp_interactions:\n", end: "recorded_with: VCR 6\n",
			entry: "- request:\n    method: get\n    uri: http://h/a\n    headers: &1\n      A:\n      - b\n  response:\n    " +
				"headers: *1\n    status:\n      code: 200\n    body:\n      string: >-\n        " + text +
				"\n  recorded_at: Tue, 01 Nov 2011 04:58:44 GMT\n",
		},
	}
}

// TestMemoryIsFlat reads 64 MiB in each format, for which 8 MiB of memory have to be enough.
func TestMemoryIsFlat(t *testing.T) { //nolint:paralleltest // it measures the heap of the process
	if testing.Short() {
		t.Skip("it reads 350 MiB")
	}
	const bound = 8 << 20
	for name, f := range frames() { //nolint:paralleltest // as above
		t.Run(name, func(t *testing.T) {
			length := 64 << 20
			if name == anchored {
				length = 24 << 20
			}
			entries := int64(length / len(f.entry))
			r := io.MultiReader(strings.NewReader(f.head),
				&endless{text: f.entry, left: entries * int64(len(f.entry))}, strings.NewReader(f.end))
			var before, m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var peak uint64
			var number int64
			for record, err := range capture.Read(name, r) {
				if err != nil {
					t.Fatal(err)
				}
				if number++; number%64 != 1 {
					continue
				}
				if _, err := record.Decode(); err != nil { // the reader is what is measured: a worker decodes beside it
					t.Fatal(err)
				}
				runtime.GC()
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
			if number != entries {
				t.Errorf("%d records, want %d", number, entries)
			}
			if peak > before.HeapAlloc+bound {
				t.Errorf("%d MiB were in use, want at most %d", (peak-before.HeapAlloc)>>20, bound>>20)
			}
		})
	}
}
