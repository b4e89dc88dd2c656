package proxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// newTransport returns the transport to the services. It neither compresses nor follows redirects.
func newTransport(c *Config) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		TLSClientConfig:       &tls.Config{RootCAs: c.RootCAs, InsecureSkipVerify: c.Insecure, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:     true,
		DisableCompression:    true,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		ResponseHeaderTimeout: c.AnswerTimeout,
		ExpectContinueTimeout: 2 * time.Second,
		ReadBufferSize:        16 << 10,
		WriteBufferSize:       16 << 10,
	}
}

// checkStatus returns an error for an answer that cannot be passed on.
func checkStatus(r *http.Response) error {
	switch {
	case r.StatusCode < 100 || r.StatusCode > 999:
		return fmt.Errorf("want a status from 100 to 999, not %03d", r.StatusCode)
	case r.StatusCode == http.StatusSwitchingProtocols &&
		!strings.EqualFold(r.Header.Get("Upgrade"), r.Request.Header.Get("Upgrade")):
		return fmt.Errorf("an upgrade to %q, want %q", r.Header.Get("Upgrade"), r.Request.Header.Get("Upgrade"))
	}
	return nil
}

// maxHints bounds the answers with a status of 1xx before the one that counts.
const maxHints = 100

// boundHints returns a context for a request that ends with an error after too many answers of 1xx.
func boundHints(ctx context.Context) context.Context {
	hints := 0
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			if hints++; hints > maxHints {
				return fmt.Errorf("more than %d answers of 1xx before the one that counts", maxHints)
			}
			return nil
		},
	})
}

// maxWindow is the largest window of zstd that is allowed over HTTP (RFC 9659).
const maxWindow = 8 << 20

// decode undoes the content codings that the standard library does not know.
func decode(coding string, r io.Reader) (io.Reader, error) {
	switch coding {
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("no decoder for content coding %s", coding)
}
