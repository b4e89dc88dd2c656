package capture_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
)

const (
	goVCR = `---
version: 2
interactions:
    - id: 0
      request:
        proto: HTTP/1.1
        content_length: 2
        host: h
        body: '{}'
        form: {}
        headers:
            Content-Type:
                - application/json
        url: https://h/a
        method: POST
      response:
        content_length: -1
        uncompressed: true
        body: |
            {"text": "
            - id: 7
            version: 2
            "}
        headers:
            Content-Length:
                - "77"
        status: 200 OK
        code: 200
        duration: 1.5ms
    - id: 1
      request:
        host: h
        url: /b
        method: GET
      response:
        body: ""
        headers: {}
        status: 204 No Content
        code: 204
        duration: 1ms
`
	vcrPy = `interactions:
- request:
    body: null
    headers:
      Accept: '*/*'
    method: GET
    uri: http://h/a
  response:
    body:
      string: "two
        words"
    headers:
      content-length: ['9']
    status: {code: 200, message: OK}
- request:
    body: !!binary |
      H4v/
    headers: {}
    method: PUT
    uri: http://h/b
  response:
    body: {string: !!python/unicode 'x'}
    headers: {}
    status: {code: 201, message: Created}
version: 1
`
	rubyVCR = `---
http_interactions:
- request:
    method: get
    uri: http://h/a
    body: &1
      encoding: US-ASCII
      string: ''
    headers: &2
      Accept:
      - "*/*"
  response:
    status:
      code: 200
      message: &3 OK
    headers: {}
    body:
      encoding: ASCII-8BIT
      base64_string: |
        H4v/
    http_version:
  recorded_at: Tue, 01 Nov 2011 04:58:44 GMT
- request:
    method: !ruby/symbol delete
    uri: http://h/b
    body: *1
    headers: *2
  response:
    status:
      code: 200
      message: *3
    headers: {}
    body:
      encoding: Shift_JIS
      string: "日"
    http_version:
  recorded_at: Tue, 01 Nov 2011 04:58:44 GMT
recorded_with: VCR 5.0.0
`
)

// cassettes are of all tools, with what should be read of them.
var cassettes = map[string]struct {
	text string
	want []string
}{
	"go-vcr": {goVCR, []string{"POST /a {} 200 {text", "GET /b - 204 "}},
	"vcr.py": {vcrPy, []string{"GET /a - 200 two w", "PUT /b gzip 201 x"}},
	"ruby": {rubyVCR, []string{
		"GET /a - 200 gzip",
		"DELETE /b - 200 日 (; the recording has the body in an encoding that cannot be read)",
	}},
}

func inShort(items []record.Item) []string {
	var list []string
	for _, item := range items {
		list = append(list, told(item))
	}
	return list
}

func TestCassettes(t *testing.T) {
	t.Parallel()
	for name, c := range cassettes {
		for variant, text := range map[string]string{
			"":                    c.text,
			"with a mark":         "\ufeff" + c.text,
			"with CRLF":           strings.ReplaceAll(c.text, "\n", "\r\n"),
			"as two documents":    c.text + "---\n" + strings.TrimPrefix(c.text, "---\n"),
			"with its end marked": c.text + "...\n",
			"behind comments":     "# one\n\n# two\n" + c.text,
			"with a tag up there": strings.Replace(c.text, "interactions:", "interactions: !!seq", 1),
		} {
			t.Run(name+" "+variant, func(t *testing.T) {
				t.Parallel()
				items, problems := read(text)
				want := c.want
				if variant == "as two documents" {
					want = append(slices.Clone(want), want...)
				}
				if d := cmp.Diff(want, inShort(items)); d != "" || problems != nil {
					t.Errorf("problems %q, items (-want +got):\n%s", problems, d)
				}
			})
		}
	}
}

func TestWhatACassetteTells(t *testing.T) {
	t.Parallel()
	items, _ := read(goVCR)
	if items[1].Request.Headers.Value("Host") != "h" || items[0].Request.Headers.Value("Host") != "" {
		t.Errorf("a URL without a host, as a middleware records it, has it in the headers: %v", items[1].Request.Headers)
	}
	if items[0].RequestSize != 2 || items[0].ResponseSize != 33 || items[1].ResponseSize != 0 || items[0].Line != 4 {
		t.Errorf("sizes %d %d %d, line %d", items[0].RequestSize, items[0].ResponseSize, items[1].ResponseSize, items[0].Line)
	}
	items, _ = read(rubyVCR)
	if got := items[0].End.UTC().String(); got != "2011-11-01 04:58:44 +0000 UTC" || items[0].Start != items[0].End {
		t.Errorf("it was recorded at %s", got)
	}
	if got := items[1].Request.Headers.Value("Accept"); got != "*/*" {
		t.Errorf("headers that an earlier interaction has: %q", got)
	}
}

