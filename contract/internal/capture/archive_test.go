package capture_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/specs/recording"
)

func archive(entries ...string) string {
	return `{"log":{"version":"1.3","creator":{"name":"x"},"pages":[{"a":[1,"]"]}],"entries":[` +
		strings.Join(entries, ",\n") + `],"comment":"c"},"_more":{}}`
}

func entry(request, response string) string {
	return fmt.Sprintf(`{"startedDateTime":"2026-05-04T01:20:05.000Z","time":250,"request":%s,"response":%s,`+
		`"timings":{"wait":NaN,"send":-Infinity,"receive":[Infinity]},"cache":{}}`, request, response)
}

const get = `{"method":"GET","url":"https://h/a","headers":[]}`

func content(text string) string {
	return `{"status":200,"headers":[{"name":"Content-Type","value":"application/json"}],"content":` + text + `}`
}

func TestArchive(t *testing.T) {
	t.Parallel()
	post := `{"method":"POST","url":"https://h/a","headers":[{"name":":authority","value":"h2"},{"name":":path","value":"/"},` +
		`{"name":"Cookie","value":"a=1\nb=2"}],"postData":{"mimeType":"application/json","text":"{}"}}`
	items, problems := read("\ufeff" + archive(entry(post, content(`{"size":2,"text":"[]"}`))))
	if problems != nil {
		t.Fatal(problems)
	}
	want := []record.Item{{
		Position: record.Position{File: "r", Number: 1, Entry: 1, Line: 1, Offset: items[0].Offset}, RequestSize: 2,
		ResponseSize: 2,
		Exchange: &recording.Exchange{
			Start: time.Date(2026, 5, 4, 1, 20, 5, 0, time.UTC), End: time.Date(2026, 5, 4, 1, 20, 5, 25e7, time.UTC),
			Request: recording.Request{
				Method: "POST", URL: "https://h/a", Body: &recording.Body{Bytes: []byte("{}")},
				Headers: recording.Headers{
					{"Host", "h2"},
					{"Cookie", "a=1"},
					{"Cookie", "b=2"},
					{"Content-Type", "application/json"},
				},
			},
			Response: &recording.Response{
				Status: 200, Headers: recording.Headers{{"Content-Type", "application/json"}},
				Body: &recording.Body{Bytes: []byte("[]")},
			},
		},
	}}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// Some tools list cookies apart from the headers, and leave the header out.
func TestCookiesOfArchives(t *testing.T) {
	t.Parallel()
	for headers, want := range map[string]string{
		``:                                "a=1; b=2",
		`{"name":"cookie","value":"c=3"}`: "c=3",
	} {
		request := `{"method":"GET","url":"https://h/a","headers":[` + headers + `],"cookies":[{"name":"a","value":"1"},{"name":"b","value":"2"}]}`
		items, problems := read(archive(entry(request, content(`{"size":2,"text":"[]"}`))))
		if problems != nil {
			t.Fatal(problems)
		}
		if got := items[0].Request.Headers.Value("Cookie"); got != want {
			t.Errorf("headers [%s]: cookies %q, want %q", headers, got, want)
		}
	}
}

func TestBodiesOfArchives(t *testing.T) {
	t.Parallel()
	b64 := base64.StdEncoding.EncodeToString([]byte{0x1f, 0x8b, 0xff})
	form := `{"method":"POST","url":"https://h/a","headers":[],"postData":{"mimeType":"application/x-www-form-urlencoded",` +
		`"params":[{"name":"a b","value":"c&d"}]}}`
	for name, tt := range map[string]struct {
		request, response string
		want              string // request body, doubt; response body, doubt
	}{
		"text":   {get, content(`{"size":2,"text":"{}"}`), `- ""; "{}" ""`},
		"base64": {get, content(`{"size":3,"text":"` + b64 + `","encoding":"base64"}`), `- ""; "\x1f\x8b\xff" ""`},
		"broken base64": {
			get, content(`{"size":3,"text":"*","encoding":"base64"}`),
			`- ""; - "the recording has the body in an encoding that cannot be read"`,
		},
		"left out":       {get, content(`{"size":300}`), `- ""; - "the recording does not contain the body"`},
		"left out, size": {get, content(`{"size":-1}`), `- ""; - "the recording does not contain the body"`},
		"empty":          {get, content(`{"size":0}`), `- ""; - ""`},
		"damaged": {
			get, content(`{"size":9,"text":"a\ufffdb"}`),
			`- ""; "a�b" "the recording tool damaged the body: it replaced bytes that are not text"`,
		},
		"aborted":    {get, `{"status":0,"headers":[],"content":{}}`, `- ""; none`},
		"no content": {get, `{"status":204,"headers":[],"content":{"size":0,"text":""}}`, `- ""; - ""`},
		"params":     {form, content(`{"size":2,"text":"{}"}`), `"a+b=c%26d" ""; "{}" ""`},
		"request cut": {
			`{"method":"POST","url":"u","bodySize":7,"postData":{"text":"{","comment":"truncated"}}`, content(`{"size":0}`),
			`"{" "the recording has only the beginning of the body"; - ""`,
		},
		"request left out": {
			`{"method":"POST","url":"u","bodySize":7}`, content(`{"size":2,"text":"{}"}`),
			`- "the recording does not contain the body"; "{}" ""`,
		},
		"request emptied": {
			`{"method":"POST","url":"u","bodySize":7,"postData":{"mimeType":"application/json","text":""}}`,
			content(`{"size":0}`),
			`- "the recording does not contain the body"; - ""`,
		},
		"in pieces": {
			get,
			content(`{"size":6,"text":"[\"` + b64 + `\",\"` + b64 + `\"]","encoding":"base64"}`),
			`- ""; "\x1f\x8b\xff\x1f\x8b\xff" ""`,
		},
		"text marked as base64": {
			get, content(`{"size":8,"text":"{\"a\":[]}","encoding":"base64"}`),
			`- ""; "{\"a\":[]}" ""`,
		},
		"a list marked as base64": {
			get, content(`{"size":8,"text":"[{\"a\":1}]","encoding":"base64"}`),
			`- ""; "[{\"a\":1}]" ""`,
		},
		"no list of pieces, but one": {get, content(`{"size":2,"text":"[]","encoding":"base64"}`), `- ""; "[]" ""`},
		"binary": {
			get, content(`{"size":3,"text":"[\"1f8bff\"]","_isBinary":true}`),
			`- ""; - "the recording has the body in an encoding that cannot be read"`,
		},
		"upload in base64": {
			`{"method":"POST","url":"u","postData":{"text":"` + b64 + `","encoding":"base64"}}`,
			content(`{"size":0}`), `"\x1f\x8b\xff" ""; - ""`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, problems := read(archive(entry(tt.request, tt.response)))
			if problems != nil || len(items) != 1 {
				t.Fatal(items, problems)
			}
			got := fmt.Sprintf("%s %q; ", show(items[0].Request.Body), items[0].RequestDoubt)
			if r := items[0].Response; r == nil {
				got += "none"
			} else {
				got += fmt.Sprintf("%s %q", show(r.Body), items[0].ResponseDoubt)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("bodies (-want +got):\n%s", diff)
			}
		})
	}
}

