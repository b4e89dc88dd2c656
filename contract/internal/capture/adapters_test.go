package capture_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture"
	"svc.example/understudy/contract/internal/capture/record"
)

// netstring writes a netstring with a type.
func netstring(kind string, parts ...string) string {
	payload := strings.Join(parts, "")
	return fmt.Sprintf("%d:%s%s", len(payload), payload, kind)
}

func flowOf(kind, content string) string {
	text := func(s string) string { return netstring(";", s) }
	return netstring("}", text("type"), text(kind), text("request"), netstring("}",
		text("method"), netstring(",", "GET"), text("scheme"), netstring(",", "https"), text("host"), text("::1"),
		text("port"), netstring("#", "443"), text("path"), netstring(",", "/a"), text("content"), "0:,"),
		text("response"), netstring("}", text("status_code"), netstring("#", "200"), text("headers"),
			netstring("]", netstring("]", netstring(",", "Content-Encoding"), netstring(",", "gzip"))),
			text("content"), content))
}

// httprr writes a trace of one exchange.
func httprr(request, response string) string {
	return fmt.Sprintf("httprr trace v1\n%d %d\n%s%s", len(request), len(response), request, response)
}

func wiremock(request, response string) string {
	return `{"mappings":[{"request":{"method":"GET",` + request + `},"response":{` + response + `}}]}`
}

func pair(request, response string) string {
	return `{"data":{"pairs":[{"request":{"method":"GET",` + request + `},"response":{"status":200` + response +
		`}}]},"meta":{"schemaVersion":"v5"}}`
}

func expectation(request, response string) string {
	return `[{"httpRequest":{` + request + `},"httpResponse":{` + response + `}}]`
}