// interaction is one in go-vcr's form.
func interaction(request, response string) string {
	return fmt.Sprintf("version: 2\ninteractions:\n- request: {method: POST, url: 'http://h/a', %s}\n  response: {%s}\n",
		request, response)
}

func TestBodiesOfCassettes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ request, response, want string }{
		"a body that a filter made shorter": {
			`body: abc`, `code: 200, headers: {Content-Length: [9]}, body: abc`,
			"POST /a abc 200 abc (; the recording has 3 bytes of a body that had 9: the body was changed after it was received)",
		},
		"a request that was not kept": {
			`content_length: 7`, `code: 200`, "POST /a - 200  (the recording does not contain the body; )",
		},
		"a damaged body": {
			`body: "a\uFFFDb"`, `code: 200`,
			"POST /a a\ufffdb 200  (the recording tool damaged the body: it replaced bytes that are not text; )",
		},
		"a form without a body": {
			`headers: {Content-Type: [application/x-www-form-urlencoded]}, form: {a: [b, c], d: [e f]}`, `code: 200`,
			"POST /a a=b&a 200 ",
		},
		"fields that are those of the query": {`form: {a: [b]}`, `code: 200`, "POST /a - 200 "},
		"fields under another media type": {
			`headers: {Content-Type: [application/json]}, form: {a: [b]}`, `code: 200`,
			"POST /a - 200 ",
		},
		"fields of an upload": {
			`headers: {Content-Type: [multipart/form-data; boundary=x]}, form: {a: [b]}`, `code: 200`,
			"POST /a - 200  (the recording has the fields of the body, not its bytes; )",
		},
		"bytes of an object": {`body: {base64_string: 'H4v/'}`, `code: 200`, "POST /a gzip 200 "},
		"base64 that is none": {
			`body: {base64_string: '*'}`, `code: 200`,
			"POST /a - 200  (the recording has the body in an encoding that cannot be read; )",
		},
		"a body that is a stream": {
			`body: [x, 0, null]`, `code: 200`,
			"POST /a - 200  (the recording has the body in an encoding that cannot be read; )",
		},
		"an answer to httpx": {`body: ''`, `status_code: 200, http_version: HTTP/1.1, content: abc`, "POST /a - 200 abc"},
		"no response":        {`body: ''`, `code: 0`, "POST /a - none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, problems := read(interaction(tt.request, tt.response))
			if d := cmp.Diff([]string{tt.want}, inShort(items)); d != "" || problems != nil {
				t.Errorf("problems %q, items (-want +got):\n%s", problems, d)
			}
		})
	}
}

func TestABrokenInteractionLeavesTheOthers(t *testing.T) {
	t.Parallel()
	const whole = "- request: {method: GET, url: 'http://h/a'}\n  response: {code: 200}\n"
	for name, tt := range map[string]struct{ broken, want string }{
		"YAML that is none":      {"- request: {method: [}\n", "interaction 2: line 5, column"},
		"a quote without an end": {"- request: \"GET\n", "interaction 2: "},
		"no request":             {"- response: {code: 200}\n", "interaction 2: it has no request"},
		"a status that is none":  {"- request: {method: GET, url: u}\n  response: {code: ok}\n", `the status "ok"`},
		"a huge status":          {"- request: {method: GET, url: u}\n  response: {code: 1e400}\n", `the status "1e400"`},
		"base64 that is none":    {"- request: {method: GET, url: u, body: !!binary '*'}\n", "is not valid base64"},
		"an unknown anchor":      {"- *nobody\n", "unknown anchor"},
		"a line of something": {
			"- request: {method: GET, url: u}\n  response: {code: 204}\nwhat is this?\n",
			"unexpected",
		},
		"an anchor in itself": {"- &a [*a]\n", "interaction 2: "},
		"no mapping":          {"- 7\n", "interaction 2: it has no request"},
		"too many levels": {
			"- request: " + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "\n",
			"nested deeper",
		},
		"NUL":                    {"- request: \x00\n", "interaction 2: "},
		"bytes that are no text": {"- request: \xff\xfe\n", "interaction 2: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, problems := read("version: 2\ninteractions:\n" + whole + tt.broken + whole)
			wanted := 2
			if tt.want == "unexpected" {
				wanted = 3
			}
			if len(items) != wanted || len(problems) != 1 || !strings.Contains(problems[0], tt.want) ||
				!strings.HasPrefix(problems[0], "r:") {
				t.Errorf("%d items, problems %.300q, want %q", len(items), problems, tt.want)
			}
		})
	}
}

