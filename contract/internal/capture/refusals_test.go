package capture_test

import (
	"strings"
	"testing"
)

func TestOtherFormsOfKnownFormats(t *testing.T) {
	t.Parallel()
	const yaml = "_type: export\n__export_format: 4\nresources:\n"
	const request = "- _id: req_1\n  _type: request\n  method: GET\n  url: https://a.example/pools\n"
	const envoy = `"method":"GET","path":"/pools","response_code":200,"start_time":"2026-01-01T10:00:00.000Z","duration":5}`
	for name, text := range map[string]string{
		"Insomnia in YAML":                yaml + request,
		"Insomnia in YAML, another order": "resources:\n" + request + "__export_format: 4\n_type: export\n",
		"Insomnia in YAML, with a mark":   "---\n" + yaml + request,
		"Insomnia in YAML, with an environment": yaml + "- _type: environment\n  data: {base: 'https://a.example'}\n" +
			"- _type: request\n  method: GET\n  url: '{{ _.base }}/pools'\n",
		"Insomnia in YAML, from Windows":           strings.ReplaceAll(yaml+request, "\n", "\r\n"),
		"Insomnia in YAML, with a byte order mark": "\ufeff" + yaml + request,
		"Insomnia in YAML, with a comment":         "# exported\n" + yaml + request,
		"Insomnia 5": "type: collection.insomnia.rest/5.0\nname: x\ncollection:\n" +
			"  - url: https://a.example/pools\n    method: GET\n",
		"Insomnia 5, in a folder": "type: collection.insomnia.rest/5.0\ncollection:\n  - name: f\n    children:\n" +
			"      - url: https://a.example/pools\n        method: GET\n",
		"Insomnia 5, with an environment": "type: collection.insomnia.rest/5.0\ncollection:\n  - url: '{{ _.base }}/pools'\n" +
			"    method: GET\nenvironments:\n  data: {base: 'https://a.example'}\n",
		"Envoy, with all names of HTTP/2": `{":authority":"a.example",":method":"GET",":path":"/pools",":scheme":"https",` +
			`"response_code":200,"start_time":"2026-01-01T10:00:00.000Z","duration":5}`,
		"Envoy, all in texts": `{"authority":"a.example:443","method":"GET","path":"/pools","response_code":"200",` +
			`"start_time":"2026-01-01T10:00:00.000Z","duration":"5"}`,
		"Envoy, without an answer": `{"authority":"a.example","method":"GET","path":"/pools","response_code":0,` +
			`"start_time":"2026-01-01T10:00:00.000Z","duration":5}`,
		"Envoy":                     `{"authority":"a.example",` + envoy,
		"Envoy, as HTTP/2 names it": `{":authority":"a.example",` + envoy,
		"Envoy, with a scheme":      `{"scheme":"https","authority":"a.example",` + envoy,
		"ExVCR": `[{"request":{"method":"get","url":"https://a.example/pools"},` +
			`"response":{"status_code":200,"body":"{}","headers":{}}}]`,
		"ExVCR, as an Erlang term": `[{"request":{"method":"get","url":"https://a.example/pools"},"response":` +
			`{"binary":true,"body":"g20AAAACe30=","headers":[],"status_code":200,"type":"ok"}}]`,
		"ExVCR, the response first": `[{"response":{"body":"{}","headers":{},"status_code":200,"type":"ok"},` +
			`"request":{"method":"get","url":"https://a.example/pools"}}]`,
		"ExVCR, a response of its error": `[{"request":{"method":"get","url":"https://a.example/pools"},` +
			`"response":{"status_code":null,"type":"error"}}]`,
	} {
		items, _ := read(text)
		if len(items) != 1 || items[0].Request.Method != "GET" {
			t.Errorf("%s: %d exchanges", name, len(items))
			continue
		}
		if url, host := items[0].Request.URL, items[0].Request.Headers.Value("Host"); !strings.Contains(url+host, "a.example") {
			t.Errorf("%s: at %s, host %q", name, url, host)
		}
		if r := items[0].Response; strings.HasPrefix(name, "ExVCR") && r != nil && r.Body != nil && string(r.Body.Bytes) != "{}" {
			t.Errorf("%s: body %q", name, r.Body.Bytes)
		}
		if strings.HasPrefix(name, "Envoy") && items[0].End.Sub(items[0].Start).Milliseconds() != 5 {
			t.Errorf("%s: from %v to %v", name, items[0].Start, items[0].End)
		}
	}
}

// What is not read is called what it is, with what to give instead.
func TestRefusalsSayWhatWouldBeRight(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`[{"method":"GET","host":"a","actualPort":443,"request":{},"response":{}}]`: {"Charles", "HTTP Archive"},
		`{"consumer":{},"provider":{},"interactions":[]}`:                           {"Pact", "HTTP Archive"},
		`{"consumer":{"name":"a"},"provider":{"name":"b"},"interactions":[{"request":` +
			`{"method":"GET","path":"/a"}}]}`: {"Pact"},
		`{"consumer":{"name":"a"},"provider":{"name":"b"},"messages":[{"contents":{}}]}`:                              {"Pact"},
		`{"interactions":[{"request":{"method":"GET","path":"/a"}}],"consumer":{"name":"a"},"provider":{"name":"b"}}`: {"Pact"},
		"\ufeff" + `[{"method":"GET","host":"a","actualPort":443,"request":{},"response":{}}]`:                        {"Charles"},
		`{"a":1}`: {"Insomnia", "mitmproxy", "Envoy", "docs/reference/formats.md"},
		"plain":   {"Hoverfly", "WireMock", "docs/reference/formats.md"},
		"a: 1\n":  {"Postman", "Kong", "docs/reference/formats.md"},
	} {
		items, problems := read(text)
		if len(items) != 0 || len(problems) != 1 {
			t.Errorf("%s: %d items, problems %q", text, len(items), problems)
			continue
		}
		for _, word := range want {
			if !strings.Contains(problems[0], word) {
				t.Errorf("%s: %q, want %q in it", text, problems[0], word)
			}
		}
	}
}