// The places where an adapter has to decide. Each recording has one exchange, or a problem.
func TestAdapters(t *testing.T) {
	t.Parallel()
	const note = " not a recorded exchange: "
	for text, want := range map[string]string{
		// mitmproxy keeps bodies as they were on the wire, unless they were passed on as streams
		flowOf("http", netstring(",", "\x1f\x8b\xff")): "GET /a - 200 gzip",
		flowOf("http", "0:~"):                          "GET /a - 200  (; the recording does not contain the body)",
		flowOf("tcp", "0:~"):                           `interaction 1:` + note + `a flow of type "tcp" is not HTTP`,
		netstring("}", "2:ab;", "3:b"):                 "a netstring does not have the length that it declares",

		netstring("}", "2:ab;", "1:b?"): `unknown netstring type '?'`,

		// Hoverfly's matchers stand for a request only if they fit one exactly
		pair(`"path":"/a","query":"b=c"`,
			`,"body":"x"`): "GET /a?b=c - 200 x",
		pair(`"path":{"exactMatch":"/a"},"query":{"exactMatch":"b=c"},"destination":"h"`,
			``): "GET /a?b=c - 200 ",
		pair(`"path":[{"matcher":"exact","value":"/a"}],"query":{"b":[{"matcher":"array","value":["1","2"]}]}`,
			``): "GET /a?b=1&b=2 - 200 ",
		pair(`"path":[{"matcher":"glob","value":"/*"}]`, ``):     "interaction 1:" + note + "its path is a pattern",
		pair(`"path":"/a"`, `,"encodedBody":true,"body":"H4v/"`): "GET /a - 200 gzip",
		pair(`"path":"/a"`, `,"bodyFile":"x.json"`):              `GET /a - 200  (; the recording does not contain the body: it is in a file "x.json")`,

		// so do WireMock's
		wiremock(`"urlPath":"/a","queryParameters":{"b":{"equalTo":"c d"}}`,
			`"status":200,"body":"x"`): "GET /a?b=c+d - 200 x",
		wiremock(`"urlPathPattern":"/a.*"`, `"status":200`): "interaction 1:" +
			note + "its url or method is a pattern",
		wiremock(`"url":"/a","bodyPatterns":[{"matchesJsonPath":"$.a"}]`,
			`"body":"x"`): "GET /a - 200 x (the recording has a pattern for the body, not the body; )",
		wiremock(`"url":"/a","bodyPatterns":[{"equalTo":"abc"}]`, `"status":200,"base64Body":"H4v/"`): "GET /a abc 200 gzip",
		wiremock(`"url":"/a"`,
			`"bodyFileName":"x.json"`): `GET /a - 200  (; the recording does not contain the body: its file "x.json" is missing, outside of the folder, or too large)`,
		`{"request":{"urlPath":"/a","method":"GET"},"response":{"status":200,"body":"x"}}`:      "GET /a - 200 x",
		`{"request":{"url":"/a","method":"GET"},"response":{"status":200,"headers":{"A":"b"}}}`: "GET /a - 200 ",

		// MockServer's bodies say what they are
		expectation(`"path":"/a","method":"GET","queryStringParameters":{"b":["c"]}`,
			`"statusCode":200,"body":"x"`): "GET /a?b=c - 200 x",
		expectation(`"path":"/a","method":"PUT","body":{"type":"PARAMETERS","parameters":{"a":["b"]}}`,
			`"body":[1]`): "PUT /a a=b 200 [1]",
		expectation(`"path":"/a","method":"PUT","body":{"type":"REGEX","regex":".*"}`,
			`"body":{"a":1}`): "PUT /a - 200 {a:1} (the recording has a pattern for the body, not the body; )",
		expectation(`"path":{"value":"/a"},"method":"GET","secure":true,"headers":{"Host":["h"]}`,
			`"statusCode":204`): "GET /a - 204 ",
		`[{"httpRequest":{"path":"/a","method":"GET"}}]`: "GET /a - none",

		// php-vcr and EasyVCR
		`[{"request":{"method":"POST","url":"http://h/a","post_fields":{"a":"b"}},"response":{"status":200,"body":"x"}}]`: "POST /a a=b 200 x",
		`[{"Request":{"Method":"GET","Uri":"http://h/a"},"Response":{"Status":{"Code":200},"Body":{"a":1}}}]`:             "GET /a - 200 {a:1}",

		// logs
		`{"request":{"method":"GET","url":"http://h/a","querystring":{"b":["1","2"]}},"response":{"status":200},"latencies":{}}`: "GET /a?b=1&b=2 - 200  (; a gateway log does not contain bodies)",
		`{"request":"PUT /a?b=c HTTP/1.1","status":200,"request_body":"abc","vhost":"h"}`:                                        "PUT /a?b=c abc 200  (; a gateway log does not contain bodies)",
		`{"time":"[04/May/2026:10:20:05 +0900]","method":"GET","request":"/x/a","query":"?b=c","status":"204"}`:                  "GET /x/a?b=c - 204 ",
		`{"verb":"GET","path":"/x/a","args":"-","status_code":404,"@timestamp":"2026-05-04T01:20:05Z"}`:                          "GET /x/a - 404  (; a gateway log does not contain bodies)",
		`{"verb":"GET","path":"/x/a","status_code":"-"}`:                                                                         "the status \"-\"",

		// messages as they were sent
		httprr("GET http://h/a H/1\r\n\r\n",
			"HTTP/1.1 204 OK\r\n\r\n"): "GET /a - 204 ",
		httprr("GET http://h/a H/1\r\n\r\n",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"): "GET /a - 200 abc",
		httprr("GET http://h/a H/1\r\n\r\n",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc"): "GET /a - 200 abc (; the recording has only the " +
			"beginning of the body)",
		httprr("GET http://h/a H/1\r\n\r\n", ""): "GET /a - none",
		"httprr trace v1\n5 0\nhello": "interaction 1: its request: an HTTP message begins " +
			"with \"hello\"",
		"httprr trace v1\nx y\n":                                  "want the lengths of a request and its response",
		"httprr trace v1\n21 190\nGET http://h/a H/1\r\n\r\nHTTP": "the recording ends within an exchange",
	} {
		items, problems := read(text)
		got := append(inShort(items), problems...)
		if len(got) != 1 || !strings.Contains(got[0], want) || len(items) > 0 && got[0] != want {
			t.Errorf("%q:\n%q\nwant %q", text, got, want)
		}
	}
}

func TestCollectionsAreResolved(t *testing.T) {
	t.Parallel()
	collection := `{"info":{"_postman_id":"1"},"variable":[{"key":"a","value":"{{b}}"},{"key":"b","value":"http://h"},
		{"key":"loop","value":"{{loop}}{{loop}}"}],"auth":{"type":"bearer","bearer":[{"key":"token","value":"{{tok}}"}]},"item":[{"item":[
		{"response":[{"code":200,"body":"x","originalRequest":{"method":"GET","url":{"raw":"{{a}}/p/:id?c=d&e=f","variable":[{"key":"id","value":"7"}],
			"query":[{"key":"c","value":"d"},{"key":"e","value":"f","disabled":true}]}}}]},
		{"request":{"method":"POST","url":"{{gone}}/p/{{loop}}","body":{"mode":"urlencoded","urlencoded":[{"key":"a","value":"b c"}]}},"response":[{"code":201}]},
		{"response":[{"code":200,"originalRequest":{"url":"{{b}}/p","method":"PUT","body":{"mode":"formdata","formdata":[{"key":"a"}]}}}]}]}]}`
	items, problems := read(collection)
	var got []string
	for _, item := range items {
		text := item.Request.Method + " " + item.Request.URL + " " + show(item.Request.Body) + item.RequestDoubt
		got = append(got, text[:min(len(text), 80)])
	}
	if len(items) > 0 && items[0].Request.Headers.Value("Authorization") != "Bearer {{tok}}" {
		t.Errorf("headers %v", items[0].Request.Headers)
	}
	for i := range got {
		if strings.Contains(got[i], "{{loop}}") {
			got[i] = "a loop"
		}
	}
	want := []string{
		`GET http://h/p/7?c=d -`, "a loop",
		"PUT http://h/p -the recording has the fields of the body, not its bytes",
	}
	if d := cmp.Diff(want, got); d != "" || problems != nil {
		t.Errorf("problems %q, requests (-want +got):\n%s", problems, d)
	}
	if d := cmp.Diff(`"a=b+c"`, show(items[1].Request.Body)); d != "" {
		t.Errorf("body (-want +got):\n%s", d)
	}
}

// What only looks like a recording of one of the formats is none.
func TestOtherFilesAreNotTakenForRecordings(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"version":3,"sources":[],"mappings":"AAAA;BBBB"}`, `{"mappings":{"properties":{}}}`, `{"requests":[{"url":"/a"}]}`,
		`{"data":{"pairs":[1,2]}}`, `{"info":{"title":"x"},"openapi":"3.0.0"}`, `{"resources":[],"_type":1}`, `[{"a":1}]`,
		`[]`,
		`{"status":"ok"}`, `{"status":200,"path":"/a"}`, "- hosts: all\n  tasks: []\n", "12:30:45 started\n",
	} {
		for _, err := range capture.Files(folder(t, map[string]string{"x.json": text, "y.ndjson": first + "\n"})) {
			if err != nil && record.IsFatal(err) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

// A few names can stand for more than memory holds. Names beyond a bound are left as they are.
func TestNamesDoNotGrowWithoutBounds(t *testing.T) {
	t.Parallel()
	const use = `{"response":[{"code":200,"originalRequest":{"method":"GET","url":"http://h/{{a}}"}}]}`
	text := `{"info":{"_postman_id":"1"},"variable":[{"key":"a","value":"` + strings.Repeat("{{b}}", 1000) + `"},` +
		`{"key":"b","value":"` + strings.Repeat("x", 1000) + `"}],"item":[` + use + strings.Repeat(","+use, 99) + "]}"
	items, problems := read(text)
	size := 0
	for _, item := range items {
		size += len(item.Request.URL)
	}
	if size > 16<<20 || len(items) != 100 || problems != nil {
		t.Errorf("%d exchanges with URLs of %d bytes, problems %q", len(items), size, problems)
	}
}
