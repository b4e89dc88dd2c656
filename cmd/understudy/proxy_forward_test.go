//go:build unix

package main_test

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Clients of the standard libraries find the forward proxy, and trust its CA, by their environment alone.
var standardClients = map[string]struct {
	needs string // a command that must succeed
	run   []string
}{
	"curl": {"/usr/bin/curl --version", []string{"/usr/bin/curl", "-sS"}},
	"Go":   {"", []string{"goget"}},
	"Python's urllib": {"python3 --version", []string{
		"python3", "-c", "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())",
	}},
	"Python's requests": {"python3 -c 'import requests'", []string{
		"python3", "-c", "import sys, requests; print(requests.get(sys.argv[1]).text)",
	}},
	// fetch reads the environment from Node 24 on. An agent for https is a few lines.
	"Node's https": {"node --version", []string{"node", "-e", nodeClient}},
}

const nodeClient = `
const http = require('http'), https = require('https'), tls = require('tls');
const url = new URL(process.argv[1]), proxy = new URL(process.env.HTTPS_PROXY);
http.request({host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: url.host + ':443'})
  .on('connect', (answer, socket) => {
    const secure = tls.connect({socket, servername: url.hostname}, () => {
      https.get(url, {createConnection: () => secure}, r => r.pipe(process.stdout));
    });
  }).end();`

func TestStandardClientsByForwardProxy(t *testing.T) {
	t.Parallel()
	service, ca := secureService(t)
	for name, client := range standardClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if client.needs != "" && exec.CommandContext(t.Context(), "sh", "-c", client.needs).Run() != nil {
				t.Skip("this machine lacks what this shows: ", client.needs)
			}
			file := filepath.Join(t.TempDir(), "t.ndjson")
			args := append([]string{
				"proxy", "--listen", "127.0.0.1:0", "--forward", "--target", "workflow=" + service, "--upstream-ca", ca,
				"--forward-host", "workflow=workflow.platform.example", "--record", file, "--",
			}, client.run...)
			code, stdout, stderr := commandIn(t, t.TempDir(), append(args, "https://workflow.platform.example/api/pools")...)
			if code != 0 || !strings.Contains(stdout, "this is the platform at /api/pools") {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			wantLines(t, file, 1)
		})
	}
}

// secureService starts a service with TLS, and returns its address and the file of its certificate.
func secureService(t *testing.T) (address, file string) {
	t.Helper()
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "this is the platform at "+r.URL.Path)
	}))
	t.Cleanup(service.Close)
	file = filepath.Join(t.TempDir(), "service.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: service.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return service.URL, file
}

// A forward proxy tunnels through the proxy that its own environment names.
func TestForwardProxyBehindAnother(t *testing.T) {
	t.Parallel()
	service, ca := secureService(t)
	home := t.TempDir()
	outer := begin(t, home, "understudy", "proxy", "--listen", "127.0.0.1:0", "--forward", "--target", "workflow="+service,
		"--upstream-ca", ca, "--forward-host", "workflow=workflow.platform.example")
	cmd := exec.CommandContext(t.Context(), "understudy", "proxy", "--listen", "127.0.0.1:0", "--forward", "--target",
		"core=http://127.0.0.1:1", "--", "goget", "https://workflow.platform.example/api/pools")
	cmd.Env = append(environment(home), "HTTPS_PROXY="+outer.ready.URL)
	if out, err := cmd.Output(); err != nil || string(out) != "this is the platform at /api/pools" {
		t.Errorf("%s, %v", out, err)
	}
	outer.stop(t)
}

// An exchange that the service did not answer is no violation of the contract.
func TestUnansweredIsNoViolation(t *testing.T) {
	t.Parallel()
	mock := serve(t)
	file := filepath.Join(t.TempDir(), "t.ndjson")
	p := proxyBefore(t, mock.ready.Interfaces["workflow"], "--target", "core=http://127.0.0.1:1", "--record", file)
	call(t, http.MethodGet, p.ready.Interfaces["workflow"]+"/api/pools", "")
	if status, answer := call(t, http.MethodGet, p.ready.Interfaces["core"]+"/job/list", ""); status != http.StatusBadGateway {
		t.Errorf("%d %s", status, answer)
	}
	p.stop(t)
	code, stdout, _ := command(t, "check", "--base", "core=http://127.0.0.1:1/v3", "--engine", "none", file)
	if code != 0 || !strings.Contains(stdout, "2 read: 2 matched") || strings.Contains(stdout, "error") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}
