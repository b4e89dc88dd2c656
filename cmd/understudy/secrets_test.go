package main_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// plant is an exchange that holds a secret, under %s, where secrets are found, and deviates so that reports show it.
type plant struct {
	method, url string
	headers     [][2]string
	body        string
	status      int
	answers     [][2]string // headers of the answer
	answer      string
}

const (
	workflowBase = "https://workflow.svc.example/api"
	coreBase     = "https://core.svc.example/v3"
	eventBase    = "https://us01.ingestion.svc.example/postback/v3/event/shop/visits"
)

var (
	isJSON   = [2]string{"Content-Type", "application/json"}
	withKey  = [2]string{"Authorization", "SVC1 %s"}
	jsonOnly = [][2]string{isJSON}
)

// plants returns the places in which secrets are found: in exchanges that break the contract, that cannot be judged,
// and that belong to no interface.
func plants() map[string]plant {
	list := map[string]plant{
		"an API key": {method: "GET", url: workflowBase + "/pools", headers: [][2]string{withKey}, status: 418},
		"a bearer token": {
			method: "GET", url: workflowBase + "/pools",
			headers: [][2]string{{"authorization", "Bearer %s"}}, status: 200, answers: jsonOnly, answer: `{"pools":`,
		},
		"a key without its scheme": {
			method: "GET", url: workflowBase + "/pools",
			headers: [][2]string{{"Authorization", "%s"}}, status: 200,
		},
		"a key of a proxy": {
			method: "GET", url: workflowBase + "/pools",
			headers: [][2]string{{"Proxy-Authorization", "Basic %s"}}, status: 418,
		},
		"a second key": {
			method: "GET", url: workflowBase + "/pools",
			headers: [][2]string{{"Secondary-Authorization", "SVC1 %s"}}, status: 418,
		},
		"a write key": {
			method: "POST", url: eventBase, headers: [][2]string{{"X-SVC-Write-Key", "%s"}, isJSON},
			body: `{"events":[]}`, status: 418,
		},
		"a cookie": {
			method: "GET", url: workflowBase + "/pools",
			headers: [][2]string{{"Cookie", "session=%s; theme=dark"}}, status: 418,
		},
		"a cookie that is set": {
			method: "GET", url: workflowBase + "/pools", status: 418,
			answers: [][2]string{{"Set-Cookie", "session=%s; HttpOnly"}},
		},
		"a key in a query":     {method: "GET", url: workflowBase + "/pools?api_key=%s&x=1", status: 418},
		"a token in a query":   {method: "GET", url: workflowBase + "/pools?access_token=%s", status: 418},
		"a user in an address": {method: "GET", url: "https://reader:%s@workflow.svc.example/api/pools", status: 418},
		"an address that is moved": {
			method: "GET", url: workflowBase + "/pools", status: 302,
			answers: [][2]string{{"Location", "https://u:%s@x.example/?token=1"}},
		},
		"a nobody's key": {
			method: "GET", url: "https://elsewhere.example/a", headers: [][2]string{withKey},
			status: 200,
		},
		"a nobody's query":        {method: "GET", url: "https://elsewhere.example/a?password=%s", status: 200},
		"a nobody's user":         {method: "GET", url: "https://u:%s@elsewhere.example/a", status: 200},
		"an unknown path's query": {method: "GET", url: workflowBase + "/ponds?token=%s", status: 200},
		"a project's secret": {
			method: "PUT", url: workflowBase + "/projects/1/secrets/db", headers: jsonOnly,
			body: `{"value":"%s"}`, status: 418,
		},
		"a secret of the wrong type": {
			method: "PUT", url: workflowBase + "/projects/1/secrets/db", headers: jsonOnly, body: `{"value":{"inner":"%s"}}`,
			status: 204,
		},
		"a secret in broken JSON": {
			method: "PUT", url: workflowBase + "/projects/1/secrets/db", headers: jsonOnly, body: `{"value":"%s`, status: 204,
		},
		"a secret in the wrong kind of body": {
			method: "PUT", url: workflowBase + "/projects/1/secrets/db", headers: [][2]string{{"Content-Type", "text/plain"}},
			body: `value is %s`, status: 204,
		},
		"a secret in parts": {
			method: "PUT", url: workflowBase + "/projects/1/secrets/db",
			headers: [][2]string{{"Content-Type", "multipart/form-data; boundary=b"}},
			body:    "--b\r\nContent-Disposition: form-data; name=\"value\"\r\n\r\n%s\r\n--b--\r\n", status: 204,
		},
		"a secret beyond its length": {
			method: "PUT", url: workflowBase + "/projects/1/secrets/db", headers: jsonOnly,
			body: `{"value":"` + strings.Repeat("x", 17_000) + `%s"}`, status: 204,
		},
		"a job's target in a form": {
			method: "POST", url: coreBase + "/job/issue/trino/shop",
			headers: [][2]string{{"Content-Type", "application/x-www-form-urlencoded"}},
			body:    "query=select+1&result=mysql%%3A%%2F%%2Fu%%3A%s%%40h%%2Fd", status: 418,
		},
		"a job's target in JSON": {
			method: "POST", url: coreBase + "/job/issue/trino/shop", headers: jsonOnly,
			body: `{"query":"select 1","result":"mysql://u:%s@h/d","priority":"no"}`, status: 200,
		},
		"a job's target in a query": {
			method: "POST", url: coreBase + "/job/issue/trino/shop?query=select+1&result=mysql%%3A%%2F%%2Fu%%3A%s%%40h%%2Fd",
			status: 418,
		},
		"a connection's address in an answer": {
			method: "GET", url: coreBase + "/job/list", status: 200, answers: jsonOnly,
			answer: `{"jobs":[{"job_id":1,"result":"mysql://u:%s@h/d"}]}`,
		},
		"an address in an undeclared field": {
			method: "GET", url: workflowBase + "/pools", status: 200, answers: jsonOnly,
			answer: `{"pools":[],"target":"postgres://u:%s@h/d"}`,
		},
		"an address where a number is wanted": {
			method: "GET", url: workflowBase + "/pools", status: 200, answers: jsonOnly,
			answer: `{"pools":[{"id":"1","name":"n","concurrencyLimit":"postgres://u:%s@h/d"}]}`,
		},
		"an address in a name": {
			method: "GET", url: workflowBase + "/pools", status: 200, answers: jsonOnly,
			answer: `{"pools":[],"postgres://u:%s@h/d":1}`,
		},
		"an address in a Content-Type": {
			method: "GET", url: workflowBase + "/pools", status: 200,
			answers: [][2]string{{"Content-Type", "text/x; at=\"ftp://u:%s@h\""}}, answer: "x",
		},
		"an address in a path": {
			method: "GET", url: workflowBase + "/ponds/ftp://u:%s@h/x", status: 200,
		},
	}
	return list
}

