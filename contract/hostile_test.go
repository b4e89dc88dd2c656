package contract_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text)
	_ = w.Close()
	return b.Bytes()
}

func jsonHeaders(more ...string) recording.Headers {
	headers := recording.Headers{{"Content-Type", "application/json"}}
	for i := 0; i+1 < len(more); i += 2 {
		headers = append(headers, [2]string{more[i], more[i+1]})
	}
	return headers
}

// hostileBodies returns bodies that want to be expensive.
func hostileBodies() map[string]recording.Body {
	bomb := gzipped(make([]byte, 128<<20))
	wide := []byte(`{"name":"a"`)
	for i := range 20_000 {
		wide = fmt.Appendf(wide, `,"f%d":null`, i)
	}
	list := map[string]recording.Body{}
	for name, text := range map[string]string{
		"deep lists":             strings.Repeat("[", 500_000),
		"deep objects":           strings.Repeat(`{"name":`, 200_000),
		"deep and closed":        `{"name":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
		"a huge exponent":        `{"name":"a","concurrencyLimit":1e999999999}`,
		"a tiny exponent":        `{"name":"a","concurrencyLimit":1e-999999999}`,
		"a long number":          `{"name":"a","concurrencyLimit":` + strings.Repeat("9", 1_000_000) + `}`,
		"a long fraction":        `{"name":"a","concurrencyLimit":0.` + strings.Repeat("9", 1_000_000) + `}`,
		"a gigantic string":      `{"name":"` + strings.Repeat("x", 5<<20) + `"}`,
		"no UTF-8":               "{\"name\":\"\xff\xfe\xc0\"}",
		"half a surrogate":       `{"name":"\ud800"}`,
		"duplicate keys":         `{"name":"a"` + strings.Repeat(`,"name":"b"`, 100_000) + `}`,
		"many unknown fields":    string(wide) + "}",
		"many items":             `{"pools":[` + strings.Repeat(`{"id":1},`, 20_000) + `{}]}`,
		"many different items":   `{"pools":[` + strings.Repeat(`{},[],1,"a",null,`, 20_000) + `{}]}`,
		"zeros":                  strings.Repeat("\x00", 1<<20),
		"quotes and backslashes": strings.Repeat(`"\`, 1<<20),
	} {
		list[name] = recording.Body{Bytes: []byte(text)}
	}
	list["a bomb"] = recording.Body{Bytes: bomb}
	list["a bomb in a bomb"] = recording.Body{Bytes: gzipped(bomb)}
	return list
}

// Whatever an exchange holds, judging it takes a bounded time and a bounded multiple of its size.
func TestHostileBodies(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	c := checker(t, contract.WithGuess(true), contract.WithWorkers(1))
	for name, body := range hostileBodies() {
		for _, coding := range []string{"", "gzip, gzip"} {
			e := &recording.Exchange{
				Request: recording.Request{
					Method: "POST", URL: "https://workflow.svc.example/api/pools", Headers: jsonHeaders("Content-Encoding", coding),
					Body: &body,
				},
				Response: &recording.Response{
					Status:  201,
					Headers: jsonHeaders("Content-Encoding", coding, "Content-Length", "99999999999999999999"), Body: &body,
				},
			}
			survives(t, c, name+" "+coding, e, len(body.Bytes))
		}
	}
}

// TestManyFaults: an engine that copies the body for each of its faults would take gigabytes.
func TestManyFaults(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	c := checker(t, contract.WithBaseURL("workflow", "https://workflow.svc.example"), contract.WithWorkers(1))
	for _, n := range []int{1000, 10_000, 100_000} {
		text := `{"pools":[` + strings.Repeat(`{"id":"1","name":"x","concurrencyLimit":"a","default":true},`, n) + `{}]}`
		e := &recording.Exchange{
			Request:  recording.Request{Method: "GET", URL: "https://workflow.svc.example/api/pools"},
			Response: &recording.Response{Status: 200, Headers: jsonHeaders(), Body: &recording.Body{Bytes: []byte(text)}},
		}
		survives(t, c, fmt.Sprint(n, " faults"), e, len(text))
	}
}

