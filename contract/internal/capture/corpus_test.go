package capture_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/capture/record"
)

// sample is an exchange that the corpus is made of.
type sample struct {
	method, path, body string
	status             int
	answer             string
}

const corpusSize = 240

func corpus() []sample {
	list := make([]sample, corpusSize)
	for i := range list {
		s := sample{
			method: "GET", path: fmt.Sprintf("/api/pools/%d?page=%d", i, i%7), status: 200,
			answer: fmt.Sprintf(`{"id":"%d","name":"näch't [%d], {x: y}"}`, i, i),
		}
		switch i % 3 {
		case 1:
			s.method, s.status, s.body = "POST", 201, fmt.Sprintf(`{"name":"#%d - \"request\": |","concurrencyLimit":%d}`, i, i)
		case 2:
			s.method, s.status = "DELETE", 404
		}
		list[i] = s
	}
	return list
}

func (s sample) url() string { return "https://h.example" + s.path }

// quoted is a text in JSON, which is one in YAML too.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a text can always be written
	return string(b)
}

// each writes all samples by a template, in which names such as {URL} stand for texts in quotes.
func each(list []sample, separator, template string) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = strings.NewReplacer("{N}", fmt.Sprint(i), "{METHOD}", quoted(s.method), "{URL}", quoted(s.url()),
			"{BODY}", quoted(s.body), "{STATUS}", fmt.Sprint(s.status), "{ANSWER}", quoted(s.answer)).Replace(template)
	}
	return strings.Join(parts, separator)
}

