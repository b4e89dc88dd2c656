package main_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const pythonFaultClient = `
import sys, urllib.error, urllib.request
request = urllib.request.Request(sys.argv[1], headers={"Authorization": "SVC1 1/admin", "X-Understudy-Inject": sys.argv[2]})
try:
    response = urllib.request.urlopen(request, timeout=float(sys.argv[3]))
    print("%d, %d bytes" % (response.status, len(response.read())))
except urllib.error.HTTPError as e:
    print("HTTPError", e.code)
except urllib.error.URLError as e: # of what comes before the request
    print(type(e.reason).__name__)
except Exception as e:
    print(type(e).__name__)
`

const nodeFaultClient = `
const [url, fault, limit] = process.argv.slice(-3);
const headers = {Connection: "close", Authorization: "SVC1 1/admin", "X-Understudy-Inject": fault};
fetch(url, {headers, signal: AbortSignal.timeout(1000 * limit)})
  .then(async (r) => console.log(r.status + ", " + (await r.text()).length + " bytes"))
  .catch((e) => console.log(e.name, e.cause?.code ?? ""));
`

const nodeHTTP2FaultClient = `
const [url, fault, limit] = process.argv.slice(-3);
const session = require("node:http2").connect(new URL(url).origin);
session.on("error", (e) => console.log(e.name, e.code));
const headers = {":path": new URL(url).pathname, authorization: "SVC1 1/admin", "x-understudy-inject": fault};
const request = session.request(headers, {signal: AbortSignal.timeout(1000 * limit)});
let status, size = 0;
request.on("response", (headers) => { status = headers[":status"] });
request.on("data", (part) => { size += part.length });
request.on("end", () => console.log(status + ", " + size + " bytes"));
request.on("error", (e) => console.log(e.name, e.code));
request.on("close", () => session.close());
`

// faultCall is a call to which a fault is applied.
type faultCall struct {
	fault, url string
	ca         string // the file of the certificate to trust
	seconds    string // the time limit
	http2      bool
}

// curlSees returns what curl says of a call.
func curlSees(t *testing.T, c faultCall) string {
	t.Helper()
	version := "--http1.1"
	if c.http2 {
		version = "--http2"
	}
	return outside(t, c, "curl", "-s", version, "-m", c.seconds, "-o", "-",
		"-w", "\n%{http_code}, %{size_download} bytes, exit code %{exitcode}",
		"-H", "Authorization: SVC1 1/admin", "-H", "X-Understudy-Inject: "+c.fault, c.url)
}

// sees returns what a program for Python or Node says of a call.
func sees(words ...string) func(*testing.T, faultCall) string {
	return func(t *testing.T, c faultCall) string {
		t.Helper()
		return outside(t, c, words[0], append(slices.Clone(words[1:]), c.url, c.fault, c.seconds)...)
	}
}

// outside runs a client that is not part of this process, and returns the last line that it writes. The exit code of
// curl is in that. It is skipped if it is not on this machine.
func outside(t *testing.T, c faultCall, name string, args ...string) string {
	t.Helper()
	program := find(name)
	if program == "" {
		t.Skipf("there is no %s", name)
	}
	command := exec.CommandContext(t.Context(), program, args...)
	if c.ca != "" { // in the variables that `understudy ca env` prints
		command.Env = append(os.Environ(), "CURL_CA_BUNDLE="+c.ca, "SSL_CERT_FILE="+c.ca, "NODE_EXTRA_CA_CERTS="+c.ca)
	}
	out, err := command.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// find returns the path of a program, but for those that stand in for one in tests, beside understudy.
func find(name string) string {
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(folder, "understudy")); err == nil {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	return ""
}

// goSees returns what Go's client says of a call.
func goSees(t *testing.T, c faultCall) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	if c.ca != "" {
		client = trusting(t, c.ca)
	}
	transport := client.Transport.(*http.Transport)
	transport.ForceAttemptHTTP2 = c.http2
	defer transport.CloseIdleConnections()
	return seenByGo(t, client, c)
}

// seenByGo returns what a client of this process sees of a call.
func seenByGo(t *testing.T, client *http.Client, c faultCall) string {
	t.Helper()
	limit, err := time.ParseDuration(c.seconds + "s")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	r.Header.Set("X-Understudy-Inject", c.fault)
	response, err := client.Do(r)
	if err != nil {
		return nameOf(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	seen := fmt.Sprintf("%d, %d bytes", response.StatusCode, len(text))
	if err != nil {
		seen += ", " + nameOf(err)
	}
	return seen
}

// nameOf returns the name of an error that programs compare it with, or the part of its text that they would look for.
func nameOf(err error) string {
	for name, known := range map[string]error{
		"context.DeadlineExceeded": context.DeadlineExceeded, "syscall.ECONNRESET": syscall.ECONNRESET,
		"io.ErrUnexpectedEOF": io.ErrUnexpectedEOF, "io.EOF": io.EOF,
	} {
		if errors.Is(err, known) {
			return name
		}
	}
	for _, text := range []string{"malformed HTTP response", "stream error"} {
		if strings.Contains(err.Error(), text) {
			return text
		}
	}
	return err.Error()
}
