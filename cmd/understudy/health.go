package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/certs"
	"svc.example/understudy/specs"
)

// exitUnhealthy is the exit code of understudy health for a server that is not ready.
const exitUnhealthy = 1

// defaultURL is where understudy serve listens by default.
const defaultURL = "http://127.0.0.1:4010"

func newHealth() *cobra.Command {
	var address string
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "health",
		Short: "Report whether a mock server is ready",
		Long: `Ask a mock server whether every interface can answer, and exit with 0 if so. If not, or
if nobody answers in time, the reason is on standard error and the exit code is 1; it is
2 if the question cannot be asked, because of a wrong flag. It needs no token. It is
made for the health checks of containers, which have no curl.`,
		Example: `  understudy health
  understudy health --url https://mock.example:4010 --timeout 2s

  # In a Dockerfile
  HEALTHCHECK CMD ["understudy", "health"]`,
		Args: exactArgs(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			at, err := healthURL(cmp.Or(address, os.Getenv(urlVariable), defaultURL))
			if err != nil {
				return err
			}
			if timeout <= 0 {
				return fmt.Errorf("--timeout %v: want a duration above 0, such as 2s", timeout)
			}
			ctx, cancel := context.WithTimeout(c.Context(), timeout)
			defer cancel()
			if err := askHealth(ctx, at); err != nil {
				return &exitError{exitUnhealthy, fmt.Errorf("not ready: %w", err)}
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), "ready")
			return err
		},
	}
	c.Flags().StringVar(&address, "url", "", "the `URL` of the server, as in the first line that it prints (default: the "+
		"environment\nvariable "+urlVariable+", or "+defaultURL+")")
	c.Flags().DurationVar(&timeout, "timeout", 5*time.Second, "give up after `DURATION`")
	return c
}

// healthURL returns where the server at an address says whether it is ready.
func healthURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("--url %q: want an absolute http or https address, such as %s", address, defaultURL)
	}
	u.RawQuery, u.Fragment = "", ""
	return strings.TrimSuffix(u.String(), "/") + mockserver.Address(specs.Control) + "/readyz", nil
}

// askHealth returns why a server is not ready, or nil if it is.
func askHealth(ctx context.Context, at string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
	if err != nil {
		return err
	}
	pool, err := trusted()
	if err != nil {
		return err
	}
	client := &http.Client{ // it asks the server itself, through no proxy
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var body struct {
		Status string                   `json:"status"`
		Error  struct{ Message string } `json:"error"`
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return err
	}
	invalid := json.Unmarshal(text, &body)
	switch {
	case response.StatusCode == http.StatusOK && invalid == nil && body.Status == "ok":
		return nil
	case body.Error.Message != "":
		return fmt.Errorf("%s: %s", response.Status, body.Error.Message)
	}
	return fmt.Errorf("%s answers %s, not as understudy serve does", at, response.Status)
}

// trusted returns the authorities that the system trusts, and the user's own CA if there is one.
func trusted() (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // such as in a container that has no certificates
	}
	folder, err := certs.UserFolder()
	if err != nil {
		return pool, nil //nolint:nilerr // without a home there is no CA of the user's own
	}
	text, err := os.ReadFile(certs.Path(folder))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the CA: %w", err)
	}
	pool.AppendCertsFromPEM(text)
	return pool, nil
}