// survives fails when checking an exchange takes too long or too much.
func survives(t *testing.T, c *contract.Checker, name string, e *recording.Exchange, size int) {
	t.Helper()
	const (
		longest  = time.Minute // on a machine that does much else
		overhead = 1536 << 20  // what codings may grow to, several times; more so under the race detector
		multiple = 600
	)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now() //nolint:forbidigo // the test is about time
	r, err := c.Check(t.Context(), contract.Exchanges(slices.Values([]*recording.Exchange{e})))
	took := time.Since(start) //nolint:forbidigo // likewise
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; took > longest || allocated > uint64(overhead+multiple*size) {
		t.Errorf("%s: %v and %d MiB for %d MiB", name, took, allocated>>20, size>>20)
	}
	if r.Exchanges.Read != 1 || len(r.Findings) > 200 {
		t.Errorf("%s: read %d, %d findings: %v", name, r.Exchanges.Read, len(r.Findings), err)
	}
	for _, f := range r.Findings {
		if len(f.Message) > 10_000 {
			t.Errorf("%s: a message of %d bytes", name, len(f.Message))
		}
	}
}

func TestHostileEnvelopes(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	c := checker(t, contract.WithGuess(true), contract.WithWorkers(1))
	const base = "https://workflow.svc.example/api/"
	flood := make(recording.Headers, 0, 50_000)
	for i := range 50_000 {
		flood = append(flood, [2]string{fmt.Sprint("X-", i), strings.Repeat("v", 20)})
	}
	var query strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&query, "&q%d=%%20&page[%d]=1&last_id=x", i, i)
	}
	for name, e := range map[string]recording.Exchange{
		"headers": {
			Request:  recording.Request{Method: "GET", URL: base + "pools", Headers: flood},
			Response: &recording.Response{Status: 200, Headers: flood},
		},
		"a query": {Request: recording.Request{Method: "GET", URL: base + "attempts?" + query.String()}},
		"semicolons": {Request: recording.Request{
			Method: "GET",
			URL:    base + "attempts?" + strings.Repeat("a;", 100_000),
		}},
		"a long path": {Request: recording.Request{Method: "GET", URL: base + strings.Repeat("pools/", 100_000)}},
		"another's path": {Request: recording.Request{
			Method: "GET",
			URL:    "https://x.acme.io/" + strings.Repeat("api/pools/", 50_000),
		}},
		"a long segment": {Request: recording.Request{
			Method: "GET",
			URL:    base + "pools/" + strings.Repeat("%2e%2F", 100_000),
		}},
		"dots":          {Request: recording.Request{Method: "GET", URL: base + "pools/%2e%2e/..%2f./attempts"}},
		"a nul":         {Request: recording.Request{Method: "GET", URL: base + "pools/%00"}},
		"a long method": {Request: recording.Request{Method: strings.Repeat("GET", 100_000), URL: base + "pools"}},
		"a long type": {Request: recording.Request{
			Method: "POST", URL: base + "pools",
			Headers: recording.Headers{{"Content-Type", strings.Repeat("application/json;", 100_000)}},
			Body:    &recording.Body{Bytes: []byte("{}")},
		}},
		"many codings": {Request: recording.Request{
			Method: "POST", URL: base + "pools",
			Headers: jsonHeaders("Content-Encoding", strings.Repeat("gzip,", 100_000)),
			Body:    &recording.Body{Bytes: gzipped([]byte("{}"))},
		}},
		"a status": {
			Request:  recording.Request{Method: "GET", URL: base + "pools"},
			Response: &recording.Response{Status: -1},
		},
		"many cookies": {Request: recording.Request{
			Method: "GET", URL: base + "pools",
			Headers: recording.Headers{{"Cookie", strings.Repeat("a=b;", 100_000)}},
		}},
	} {
		survives(t, c, name, &e, 1<<20)
	}
}