// textual are the formats that are text: what comes first, an exchange, what stands between two, and what comes last.
var textual = map[string][4]string{
	"har": {
		`{"log":{"version":"1.2","entries":[` + "\n",
		`{"startedDateTime":"2026-05-04T01:20:05Z","request":{"method":{METHOD},"url":{URL},"postData":{"text":{BODY}}},` +
			`"response":{"status":{STATUS},"content":{"text":{ANSWER}}}}`, ",\n", "\n]}}\n",
	},
	"ndjson": {"", `{"seq":{N},"request":{"method":{METHOD},"url":{URL},"body":{"text":{BODY}}},"response":{"status":{STATUS},"body":{"text":{ANSWER}}}}`, "\n", "\n"},
	"mock's journal": {
		`{"world":"default","entries":[`,
		`{"seq":{N},"request":{"method":{METHOD},"url":{URL},"body":{"text":{BODY}}},"response":{"status":{STATUS},"body":{"text":{ANSWER}}}}`,
		",\n", `],"dropped":0}`,
	},
	"vcrpy-json": {
		`{"version":1,"interactions":[`,
		`{"request":{"method":{METHOD},"uri":{URL},"body":{BODY}},"response":{"status":{"code":{STATUS}},"body":{"string":{ANSWER}}}}`, ",\n", "]}\n",
	},
	"ruby-json": {
		`{"http_interactions":[`,
		`{"request":{"method":{METHOD},"uri":{URL},"body":{"string":{BODY}}},"response":{"status":{"code":{STATUS}},"body":{"string":{ANSWER}}}}`, ",\n", "]}\n",
	},
	"govcr-yaml": {"version: 2\ninteractions:\n", "    - id: {N}\n      request:\n        body: {BODY}\n        url: " +
		"{URL}\n        method: {METHOD}\n      response:\n        body: {ANSWER}\n        code: {STATUS}", "\n", "\n"},
	"vcrpy-yaml": {"interactions:\n", "- request:\n    body: {BODY}\n    method: {METHOD}\n    uri: {URL}\n  " +
		"response:\n    body: {string: {ANSWER}}\n    status: {code: {STATUS}}", "\n", "\nversion: 1\n"},
	"list-yaml": {"", "- request:\n    body: {BODY}\n    method: {METHOD}\n    uri: {URL}\n  response:\n    body: " +
		"{string: {ANSWER}}\n    status: {code: {STATUS}}", "\n", "\n"},
	"phpvcr-yaml": {"\n", "-\n    request:\n        method: {METHOD}\n        url: {URL}\n        body: {BODY}\n    " +
		"response:\n        status: {code: {STATUS}}\n        body: {ANSWER}\n    index: 0", "\n", "\n"},
	"phpvcr-json": {
		"[\n",
		`{"request":{"method":{METHOD},"url":{URL},"body":{BODY}},"response":{"status":{"code":{STATUS}},"body":{ANSWER}},"index":0}`, ",\n", "\n]\n",
	},
	"easyvcr": {"[\n", `{"Request":{"Method":{METHOD},"Uri":{URL},"Body":{BODY}},"Response":{"Status":{"Code":{STATUS}},"Body":{ANSWER}}}`, ",\n", "\n]\n"},
	"hoverfly": {
		`{"data":{"pairs":[`,
		`{"request":{"method":[{"matcher":"exact","value":{METHOD}}],"path":[{"matcher":"exact","value":{URL}}],"body":{BODY}},` +
			`"response":{"status":{STATUS},"body":{ANSWER}}}`, ",\n", `]},"meta":{"schemaVersion":"v5"}}`,
	},
	"wiremock": {
		`{"mappings":[`,
		`{"request":{"url":{URL},"method":{METHOD},"bodyPatterns":[{"equalTo":{BODY}}]},"response":{"status":{STATUS},"body":{ANSWER}}}`, ",\n", "]}\n",
	},
	"mapping": {"", `{"id":"{N}","request":{"url":{URL},"method":{METHOD},"bodyPatterns":[{"equalTo":{BODY}}]},"response":{"status":{STATUS},"body":{ANSWER}}}`, "\n", "\n"},
	"journal": {
		`{"requests":[`,
		`{"request":{"absoluteUrl":{URL},"method":{METHOD},"body":{BODY}},"response":{"status":{STATUS},"body":{ANSWER}}}`,
		",\n", `],"meta":{"total":1}}`,
	},
	"mockserver": {
		"[\n",
		`{"httpRequest":{"method":{METHOD},"path":{URL},"body":{BODY}},"httpResponse":{"statusCode":{STATUS},"body":{ANSWER}}}`, ",\n", "\n]\n",
	},
	"postman": {
		`{"info":{"_postman_id":"1"},"item":[{"item":[`,
		`{"response":[{"originalRequest":{"method":{METHOD},"url":{"raw":{URL}},"body":{"mode":"raw","raw":{BODY}}},` +
			`"code":{STATUS},"body":{ANSWER}}]}`, ",\n", "]}]}\n",
	},
	"insomnia": {
		`{"_type":"export","__export_format":4,"resources":[`,
		`{"_type":"request","_id":"q{N}","method":{METHOD},"url":{URL},"body":{"text":{BODY}}},` +
			`{"_type":"response","parentId":"q{N}","statusCode":{STATUS},"body":{ANSWER}}`, ",\n", "]}\n",
	},
	"kong": {
		"", `{"request":{"method":{METHOD},"url":{URL}},"response":{"status":{STATUS}},"started_at":1768469400000}`,
		"\n", "\n",
	},
	"access": {"", `{"request_method":{METHOD},"request_uri":{URL},"status":{STATUS}}`, "\n", "\n"},
}

