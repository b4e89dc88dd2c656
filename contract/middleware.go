package contract

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/felixge/httpsnoop"

	"svc.example/understudy/specs/recording"
)

// Handler records what next serves, for tests of servers: of a double of the platform, or of a gateway before it. Like
// RoundTrip it changes nothing for either side: streams stay streams, and what next can do with its ResponseWriter it
// can do still. A handler that panics, or takes over the connection, leaves an exchange without an answer.
func (r *Recorder) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		e := &entry{exchange: recording.Exchange{
			Start: time.Now(),
			Request: recording.Request{
				Method: request.Method, URL: sentTo(request),
				Headers: append(headersOf(request.Header), [2]string{"Host", request.Host}),
			},
		}}
		if e.lengths[0] = request.ContentLength; request.ContentLength > 0 {
			e.declare(request.ContentLength)
		}
		if request.Body != nil && request.Body != http.NoBody {
			e.request = &copied{ReadCloser: request.Body}
			request = request.WithContext(request.Context()) // a copy: the server's own stays as it is
			request.Body = e.request
		}
		e.lengths[1] = -1
		defer func() { // also when the handler panics
			if e.mu.Lock(); !e.done {
				e.exchange.End = time.Now()
			}
			e.mu.Unlock()
			r.add(e)
		}()
		answer := &answering{entry: e, sent: w.Header()}
		next.ServeHTTP(answer.wrap(w), request)
		answer.end()
	})
}

// sentTo returns the address that a request of a server was sent to, as far as the server knows.
func sentTo(request *http.Request) string {
	u := *request.URL
	if u.Host == "" {
		u.Scheme, u.Host = "http", request.Host
		if request.TLS != nil {
			u.Scheme = "https"
		}
	}
	return u.String()
}

// answering is an answer that is being written.
type answering struct {
	*entry
	sent http.Header
	gone bool // the connection was taken over
}

// wrap copies what is written. What the writer can do beyond that, such as flushing, it can do still.
func (a *answering) wrap(w http.ResponseWriter) http.ResponseWriter {
	return httpsnoop.Wrap(w, httpsnoop.Hooks{
		WriteHeader: func(next httpsnoop.WriteHeaderFunc) httpsnoop.WriteHeaderFunc {
			return func(status int) {
				if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
					a.begin(status)
				}
				next(status)
			}
		},
		Write: func(next httpsnoop.WriteFunc) httpsnoop.WriteFunc {
			return func(b []byte) (int, error) {
				a.begin(http.StatusOK)
				n, err := next(b)
				a.response.keep(b[:n])
				return n, err
			}
		},
		ReadFrom: func(next httpsnoop.ReadFromFunc) httpsnoop.ReadFromFunc {
			return func(source io.Reader) (int64, error) {
				a.begin(http.StatusOK)
				return next(io.TeeReader(source, keeper{a.response}))
			}
		},
		Hijack: func(next httpsnoop.HijackFunc) httpsnoop.HijackFunc {
			return func() (net.Conn, *bufio.ReadWriter, error) {
				conn, buffer, err := next()
				a.gone = a.gone || err == nil
				return conn, buffer, err
			}
		},
	})
}

// begin keeps the head of the answer, once.
func (a *answering) begin(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.exchange.Response == nil {
		a.exchange.Response = &recording.Response{Status: status, Headers: headersOf(a.sent)}
		a.response = &copied{}
	}
}

// end is called when the handler has returned, so that the answer is whole.
func (a *answering) end() {
	if a.gone {
		return
	}
	a.begin(http.StatusOK)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done, a.exchange.End = true, time.Now()
	if a.exchange.Request.Method == http.MethodHead {
		a.response = nil
		return
	}
	a.response.whole = true
	a.sniff()
}

// sniff adds the Content-Type that the server of package net/http guesses when the handler has set none.
func (a *answering) sniff() {
	_, isSet := a.sent["Content-Type"]
	if kept := a.response.kept.Bytes(); !isSet && len(kept) > 0 && a.sent.Get("Content-Encoding") == "" {
		kind := [2]string{"Content-Type", http.DetectContentType(kept)}
		a.exchange.Response.Headers = append(a.exchange.Response.Headers, kind)
	}
}

// keeper keeps what is written to it.
type keeper struct{ *copied }

func (k keeper) Write(b []byte) (int, error) {
	k.keep(b)
	return len(b), nil
}