func show(b *recording.Body) string {
	if b == nil {
		return "-"
	}
	return fmt.Sprintf("%q", b.Bytes)
}

func TestATruncatedArchiveGivesWhatIsThereAndSaysWhere(t *testing.T) {
	t.Parallel()
	whole := archive(entry(get, content(`{"text":"1"}`)), entry(get, content(`{"text":"2"}`)))
	items, problems := read(whole[:strings.LastIndex(whole, `"text"`)])
	if len(items) != 1 || len(problems) != 1 ||
		!strings.Contains(problems[0], "the archive is cut off here, after 1 complete entries") ||
		!strings.HasPrefix(problems[0], "r:2 (byte ") {
		t.Errorf("%d items, problems %q", len(items), problems)
	}
}

// What is behind an archive is read as another one, or reported: never passed over in silence.
func TestWhatFollowsAnArchive(t *testing.T) {
	t.Parallel()
	one := archive(entry(get, content(`{}`)))
	for rest, want := range map[string]struct {
		items   int
		problem string
	}{
		"\r\n":      {1, ""},
		"\n" + one:  {2, ""},
		one + "\n]": {2, `unexpected ']' after the archive`},
		`{"a":1}`:   {1, "neither an HTTP Archive"},
		one[:9]:     {1, "the archive is cut off here, after 0 complete entries"},
	} {
		items, problems := read(one + rest)
		if len(items) != want.items || (want.problem == "") != (len(problems) == 0) ||
			!strings.Contains(strings.Join(problems, ""), want.problem) {
			t.Errorf("%.20q: %d items, problems %q, want %v", rest, len(items), problems, want)
		}
	}
}

func TestABrokenEntryLeavesTheOthers(t *testing.T) {
	t.Parallel()
	for broken, want := range map[string]string{
		`{"request":{"url":3}}`:      "/request/url has the wrong type: a number",
		`"x"`:                        "it has the wrong type: a string",
		`{"time":true}`:              "/time has the wrong type: a boolean or null",
		`{"request":{"method":"A"}}`: "the entry has no request with a method and a url",
	} {
		items, problems := read(archive(entry(get, content(`{}`)), broken, entry(get, content(`{}`))))
		if len(items) != 2 || len(problems) != 1 || !strings.HasSuffix(problems[0], "entry 2: "+want) {
			t.Errorf("%d items, problems %q, want %q", len(items), problems, want)
		}
	}
}

// Tools that stand on an HTTP client write what that has: methods in lower case, several values and numbers.
func TestHeadersAsClientsHaveThem(t *testing.T) {
	t.Parallel()
	items, problems := read(archive(entry(
		`{"method":"get","url":"u","headers":[{"name":"A","value":["1","2"]},{"name":"B","value":3},{"name":"C","value":null},{"name":"D"}]}`,
		content(`{}`))))
	if problems != nil {
		t.Fatal(problems)
	}
	want := recording.Request{Method: "GET", URL: "u", Headers: recording.Headers{{"A", "1"}, {"A", "2"}, {"B", "3"}}}
	if diff := cmp.Diff(want, items[0].Request); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestAnEntryThatIsTooLargeIsToldAndSkipped(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", record.MaxEntry)
	for _, text := range []string{
		archive(entry(get, content(`{"text":"`+huge+`"}`)), entry(get, content(`{}`))),
		`{"seq":1,"notes":["` + huge + `"]}` + "\n" + second + "\n",
	} {
		items, problems := read(text)
		if len(items) != 1 || len(problems) != 1 || !strings.Contains(problems[0], "longer than 64 MiB") {
			t.Errorf("%d items, problems %.200q", len(items), problems)
		}
	}
}
