package relay

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

// ErrorHeader is in answers that are not the service's. Its value is the kind of a Problem.
const ErrorHeader = "X-Understudy-Error"

// Problem describes why a service did not answer, or why its answer broke off.
type Problem struct {
	Status  int    // for the client
	Kind    string // one word: dns, refused, unreachable, tls, timeout, reset, upstream or client
	Message string
}

// problem says why the service has not answered, or not to the end.
func (p *Passage) problem(err error) Problem {
	if p.from.Err() == nil && p.broken.Load() != nil {
		return Problem{http.StatusBadRequest, "client", "the client did not send its request to the end"}
	}
	return ProblemOf(p.from, p.Target.Root.Host, err)
}

// ProblemOf says why a host has not answered a request with this context, or not to the end.
func ProblemOf(ctx context.Context, host string, err error) Problem {
	say := func(status int, kind, format string, args ...any) Problem {
		return Problem{status, kind, fmt.Sprintf(format, args...)}
	}
	if ctx.Err() != nil {
		return say(http.StatusBadGateway, "client", "the client closed the connection before the answer was complete")
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
