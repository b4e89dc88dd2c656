package capture_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs/recording"
)

// read reads a recording whole: the items, and what was said of the rest.
func read(text string) (items []record.Item, problems []string) {
	for item, err := range capture.Read("r", strings.NewReader(text)).Items() {
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		items = append(items, item)
	}
	return items, problems
}

const (
	first  = `{"seq":1,"start":"2026-05-04T01:20:05.5Z","end":"2026-05-04T01:20:06Z","world":"w","request":{"method":"GET","url":"http://h/a","headers":[["A","1"]]},"response":{"status":200,"headers":[["B","2"]],"body":{"text":"x"}},"redacted":["A"]}`
	second = `{"request":{"method":"PUT","url":"http://h/b","headers":null,"body":{"base64":"/w=="}},"response":null}`
)

func TestLines(t *testing.T) {
	t.Parallel()
	items, problems := read("\ufeff" + first + "\r\n\n" + second + "\n")
	if problems != nil {
		t.Fatal(problems)
	}
	want := []record.Item{
		{
			Position: record.Position{File: "r", Number: 1, Entry: 1, Line: 1, Offset: 3}, RequestSize: 0, ResponseSize: 1,
			Exchange: &recording.Exchange{
				Seq: 1, World: "w", Redacted: []string{"A"},
				Start:   time.Date(2026, 5, 4, 1, 20, 5, 5e8, time.UTC),
				End:     time.Date(2026, 5, 4, 1, 20, 6, 0, time.UTC),
				Request: recording.Request{Method: "GET", URL: "http://h/a", Headers: recording.Headers{{"A", "1"}}},
				Response: &recording.Response{
					Status: 200, Headers: recording.Headers{{"B", "2"}},
					Body: &recording.Body{Bytes: []byte("x")},
				},
			},
		},
		{
			Position:    record.Position{File: "r", Number: 2, Entry: 2, Line: 3, Offset: int64(3 + len(first) + 3)},
			RequestSize: 1, ResponseSize: -1,
			Exchange: &recording.Exchange{
				Request: recording.Request{Method: "PUT", URL: "http://h/b", Body: &recording.Body{Bytes: []byte{0xff}}},
			},
		},
	}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

func TestARecordingThatWasKilledAtAnyByteIsReadable(t *testing.T) {
	t.Parallel()
	whole := first + "\n" + second + "\n"
	for cut := range len(whole) {
		items, problems := read(whole[:cut])
		if want := strings.Count(whole[:cut], "\n"); len(items) < want {
			t.Errorf("cut at %d: %d items, want %d", cut, len(items), want)
		}
		for item, err := range capture.Read("r", strings.NewReader(whole[:cut])) {
			if err != nil && record.IsFatal(err) {
				t.Errorf("cut at %d: %v %v", cut, item, err)
			}
		}
		if len(problems) > 1 {
			t.Errorf("cut at %d: %v", cut, problems)
		}
	}
}

func TestLinesThatAreNoExchangesAreToldWithTheirLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"seq":1,"reqest":{}}`: "not an exchange: /  missing properties: " +
			"'request'",
		`{"request":{"method":"GET","url":"u","bdy":{}}}`:                        "additionalProperties 'bdy' not allowed",
		`{"request":{"method":"","url":"u"}}`:                                    "length must be >= 1",
		`{"request":{"method":"GET","url":"u"},"start":"x"}`:                     "is not valid 'date-time'",
		`{"request":{"method":"GET","url":"u","headers":[["a"]]}}`:               "minimum 2 items required",
		`{"request":{"method":"GET","url":"u","body":{"text":"","base64":""}}}`:  "not failed",
		`{"request":{"method":"GET","url":"u"},"response":{"status":1e1000001}}`: "",
		`{"request":{"method":"GET","url":"u"},"request":{}}`:                    "duplicate",
		`{"seq":`: "",
	} {
		items, problems := read(first + "\n" + line + "\n" + second + "\n")
		if len(items) != 2 || len(problems) != 1 || !strings.HasPrefix(problems[0], "r:2 ") {
			t.Errorf("%s: %d items, problems %q", line, len(items), problems)
			continue
		}
		if want = strings.TrimPrefix(want, "not an exchange: /  "); !strings.Contains(problems[0], want) {
			t.Errorf("%s: %q, want %q", line, problems[0], want)
		}
		if _, last := read(first + "\n" + line); len(last) != 1 ||
			strings.Contains(last[0], "cut off") != (line == `{"seq":`) {
			t.Errorf("%s, without the end of its line: %q", line, last)
		}
	}
}

func TestWhatIsNoRecording(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                "the recording is empty",
		"[1]":             `it begins with '['`,
		"{}":              "neither an HTTP Archive",
		`{"openapi":"3"}`: "neither an HTTP Archive",
		`{"log":{}}`:      "neither an HTTP Archive",
		`{"log":[]}`:      `want '{', found '['`,
	} {
		items, problems := read(text)
		if len(items) != 0 || len(problems) != 1 || !strings.Contains(problems[0], want) {
			t.Errorf("%q: %d items, problems %q, want %q", text, len(items), problems, want)
		}
	}
}

func TestFilesAreOneSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.ndjson": first + "\n", "b.har": archive(entry(get, content(`{}`)))} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var numbers []string
	for item, err := range capture.Files(dir+"/a.ndjson", dir+"/b.har", dir+"/c").Items() {
		if err != nil {
			numbers = append(numbers, "error")
			continue
		}
		numbers = append(numbers, fmt.Sprint(item.Number))
	}
	if diff := cmp.Diff([]string{"1", "2", "error"}, numbers); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}
