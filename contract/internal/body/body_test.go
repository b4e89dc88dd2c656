package body_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/body"
)

// What a body holds depends on its Content-Type and on what is documented of it; what cannot be read has a reason.
func TestDecode(t *testing.T) {
	t.Parallel()
	plain, lined := &openapi3.MediaType{}, &openapi3.MediaType{Extensions: map[string]any{"x-lines": true}}
	events := &openapi3.MediaType{Extensions: map[string]any{"x-event": "Event"}}
	for name, tt := range map[string]struct {
		header, text string
		media        *openapi3.MediaType
		want         []any
		reason       string
		isBroken     bool
	}{
		"JSON": {
			header: "application/json", text: `{"a":1}`,
			want: []any{map[string]any{"a": json.Number("1")}},
		},
		"JSON of a vendor": {header: "application/vnd.svc+json; charset=utf-8", text: `[]`, want: []any{[]any{}}},
		"JSON in Latin-1":  {header: "application/json; charset=iso-8859-1", text: "\"\xe9\"", want: []any{"é"}},
		"behind a mark":    {header: "application/json", text: "\ufeff1", want: []any{json.Number("1")}},
		"half of it": {
			header: "application/json", text: `{"a":`,
			reason: "the body is not JSON: the text ends too early", isBroken: true,
		},
		"a duplicate key": {
			header: "application/json", text: `{"a":1,"a":2}`,
			reason: "the body is not JSON: a duplicate key",
		},
		"a huge exponent": {header: "application/json", text: `1e999999`, reason: "an exponent beyond 4096"},
		"too deep": {
			header: "application/json", text: strings.Repeat("[", 300),
			reason: "nested deeper than 256 levels",
		},
		"no UTF-8": {
			header: "application/json", text: "\"\xff\"", reason: "the body is not UTF-8",
			isBroken: true,
		},
		"an unknown charset": {header: "application/json; charset=x", text: `1`, reason: "no decoder for charset x"},
		"lines": {
			header: "application/x-ndjson", text: "1\n\n2\n",
			want: []any{json.Number("1"), json.Number("2")},
		},
		"lines by a document": {
			header: "application/json", text: "1\n2", media: lined,
			want: []any{json.Number("1"), json.Number("2")},
		},
		"a wrong line": {
			header: "application/x-ndjson", text: "1\n{", reason: "line 2 of the body is not JSON",
			isBroken: true,
		},
		"events": {
			header: "text/event-stream", text: "data: 1\n\n: a comment\ndata: [2,\ndata: 3]\r\n\r\n", media: events,
			want: []any{json.Number("1"), []any{json.Number("2"), json.Number("3")}},
		},
		"a stream cut off": {
			header: "text/event-stream", text: "data: 1\n\ndata: 2", media: events,
			reason: "the stream ends unexpectedly after 1 events",
		},
		"YAML":           {header: "application/yaml", text: "a: b", want: []any{"a: b"}},
		"no YAML":        {header: "application/yaml", text: "a: [", reason: "the body is not YAML"},
		"text":           {header: "text/plain", text: "tea", want: []any{"tea"}},
		"an image":       {header: "image/png", text: "\x89PNG", want: []any{"\x89PNG"}},
		"bytes":          {header: "application/octet-stream", text: "\xff", want: []any{"\xff"}},
		"something else": {header: "application/zip", text: "tea", reason: "no decoder for application/zip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			media := tt.media
			if media == nil {
				media = plain
			}
			got, reason := body.Decode([]byte(tt.text), tt.header, media, false)
			if !strings.Contains(reason, tt.reason) || (reason == "") != (tt.reason == "") || got.Broken != tt.isBroken {
				t.Errorf("reason %q, broken %t; want %q, %t", reason, got.Broken, tt.reason, tt.isBroken)
			}
			if diff := cmp.Diff(tt.want, got.Values); tt.reason == "" && diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

// What decodes as JSON is JSON for the standard library, too, and no text makes the decoder panic.
func FuzzDecode(f *testing.F) {
	for _, header := range []string{
		"application/json", "application/x-ndjson", "application/yaml",
		"multipart/mixed; boundary=b", "text/plain",
	} {
		f.Add([]byte(`{"a":[1,{"b":null}]}`), header)
		f.Add([]byte("--b\r\n\r\nx\r\n--b--"), header)
	}
	f.Fuzz(func(t *testing.T, text []byte, header string) {
		d, reason := body.Decode(text, header, &openapi3.MediaType{}, false)
		if reason == "" && d.JSON != nil && !json.Valid(d.JSON) {
			t.Errorf("%q is taken for JSON", text)
		}
		if _, why := body.Uncode("gzip, deflate", text); why != "" && !strings.Contains(why, "decoded as") {
			t.Errorf("reason %q", why)
		}
	})
}
