package capture_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A length that differs puts a body in doubt only if decoding does not explain it.
func TestALengthThatDecodingExplains(t *testing.T) {
	t.Parallel()
	const json = "application/json"
	pool := `{"id":"1","name":"nächtlich","url":"https://h/a"}` // 50 bytes
	long := `{"pools":[` + strings.Repeat(pool+",", 50) + pool + `]}`
	pretty := "{\n    \"id\": \"1\",\n    \"name\": \"nächtlich\"\n}\n"
	for name, tt := range map[string]struct {
		media, body string
		more        string // headers
		declared    int
		isDoubted   bool
	}{
		"as long as told":                               {json, pool, "", len(pool), false},
		"unpacked, and the header is left":              {json, long, "Content-Encoding: gzip", 120, false},
		"unpacked, and the header is gone":              {json, long, "", 120, false},
		"unpacked, and shorter than it was":             {json, `{}`, "", 22, false},
		"laid out by the tool":                          {json, pretty, "", 32, false},
		"laid out by the platform, compacted by a tool": {json, pool, "", len(pool) + 15, false},
		"escaped by the platform, plain in the tool":    {json, `["日本語"]`, "", 22, false},
		"in Latin-1 on the wire":                        {json + "; charset=ISO-8859-1", pool, "", len(pool) - 1, false},
		"in UTF-16 on the wire":                         {"text/plain; charset=utf-16", "añb", "", 8, false},
		"text in Latin-1 on the wire":                   {"text/plain; charset=latin1", "añb", "", 3, false},
		"the end of the line was added":                 {"text/plain", "abc\n", "", 3, false},
		"the end of the line was taken":                 {"text/plain", "abc", "", 4, false},
		"the ends of lines were shortened":              {"text/csv", "a\nb\nc\n", "", 9, false},
		"text that was unpacked": {
			"text/html", "<p>" + strings.Repeat("x", 99),
			"Content-Encoding: br", 20, false,
		},
		"JSON of another name":      {"application/vnd.api+json", pretty, "", 32, false},
		"JSON without a media type": {"", pretty, "", 32, false},
		"a text in JSON":            {json, `"日本"`, "", 14, false},

		"cut":                                  {json, long[:len(long)/2], "", len(long), true},
		"cut, of a packed one":                 {json, long[:len(long)-1], "Content-Encoding: gzip", 120, true},
		"replaced by an empty one":             {json, `{}`, "", 300, true},
		"a number of which digits may be gone": {json, "12", "", 5, true},
		"text that is cut":                     {"text/plain", "abc", "", 9, true},
		"lines that are cut":                   {"application/x-ndjson", "{}\n{}\n", "", 40, true},
		"a form that is cut":                   {"application/x-www-form-urlencoded", "a=b&c=", "", 20, true},
		"bytes that are others":                {"application/octet-stream", "\xff\xfe\xfd", "", 4, true},
		"more than packing can hold":           {json, `["` + strings.Repeat("x", 5000) + `"]`, "", 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := fmt.Sprintf("Content-Length: ['%d']", tt.declared)
			if tt.media != "" {
				header += ", Content-Type: " + tt.media
			}
			if tt.more != "" {
				header += ", " + tt.more
			}
			message := fmt.Sprintf("headers: {%s}, body: %q", header, tt.body)
			if tt.media == "application/octet-stream" {
				message = fmt.Sprintf("headers: {%s}, body: {base64_string: '//79'}", header)
			}
			items, problems := read(interaction(message, message+", code: 200"))
			if len(items) != 1 || problems != nil {
				t.Fatal(items, problems)
			}
			for _, doubt := range []string{items[0].RequestDoubt, items[0].ResponseDoubt} {
				if want := fmt.Sprintf("the recording has %d bytes of a body that had %d:", len(tt.body),
					tt.declared); (doubt != "") != tt.isDoubted ||
					tt.isDoubted && !strings.HasPrefix(doubt, want) {
					t.Errorf("doubt %q", doubt)
				}
			}
			if items[0].RequestSize != int64(tt.declared) || items[0].ResponseSize != int64(tt.declared) {
				t.Errorf("sizes %d and %d, want %d", items[0].RequestSize, items[0].ResponseSize, tt.declared)
			}
		})
	}
}

// Some recorders on VCR.py keep bodies as the values that were in them.
func TestParsedBodies(t *testing.T) {
	t.Parallel()
	const inYAML = `interactions:
- request:
    headers: {content-type: [application/json], content-length: ['999']}
    method: POST
    parsed_body:
      name: nightly
      concurrencyLimit: 2
      ratio: .5
      big: 12345678901234567890
      hex: 0x1f
      none: null
      quoted: '7'
      on: True
      since: 2026-05-04
      tags: [a, "b\"c", 1e3]
      endless: .inf
    uri: http://h/pools
  response:
    headers: {content-type: [application/json]}
    parsed_body: []
    status: {code: 200, message: OK}
version: 1
`
	const parsed = `{"name":"nightly","concurrencyLimit":2,"ratio":0.5,"big":12345678901234567890,"hex":31,"none":null,` +
		`"quoted":"7","on":true,"since":"2026-05-04","tags":["a","b\"c",1e3],"endless":".inf"}`
	inJSON := `{"version":1,"interactions":[{"request":{"method":"POST","uri":"http://h/pools","parsed_body":` + parsed +
		`},` +
		`"response":{"status":{"code":200},"parsed_body":[]}}]}`
	for _, text := range []string{inYAML, inJSON} {
		items, problems := read(text)
		if len(items) != 1 || problems != nil {
			t.Fatal(items, problems)
		}
		item := items[0]
		if d := cmp.Diff(parsed, string(item.Request.Body.Bytes)); d != "" {
			t.Errorf("request (-want +got):\n%s", d)
		}
		if got := show(item.Response.Body); got != `"[]"` || item.ResponseSize != -1 ||
			item.RequestDoubt+item.ResponseDoubt != "" {
			t.Errorf("response %s of %d bytes, doubts %q and %q", got, item.ResponseSize, item.RequestDoubt, item.ResponseDoubt)
		}
	}
}