// exchange returns the exchange with its secret in it.
func (p plant) exchange(secret string) *recording.Exchange {
	fill := func(text string) string {
		if strings.Contains(text, "%s") {
			return fmt.Sprintf(text, secret)
		}
		return text
	}
	headers := func(list [][2]string) recording.Headers {
		filled := recording.Headers{}
		for _, h := range list {
			filled = append(filled, [2]string{h[0], fill(h[1])})
		}
		return filled
	}
	e := &recording.Exchange{
		Request:  recording.Request{Method: p.method, URL: fill(p.url), Headers: headers(p.headers)},
		Response: &recording.Response{Status: p.status, Headers: headers(p.answers)},
	}
	if p.body != "" {
		e.Request.Body = &recording.Body{Bytes: []byte(fill(p.body))}
	}
	if p.answer != "" {
		e.Response.Body = &recording.Body{Bytes: []byte(fill(p.answer))}
	}
	return e
}

// secretOf returns the secret of a plant: nothing else in a report looks like it. Where a scheme wants base64, it is
// that.
func secretOf(name string) string {
	secret := fmt.Sprintf("hush%xhush", name)
	if strings.Contains(name, "proxy") {
		return base64.StdEncoding.EncodeToString([]byte("user:" + secret))
	}
	return secret
}

func recordingOf(t *testing.T, exchanges ...*recording.Exchange) string {
	t.Helper()
	var lines bytes.Buffer
	for i, e := range exchanges {
		e.Seq = int64(i + 1)
		if err := recording.Write(&lines, e); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "r.ndjson")
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNoSecretIsInAnyReport plants a secret wherever recordings hold them and looks for it in every form of a report,
// with the exchange as evidence where a form shows it.
func TestNoSecretIsInAnyReport(t *testing.T) {
	t.Parallel()
	checker, err := contract.NewChecker(contract.WithEngine(libopenapi.New()))
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range plants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret := secretOf(name)
			source := contract.Files(recordingOf(t, p.exchange(secret)))
			r, _ := checker.Check(t.Context(), source) // an error where nothing matched
			if err := checker.Evidence(t.Context(), source, r); err != nil {
				t.Fatal(err)
			}
			if r.Exchanges.Read != 1 || r.Exchanges.Matched == 1 && len(r.Groups) == 0 {
				t.Fatalf("the report shows nothing: %+v", r.Exchanges)
			}
			for _, form := range report.Formats() {
				var out bytes.Buffer
				if err := r.Write(&out, form); err != nil {
					t.Fatal(err)
				}
				leaked(t, form, out.String(), secret)
			}
		})
	}
}

// leaked fails the test where a secret is in a text.
func leaked(t *testing.T, form, text, secret string) {
	t.Helper()
	if at := strings.Index(text, secret); at >= 0 {
		t.Errorf("%s holds the secret: …%s…", form, text[max(0, at-120):min(len(text), at+60)])
	}
}

// TestNoSecretIsInWhatCheckWrites runs the command on one recording of all of them, on its output and into a file.
func TestNoSecretIsInWhatCheckWrites(t *testing.T) {
	t.Parallel()
	var all []*recording.Exchange
	for name, p := range plants() {
		all = append(all, p.exchange(secretOf(name)))
	}
	path := recordingOf(t, all...)
	for _, form := range report.Formats() {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "report")
			_, stdout, stderr := command(t, "check", "--format", form, "--output", file, path)
			written, err := os.ReadFile(file)
			if err != nil || len(written) == 0 {
				t.Fatalf("nothing is written: %v, %s", err, stderr)
			}
			if form == "text" { // on the output a report is the same, but for its looks
				_, more, problems := command(t, "check", path)
				stdout += more + problems
			}
			for name := range plants() {
				leaked(t, form+" with "+name, stdout+stderr+string(written), secretOf(name))
			}
		})
	}
}

// TestNoSecretIsInWhatCheckLeavesBehind looks into the smallest recordings, with their scripts, and into the baseline.
func TestNoSecretIsInWhatCheckLeavesBehind(t *testing.T) {
	t.Parallel()
	var all []*recording.Exchange
	for name, p := range plants() {
		all = append(all, p.exchange(secretOf(name)))
	}
	dir := t.TempDir()
	code, _, stderr := command(t, "check", "--minimize", dir, "--write-baseline", filepath.Join(dir, "baseline.yaml"),
		recordingOf(t, all...))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if code != 0 || err != nil || len(files) < 10 {
		t.Fatalf("exit code %d, %d files, %v: %s", code, len(files), err, stderr)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name := range plants() {
			leaked(t, filepath.Base(file)+" with "+name, string(content), secretOf(name))
		}
	}
}