func TestAListInFlowStyleIsReadAsAWhole(t *testing.T) {
	t.Parallel()
	items, problems := read("version: 1\ninteractions: [{request: {method: GET, uri: 'http://h/a'},\n" +
		"  response: {status: {code: 200}}}, {request: {method: GET}},\n  {request: {method: GET, uri: 'http://h/b'}, " +
		"response: null}]\n")
	if d := cmp.Diff([]string{"GET /a - 200 ", "GET /b - none"}, inShort(items)); d != "" || len(problems) != 1 {
		t.Errorf("problems %q, items (-want +got):\n%s", problems, d)
	}
	if items[1].Line != 4 {
		t.Errorf("the last item is in line %d, want 4", items[1].Line)
	}
}

// What go-vcr calls a form has the fields of the query too, also those of a request without a body.
func TestFieldsOfTheQueryAreNoBody(t *testing.T) {
	t.Parallel()
	for want, request := range map[string]string{
		"GET /pools?a=b - 200 ":        `{method: GET, url: 'http://h/pools?a=b', form: {a: [b]}, headers: {Content-Type: [application/x-www-form-urlencoded]}}`,
		"POST /pools?a=b a=c 200 ":     `{method: POST, url: 'http://h/pools?a=b', form: {a: [c, b]}, headers: {Content-Type: [application/x-www-form-urlencoded]}}`,
		"DELETE /pools?a=b&c=d - 200 ": `{method: DELETE, url: 'http://h/pools?a=b&c=d', form: {a: [b], c: [d]}}`,
	} {
		items, problems := read("version: 2\ninteractions:\n- request: " + request + "\n  response: {code: 200}\n")
		if d := cmp.Diff([]string{want}, inShort(items)); d != "" || problems != nil {
			t.Errorf("problems %q, items (-want +got):\n%s", problems, d)
		}
	}
}

// A cassette that an editor saved without the end of the last line is whole.
func TestTheLastLineNeedsNoEnd(t *testing.T) {
	t.Parallel()
	const (
		goes = "version: 2\ninteractions:\n- request: {method: GET, url: 'http://h/a'}\n  response:\n"
		cut  = "GET /a - 200 abc (; the cassette ends within the body, without a line break: it may be cut off)"
	)
	for text, want := range map[string]string{
		goes + "    body: abc\n    code: 200":                                     "GET /a - 200 abc",
		goes + "    body: abc\n    status: {code: 200}":                           "GET /a - 200 abc",
		goes + "    body: abc\n    code: 200\n    dura":                           "GET /a - 200 abc",
		goes + "    code: 200\n    body: 'abc'":                                   "GET /a - 200 abc",
		goes + "    code: 200\n    headers: {content-length: [3]}\n    body: abc": "GET /a - 200 abc",
		goes + "    code: 200\n    headers: {content-length: [9]}\n    body: abc": "GET /a - 200 abc (; the recording " +
			"has 3 bytes of a body that had 9: the body was changed after it was received)",
		goes + "    code: 200\n    body: abc":                                   cut,
		goes + "    code: 200\n    bo":                                          "ends within interaction 1",
		goes + "    code: 200\n    body: 'ab":                                   "ends within interaction 1",
		goes + "    body: abc\n    code: 20":                                    "ends within interaction 1",
		goes + "    body: abc":                                                  "ends within interaction 1",
		strings.TrimSuffix(strings.ReplaceAll(vcrPy, "version: 1\n", ""), "\n"): "PUT /b gzip 201 x",
		strings.TrimSuffix(rubyVCR,
			"recorded_with: VCR 5.0.0\n"): "the cassette is cut off here, after 2 interactions",
		strings.TrimSuffix(strings.TrimSuffix(goVCR, "        duration: 1ms\n"), "\n"): "GET /b - 204 ",
	} {
		items, problems := read(text)
		got := append(inShort(items), problems...)
		if len(got) == 0 || !strings.Contains(got[len(got)-1], want) || strings.Contains(want, " - ") && problems != nil {
			t.Errorf("%q:\n%q, want %q", text, got, want)
		}
	}
}
