package capture_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"svc.example/understudy/contract/internal/capture"
)

// What reading may make of each byte of an input, and what on top of that: the bodies of a collection share its
// variables.
const (
	perByte = 64
	atLeast = 32 << 20
)

// drainInSteps reads hostile bytes within a budget: each is read once, and what is made of them does not grow beyond
// bounds. The budget counts steps, not time.
func drainInSteps(t *testing.T, data []byte) {
	t.Helper()
	given, made, entries := &countingReader{r: bytes.NewReader(data)}, 0, 0
	for item, err := range capture.Read("fuzz", given).Items() {
		if entries++; err != nil {
			continue
		}
		made += len(item.Request.URL)
		for _, header := range item.Request.Headers {
			made += len(header[0]) + len(header[1])
		}
		if body := item.Request.Body; body != nil {
			made += len(body.Bytes)
		}
		if item.Response != nil && item.Response.Body != nil {
			made += len(item.Response.Body.Bytes)
		}
	}
	if given.n > len(data) || entries > len(data)+1 || made > perByte*len(data)+atLeast {
		t.Errorf("of %d bytes %d were read, and %d entries with %d bytes made", len(data), given.n, entries, made)
	}
	drain(t, data)
}

type countingReader struct {
	r io.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// fuzzFiles fuzzes what begins like files in testdata.
func fuzzFiles(f *testing.F, names ...string) {
	f.Helper()
	for _, name := range names {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(drainInSteps)
}

func FuzzFlows(f *testing.F) {
	f.Add([]byte(flowOf("http", "0:~")))
	f.Add([]byte(netstring("}", "4:type;", "999999999:http;")))
	fuzzFiles(f, "mitmproxy.flows")
}

func FuzzWire(f *testing.F) {
	f.Add([]byte(httprr("GET /a H\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n")))
	f.Add([]byte("httprr trace v1\n2147483647 2147483647\nx"))
	fuzzFiles(f, "session.httprr")
}

func FuzzMocks(f *testing.F) {
	f.Add([]byte(wiremock(`"url":"/a","bodyPatterns":[{"equalToJson":{}}]`, `"bodyFileName":"../../etc/passwd"`)))
	f.Add([]byte(pair(`"path":[{"matcher":"exact","value":["/a"]}]`, `,"encodedBody":true,"body":"*"`)))
	fuzzFiles(f, "hoverfly.json", "hoverfly-v1.json", "wiremock.json", "wiremock-journal.json",
		"wiremock/mappings/pools-1.json",
		"mockserver.json", "mockserver-log.json", "easyvcr.json", "easyvcr-java.json", "phpvcr.json")
}

func FuzzCollections(f *testing.F) {
	f.Add([]byte(`{"info":{"_postman_id":1},"variable":[{"key":"a","value":"{{a}}{{a}}"}],"item":[{"response":[{"code":200}],"request":{"url":"{{a}}"}}]}`))
	fuzzFiles(f, "postman.json", "insomnia.json", "insomnia-responses.json")
}

func FuzzLogs(f *testing.F) {
	f.Add([]byte(`{"request":"GET /a","status":1e999,"time":1e308,"request_time":"-1"}`))
	fuzzFiles(f, "kong.ndjson", "nginx.ndjson", "apache.ndjson")
}

func FuzzListing(f *testing.F) {
	f.Add([]byte("- request: {method: GET, url: u}\n---\n- request: [\n"))
	fuzzFiles(f, "phpvcr.yml", "vcrpy-list.yaml", "vcrpy-parsed.yaml")
}

func FuzzSessions(f *testing.F) {
	f.Add([]byte("GET http://h/a HTTP/1.1\r\nA: b\r\n\r\nx"), []byte("HTTP/1.1 200 OK\r\n\r\n"),
		[]byte(`<Session><SessionTimers ClientBeginRequest="x"/></Session>`))
	f.Fuzz(func(t *testing.T, request, response, meta []byte) {
		drainInSteps(t, []byte(zipped(t, map[string]string{
			"raw/1_c.txt": string(request), "raw/1_s.txt": string(response), "raw/1_m.xml": string(meta),
		})))
	})
}
