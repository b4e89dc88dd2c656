package main_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// trusting returns a client that trusts what is in a file.
func trusting(t *testing.T, file string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("no certificate in %s", file)
	}
	return &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
	}}
}

// get asks the mock, as its administrator, through a client, and returns the version of HTTP with the status.
func get(t *testing.T, client *http.Client, url string) (line, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "SVC1 1/admin")
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.Proto + " " + response.Status, string(text)
}

func TestServeTLS(t *testing.T) {
	t.Parallel()
	t.Run("all addresses speak https, and so do links", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		mock := serveIn(t, home, "--tls", "--scenario", "full-account", "--interface", "llm=127.0.0.1:0")
		if want := filepath.Join(home, ".config", "understudy", "ca", "ca.pem"); mock.ready.CA != want {
			t.Errorf("the ready line says that the CA is %q, want %s", mock.ready.CA, want)
		}
		client := trusting(t, mock.ready.CA)
		for name, base := range mock.ready.Interfaces {
			if !strings.HasPrefix(base, "https://") {
				t.Errorf("%s is at %s", name, base)
			}
		}
		_, port, _ := strings.Cut(strings.TrimPrefix(mock.ready.URL, "https://"), ":")
		for _, url := range []string{
			mock.ready.Interfaces["workflow"] + "/api/pools", "https://localhost:" + port + "/workflow/api/pools",
			mock.ready.Interfaces["llm"] + "/api/projects", mock.ready.Control + "/health",
		} {
			if line, text := get(t, client, url); line != "HTTP/2.0 200 OK" {
				t.Errorf("GET %s: %s %s", url, line, text)
			}
		}
		_, projects := get(t, client, mock.ready.Interfaces["llm"]+"/api/projects")
		if want := `"first":"` + mock.ready.Interfaces["llm"] + "/api/projects?"; !strings.Contains(projects, want) {
			t.Errorf("the links are not below %s: %s", want, projects)
		}
		mock.stop(t)
	})
	t.Run("the next server has the same CA", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		code, out, stderr := commandIn(t, home, "ca", "path")
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		client := trusting(t, strings.TrimSpace(out))
		for range 2 {
			mock := serveIn(t, home, "--tls")
			get(t, client, mock.ready.Control+"/health")
			mock.stop(t)
		}
	})
	t.Run("a CA that cannot be read is a clear error", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		_, out, _ := commandIn(t, home, "ca", "path")
		if err := os.WriteFile(strings.TrimSpace(out), []byte("nothing"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"serve", "--tls", "--listen", "127.0.0.1:0"}, {"ca", "path"}, {"ca", "env"}} {
			code, stdout, stderr := commandIn(t, home, args...)
			if code != 2 || stdout != "" || !strings.Contains(stderr, "delete that folder") {
				t.Errorf("%s: exit code %d, output %q, error %q", args, code, stdout, stderr)
			}
		}
	})
	t.Run("without a folder of configurations there is no CA", func(t *testing.T) {
		t.Parallel()
		cmd := exec.CommandContext(t.Context(), "understudy", "ca", "path")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "find a folder for the CA") {
			t.Errorf("error %v: %s", err, out)
		}
	})
}

func TestCA(t *testing.T) {
	t.Parallel()
	t.Run("two processes at once make one", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		var wg sync.WaitGroup
		found := make([]string, 4)
		for i := range found {
			wg.Go(func() {
				if code, out, stderr := commandIn(t, home, "ca", "path"); code != 0 {
					t.Errorf("exit code %d: %s", code, stderr)
				} else if text, err := os.ReadFile(strings.TrimSpace(out)); err != nil {
					t.Error(err)
				} else {
					found[i] = string(text)
				}
			})
		}
		wg.Wait()
		for i := range found {
			if found[i] == "" || found[i] != found[0] {
				t.Errorf("process %d has another CA", i)
			}
		}
	})
	t.Run("env is for a shell, whatever the folder is called", func(t *testing.T) {
		t.Parallel()
		shell, err := exec.LookPath("sh")
		if err != nil {
			t.Skip("this machine has no sh")
		}
		home := filepath.Join(t.TempDir(), "it's $HOME of \"somebody\"")
		cmd := exec.CommandContext(t.Context(), shell, "-c",
			`eval "$(understudy ca env)" && echo "$SSL_CERT_FILE" && test -s `+
				`"$CURL_CA_BUNDLE" -a -s "$NODE_EXTRA_CA_CERTS" -a -s "$REQUESTS_CA_BUNDLE" -a -s "$DENO_CERT"`)
		cmd.Env = environment(home)
		out, err := cmd.CombinedOutput()
		if want := filepath.Join(home, ".config", "understudy", "ca", "ca.pem") + "\n"; err != nil || string(out) != want {
			t.Errorf("got %q, want %q, error %v", out, want, err)
		}
	})
	t.Run("a command that does not exist", func(t *testing.T) {
		t.Parallel()
		code, _, stderr := command(t, "ca", "paths")
		if code != 2 || !strings.Contains(stderr, `unknown command "paths"; want path`) {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}
