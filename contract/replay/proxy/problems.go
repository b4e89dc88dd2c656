package proxy

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
)

// problem describes the reason for an answer of the proxy itself.
type problem struct {
	status  int
	kind    string // one word, in a header
	message string
}

// refuse answers for the proxy itself, in a form that no service has.
func (p *Proxy) refuse(w http.ResponseWriter, problem problem) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set(errorHeader, problem.kind)
	delete(header, "Date")
	w.WriteHeader(problem.status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"error": map[string]string{"kind": problem.kind, "message": "understudy proxy: " + problem.message},
	})
}

// problemOf says why there is no answer, or no more of it.
func (x *exchange) problemOf(err error) problem {
	host := x.target.root.Host
	say := func(status int, kind, format string, args ...any) problem {
		return problem{status, kind, fmt.Sprintf(format, args...)}
	}
	switch {
	case x.from.Err() != nil:
		return say(http.StatusBadGateway, "client", "the client closed the connection before the answer was complete")
	case x.broken.Load() != nil:
		return say(http.StatusBadRequest, "client", "the client did not send its request to the end")
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok && !name.IsTimeout {
		return say(http.StatusBadGateway, "dns", "the name %s cannot be resolved: %s", name.Name, name.Err)
	}
	if reason := tlsReason(err); reason != "" {
		return say(http.StatusBadGateway, "tls", "no secure connection to %s: %s", host, reason)
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, os.ErrDeadlineExceeded) {
		return say(http.StatusGatewayTimeout, "timeout", "%s did not answer in time: %v", host, err)
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return say(http.StatusBadGateway, "refused", "%s refused the connection", host)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return say(http.StatusBadGateway, "unreachable", "%s cannot be reached: %v", host, err)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		return say(http.StatusBadGateway, "reset", "%s closed the connection: %v", host, err)
	}
	return say(http.StatusBadGateway, "upstream", "no readable answer of %s: %v", host, err)
}

// tlsReason says why a connection is not secure; it is empty for other errors.
func tlsReason(err error) string {
	const own = "name its CA with --upstream-ca FILE, or trust it unseen with --insecure-upstream"
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return e.Error() + "; " + own
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return e.Error() + "; is it an http address?"
	}
	if e, ok := errors.AsType[tls.AlertError](err); ok {
		return e.Error()
	}
	return ""
}

// isAdmitted reports whether a request has the proxy's token, if there is one. Any other is refused.
func (p *Proxy) isAdmitted(w http.ResponseWriter, r *http.Request) bool {
	if p.config.Token == "" || p.hasToken(r.Header) {
		return true
	}
	w.Header()["Proxy-Authenticate"] = []string{`Basic realm="understudy proxy"`, `Bearer realm="understudy proxy"`}
	p.refuse(w, problem{
		status: http.StatusProxyAuthRequired, kind: "token",
		message: "want the token of the proxy, as Proxy-Authorization: Bearer TOKEN, as the password of Basic, or as " +
			tokenHeader + ": TOKEN",
	})
	return false
}

func (p *Proxy) hasToken(header http.Header) bool {
	for _, given := range append(header.Values(tokenHeader), proxyCredential(header.Get("Proxy-Authorization"))) {
		if subtle.ConstantTimeCompare([]byte(given), []byte(p.config.Token)) == 1 {
			return true
		}
	}
	return false
}

// proxyCredential returns the token in a Proxy-Authorization header: that of Bearer, or the password of Basic.
func proxyCredential(value string) string {
	scheme, rest, _ := strings.Cut(value, " ")
	switch strings.ToLower(scheme) {
	case "bearer":
		return strings.TrimSpace(rest)
	case "basic":
		plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		if err != nil {
			return ""
		}
		_, password, _ := strings.Cut(string(plain), ":")
		return password
	}
	return ""
}