func corpusFiles(t *testing.T) map[string]string {
	t.Helper()
	list, files := corpus(), map[string]string{}
	for name, f := range textual {
		whole := f[0] + each(list, f[2], f[1]) + f[3]
		files[name+".plain"] = whole
		files[name+".crlf"] = strings.ReplaceAll(whole, "\n", "\r\n")
		files[name+".bom"] = "\ufeff" + whole
	}
	var trace, flows strings.Builder
	trace.WriteString("httprr trace v1\n")
	sessions := map[string]string{"[Content_Types].xml": "<Types/>"}
	for i, s := range list {
		request := fmt.Sprintf("%s %s HTTP/1.1\r\n\r\n%s", s.method, s.url(), s.body)
		response := fmt.Sprintf("HTTP/1.1 %d X\r\n\r\n%s", s.status, s.answer)
		fmt.Fprintf(&trace, "%d %d\n%s%s", len(request), len(response), request, response)
		sessions[fmt.Sprintf("raw/%03d_c.txt", i)], sessions[fmt.Sprintf("raw/%03d_s.txt", i)] = request, response
		text := func(s string) string { return netstring(";", s) }
		bytes := func(s string) string { return netstring(",", s) }
		flows.WriteString(netstring("}", text("type"), text("http"), text("request"),
			netstring("}", text("method"), bytes(s.method),
				text("scheme"), bytes("https"), text("host"), text("h.example"), text("port"), netstring("#", "443"), text("path"),
				bytes(s.path),
				text("content"), bytes(s.body)), text("response"),
			netstring("}", text("status_code"), netstring("#", fmt.Sprint(s.status)),
				text("content"), bytes(s.answer))))
	}
	files["httprr.plain"], files["flows.plain"], files["fiddler.plain"] = trace.String(), flows.String(),
		zipped(t, sessions)
	for name, text := range files {
		if kind, isPlain := strings.CutSuffix(name, ".plain"); isPlain {
			files[kind+".cut"] = text[:len(text)*3/5]
			files[kind+".gz"] = string(gzipped(t, []byte(text)))
		}
	}
	return files
}

// TestCorpus writes the same exchanges in every format, whole and damaged, and holds what is read of them against what
// was written, and against what another reader counts, which is not made of this code.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, want, ours := corpusFiles(t), corpus(), map[string]int{}
	for name, text := range files {
		kind, variant, _ := strings.Cut(name, ".")
		items, problems := read(text)
		if isCut := variant == "cut"; !isCut && (problems != nil || len(items) != corpusSize) {
			t.Errorf("%s: %d exchanges, problems %.300q", name, len(items), problems)
		}
		ours[name] = len(items)
		for i, item := range items {
			if got := sampleOf(item); got != want[i].without(kind) {
				t.Errorf("%s: exchange %d is %+v, want %+v", name, i, got, want[i])
				break
			}
		}
	}
	t.Run("as another reader counts it", func(t *testing.T) {
		t.Parallel()
		for name, n := range countElsewhere(t, folder(t, files)) {
			if ours[name] < n[0] || ours[name] > n[1] {
				t.Errorf("%s: %d exchanges, want %v", name, ours[name], n)
			}
		}
	})
}

func sampleOf(item record.Item) sample {
	s := sample{
		method: item.Request.Method, path: strings.TrimPrefix(item.Request.URL, "https://h.example"),
		status: item.Response.Status,
	}
	if b := item.Request.Body; b != nil {
		s.body = string(b.Bytes)
	}
	if b := item.Response.Body; b != nil {
		s.answer = string(b.Bytes)
	}
	return s
}

// without leaves out the bodies, which logs do not hold.
func (s sample) without(kind string) sample {
	if kind == "kong" || kind == "access" {
		s.body, s.answer = "", ""
	}
	return s
}

// countElsewhere asks a script in Python how many exchanges the files have.
func countElsewhere(t *testing.T, dir string) map[string][2]int {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: no other reader counts the exchanges")
	}
	command := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "made", "count.py"), dir)
	var stderr bytes.Buffer
	command.Stderr, command.Env = &stderr, append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("count.py: %v\n%s", err, &stderr)
	}
	counts := map[string][2]int{}
	if err := json.Unmarshal(out, &counts); err != nil {
		t.Fatal(err)
	}
	if len(counts) != 5*len(textual)+3*3 {
		t.Fatalf("%d files were counted", len(counts))
	}
	return counts
}
