package mockserver_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

func TestStartWithTLS(t *testing.T) {
	t.Parallel()
	s := mockserver.Start(t, mockserver.WithTLS(), mockserver.WithScenario("full-account"))
	t.Run("its client is answered over HTTP/2", func(t *testing.T) {
		t.Parallel()
		response := request(t, s.Client(), "GET", s.URL("workflow")+"/api/pools", "")
		if response.StatusCode != 200 || response.Proto != "HTTP/2.0" || !strings.HasPrefix(s.URL("workflow"), "https://") {
			t.Errorf("GET %s: %s %s", s.URL("workflow"), response.Proto, response.Status)
		}
	})
	t.Run("links in answers say https", func(t *testing.T) {
		t.Parallel()
		status, text := send(t, s.Client(), "GET", s.URL("llm")+"/api/projects", "")
		if want := `"first":"` + s.URL("llm") + "/api/projects?"; status != 200 || !strings.Contains(text, want) {
			t.Errorf("status %d, want %s in %s", status, want, text)
		}
	})
	t.Run("who has its CA is answered, over HTTP/1.1 as well", func(t *testing.T) {
		t.Parallel()
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(s.CA())
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
		if response := request(t, client, "GET", s.URL("core")+"/database/list", ""); response.Proto != "HTTP/1.1" {
			t.Errorf("the answer is in %s", response.Proto)
		}
	})
	t.Run("nobody else is", func(t *testing.T) {
		t.Parallel()
		for _, client := range []*http.Client{http.DefaultClient, mockserver.Start(t, mockserver.WithTLS()).Client()} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL("control")+"/health", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Do(r)
			if unknown := (x509.UnknownAuthorityError{}); !errors.As(err, &unknown) {
				t.Errorf("error %v, want one about the authority", err)
			}
			if err == nil {
				response.Body.Close()
			}
		}
	})
	t.Run("an event is taken over HTTP/2, and the recording conforms", func(t *testing.T) {
		t.Parallel()
		s := mockserver.Start(t, mockserver.WithTLS(), mockserver.WithScenario("quickstart"))
		status, text := send(t, s.Client(), "POST", s.URL("ingestion")+"/postback/v3/event/shop/orders", `{"id":1}`)
		if status != 200 || text != "{}" {
			t.Errorf("status %d: %s", status, text)
		}
		checktest.WantConform(t, checktest.Plain(t), s.World(""))
	})
	t.Run("without it there is no CA, and the client is a plain one", func(t *testing.T) {
		t.Parallel()
		s := mockserver.Start(t)
		if status, _ := send(t, s.Client(), "GET", s.URL("workflow")+"/api/pools", ""); status != 200 || s.CA() != nil {
			t.Errorf("status %d, CA %s", status, s.CA())
		}
	})
}

func TestCurlSpeaksTLS(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("this machine has no curl")
	}
	s := mockserver.Start(t, mockserver.WithTLS())
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, s.CA(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL("workflow"), "https://"), ":")
	port, _, _ = strings.Cut(port, "/")
	for _, url := range []string{
		s.URL("workflow") + "/api/pools", "https://localhost:" + port + "/workflow/api/pools",
		"https://workflow.localhost:" + port + "/api/pools",
	} {
		host, _, _ := strings.Cut(strings.TrimPrefix(url, "https://"), "/")
		out, err := exec.CommandContext(t.Context(), curl, "-sS", "--noproxy", "*", "--cacert", file,
			"--connect-to", host+":127.0.0.1:"+port, "-H", "Authorization: "+mocktest.Admin, "-o", "/dev/null",
			"-w", "%{http_code} %{ssl_verify_result}", url).CombinedOutput()
		if err != nil || string(out) != "200 0" {
			t.Errorf("curl %s: %v %s", url, err, out)
		}
	}
}

// request sends a request with the administrator's key and reads the answer to its end.
func request(t *testing.T, client *http.Client, method, url, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", mocktest.Admin)
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response
}