// A user's own document may have patterns and schemas that are as nasty as any exchange.
func TestNastyDocuments(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	const document = `{openapi: 3.0.3, info: {title: T, version: '1'}, paths: {/api/x: {post: {operationId: x, responses: {'200': {description: ok}},
		requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}}}},
		components: {schemas: {Text: {type: string, maxLength: 100000, pattern: '^(([a-z])+.)+[A-Z]([a-z])+$'}, Loop: {allOf: [{$ref: '#/components/schemas/Loop'}]}%s}}}`
	var chain strings.Builder
	for i := range 30 {
		next := fmt.Sprintf("{$ref: '#/components/schemas/S%d'}", i+1)
		fmt.Fprintf(&chain, ", S%d: {properties: {a: %s, b: %s, t: {$ref: '#/components/schemas/Text'}}}", i, next, next)
	}
	chain.WriteString(", S30: {properties: {a: {$ref: '#/components/schemas/S0'}}}")
	file := t.TempDir() + "/nasty.yaml"
	if err := os.WriteFile(file, fmt.Appendf(nil, document, chain.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c := checker(t, contract.WithSpec("workflow", file), contract.WithWorkers(1))
	body := []byte(strings.Repeat(`{"a":`, 200) + `{"t":"` + strings.Repeat("a", 90_000) + `!"}` + strings.Repeat("}",
		200))
	e := &recording.Exchange{
		Request: recording.Request{
			Method: "POST", URL: "https://workflow.svc.example/api/x", Headers: jsonHeaders(),
			Body: &recording.Body{Bytes: body},
		},
		Response: &recording.Response{Status: 200},
	}
	survives(t, c, "nasty", e, 1<<20)
}

// FuzzExchange checks one exchange out of bytes, as the whole of a recording and as the answer to a good request: no
// panic, every check one verdict, and no claim without its exchange.
func FuzzExchange(f *testing.F) {
	f.Add("POST", "https://workflow.svc.example/api/pools?x=1", "application/json", "gzip", []byte(`{"name":"a"}`), 201,
		[]byte(`{"id":"1"}`))
	f.Add("GET", "https://x.acme.io/v3/job/list", "text/event-stream", "", []byte{}, 404, []byte("data: {}\n\n"))
	f.Add("PUT", "https://llm.svc.example/api/chats/%2F..", "application/vnd.api+json; charset=latin1", "deflate",
		gzipped([]byte("[1e999999999]")), 0, []byte{0xff})
	f.Add("POST", "http://[::1]:1/_worlds/w/core/v3/job/issue/trino/db?query=a&query[]=b",
		"application/x-www-form-urlencoded", "", []byte("query=%zz"), 200, []byte("{}"))
	c := checker(f, contract.WithGuess(true), contract.WithWorkers(1))
	f.Fuzz(func(t *testing.T, method, url, kind, coding string, request []byte, status int, response []byte) {
		headers := recording.Headers{{"Content-Type", kind}, {"Content-Encoding", coding}, {"Cookie", kind}, {"Host", coding}}
		one := &recording.Exchange{
			Request:  recording.Request{Method: method, URL: url, Headers: headers, Body: &recording.Body{Bytes: request}},
			Response: &recording.Response{Status: status, Headers: headers, Body: &recording.Body{Bytes: response}},
		}
		other := *one
		other.Request.URL = "https://workflow.svc.example/api/pools"
		r, err := c.Check(t.Context(), contract.Exchanges(slices.Values([]*recording.Exchange{one, &other})))
		if r.Exchanges.Broken > 0 || len(r.Problems) > 0 || r.Exchanges.Read != 2 {
			t.Fatalf("%+v %v: %v", r.Exchanges, r.Problems, err)
		}
		total := 0
		for _, rule := range r.Rules {
			total += rule.Triggered
		}
		if total != r.Checks.Pass+r.Checks.Fail+r.Checks.Inconclusive {
			t.Errorf("rules have %d, checks %+v", total, r.Checks)
		}
		for _, axis := range r.Coverage.Axes {
			if axis.Covered > axis.Documented {
				t.Errorf("%+v", axis)
			}
		}
	})
}
