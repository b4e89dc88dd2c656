package capture_test

import (
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
		list = append(list, describeItem(item))
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
