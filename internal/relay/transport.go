package relay

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync"
	"time"
)

// DefaultAnswerTimeout is the time that a service has by default until the headers of its answer.
const DefaultAnswerTimeout = 5 * time.Minute

// Upstream says how services are talked to.
type Upstream struct {
	RootCAs       *x509.CertPool // of the services; nil: those of the system
	Insecure      bool           // do not verify the certificates of the services
	AnswerTimeout time.Duration  // until the headers of an answer; 0: as long as it takes
}

// NewTransport returns a transport to services. It neither compresses nor follows redirects.
func NewTransport(u Upstream) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		TLSClientConfig:       &tls.Config{RootCAs: u.RootCAs, InsecureSkipVerify: u.Insecure, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:     true,
		DisableCompression:    true,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		ResponseHeaderTimeout: u.AnswerTimeout,
		ExpectContinueTimeout: 2 * time.Second,
		ReadBufferSize:        16 << 10,
		WriteBufferSize:       16 << 10,
	}
}

// CheckStatus returns an error for an answer that cannot be passed on.
func CheckStatus(r *http.Response) error {
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

// WithoutContinue is the answer to a request whose own server says 100 Continue, when the body is first read. That of
// the service would be a second one.
type WithoutContinue struct{ http.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w WithoutContinue) WriteHeader(status int) {
	if status != http.StatusContinue {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Unwrap lets http.ResponseController find what the writer can do.
func (w WithoutContinue) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// BoundHints returns a context for a request that ends with an error after too many answers of 1xx.
func BoundHints(ctx context.Context) context.Context {
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

// Buffers is a pool of buffers to copy with.
type Buffers struct{ pool sync.Pool }

// NewBuffers returns a pool of buffers of 32 KiB.
func NewBuffers() *Buffers {
	return &Buffers{sync.Pool{New: func() any { return new([32 << 10]byte) }}}
}

// Get implements httputil.BufferPool.
func (b *Buffers) Get() []byte { return b.pool.Get().(*[32 << 10]byte)[:] }

// Put implements httputil.BufferPool.
func (b *Buffers) Put(buffer []byte) { b.pool.Put((*[32 << 10]byte)(buffer)) }
