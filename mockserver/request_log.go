package mockserver

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"golang.org/x/time/rate"

	"svc.example/understudy/mockserver/internal/meter"
	"svc.example/understudy/specs/recording"
)

// Refusals are logged at first, and then as many a second; a client that floods the mock does not flood its log.
const (
	refusalsAtFirst = 1000
	refusalsASecond = 100
)

// requestLog writes a line for each request: at level info for one that was refused, or was off the contract, and at
// level debug for the rest.
type requestLog struct {
	server  *Server
	allowed *rate.Limiter
}

// write logs an exchange that has its answer. Secrets are taken out first.
func (l *requestLog) write(x *exchange, a answer, seq int64) {
	level := slog.LevelDebug
	if a.reason != "" || a.isOff {
		level = slog.LevelInfo
	}
	if x.isAside || !l.enabled(level) {
		return
	}
	clean := l.server.redactor(x.visit.seed)
	request := &recording.Exchange{Request: recording.Request{Method: x.r.Method, URL: x.url()}}
	attrs := []slog.Attr{
		slog.String("method", x.r.Method), slog.String("url", clean.Redact(request, x.match.Operation).Request.URL),
		slog.Int("status", a.Status), x.named(),
	}
	if x.visit.world != nil {
		attrs = append(attrs, slog.String("world", x.visit.world.ID), slog.Int64("exchange", seq))
	}
	attrs = append(attrs, slog.Duration("took", x.took))
	if x.fault != nil {
		attrs = append(attrs, slog.String("fault", x.fault.String()))
	}
	if a.reason != "" {
		attrs = append(attrs, slog.String("reason", clean.Text(a.reason)))
	}
	if nearest := a.nearest(); nearest != "" {
		attrs = append(attrs, slog.String("nearest", nearest))
	}
	if len(a.notes) > 0 {
		attrs = append(attrs, slog.String("notes", clean.Text(strings.Join(a.notes, "; "))))
	}
	l.server.log.LogAttrs(context.Background(), level, "request", attrs...)
}

// count counts an exchange with the fault that was applied to it, and the time until the first byte of its answer.
func (x *exchange) count(status int) {
	id := meter.Unknown
	if x.match.Operation != nil {
		id = x.match.Operation.ID
	}
	x.meters[id].Count(status, x.took)
	if x.fault != nil {
		x.server.meters.CountFault(x.Name, x.fault.Fault)
	}
}

// unknown logs a request that no interface answers.
func (l *requestLog) unknown(r *http.Request) {
	if l.enabled(slog.LevelInfo) {
		l.server.log.Info("request", "method", r.Method, "host", r.Host, "path", r.URL.Path, "status", http.StatusNotFound,
			"reason", "no interface is served here")
	}
}

// enabled reports whether a line is to be written. At level debug all are.
func (l *requestLog) enabled(level slog.Level) bool {
	log := l.server.log
	return log.Enabled(context.Background(), level) &&
		(level < slog.LevelInfo || log.Enabled(context.Background(), slog.LevelDebug) || l.allowed.Allow())
}

// named returns the operation, or the interface if the request fits none.
func (x *exchange) named() slog.Attr {
	if x.match.Operation == nil {
		return slog.String("interface", string(x.Name))
	}
	return slog.String("operation", x.match.Operation.Name())
}

// nearest returns the operation that is nearest to a request which fits none.
func (a *answer) nearest() string {
	for _, line := range a.Header {
		if line[0] == nearestHeader {
			return line[1]
		}
	}
	return ""
}
