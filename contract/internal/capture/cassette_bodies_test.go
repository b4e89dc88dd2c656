package capture_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	const cutOff = "the cassette is cut off here, behind interaction 1"
	for text, want := range map[string]string{
		goes + "    body: abc\n    code: 200":                                     "GET /a - 200 abc",
		goes + "    body: abc\n    status: {code: 200}":                           "GET /a - 200 abc",
		goes + "    body: abc\n    code: 200\n    dura":                           cutOff,
		goes + "    code: 200\n    headers: {A: [b":                               cutOff,
		goes + "    code: 200\n    headers: {A: [b]}\n    ":                       cutOff,
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
