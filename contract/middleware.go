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

// Handler records what next serves, for tests of servers, such as a test double of the platform or a gateway before it.
// It does not change the behaviour of either side: streams stay streams, and the ResponseWriter keeps its optional
// interfaces. If a handler panics or takes over the connection, its exchange has no answer.
func (r *Recorder) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		e := &recordedExchange{exchange: recording.Exchange{
			Start: time.Now(),
			Request: recording.Request{
				Method: request.Method, URL: requestURL(request),
				Headers: append(headersOf(request.Header), [2]string{"Host", request.Host}),
			},
		}}
		if e.lengths[0] = request.ContentLength; request.ContentLength > 0 {
			e.addContentLength(request.ContentLength)
		}
		if request.Body != nil && request.Body != http.NoBody {
			e.request = &bodyCopy{ReadCloser: request.Body}
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
		answer := &pendingAnswer{recordedExchange: e, sent: w.Header()}
		next.ServeHTTP(answer.wrap(w), request)
		answer.end()
	})
}

// requestURL returns the address that a request to a server was sent to, as far as the server knows it.
func requestURL(request *http.Request) string {
	u := *request.URL
	if u.Host == "" {
		u.Scheme, u.Host = "http", request.Host
		if request.TLS != nil {
			u.Scheme = "https"
		}
	}
	return u.String()
}

// pendingAnswer is an answer that a handler is writing.
type pendingAnswer struct {
	*recordedExchange
	sent http.Header
	gone bool // the connection was taken over
}

// wrap returns a writer that copies the answer, with the optional interfaces of w, such as http.Flusher.
func (a *pendingAnswer) wrap(w http.ResponseWriter) http.ResponseWriter {
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
				return next(io.TeeReader(source, copyWriter{a.response}))
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

// begin records status and headers, once.
func (a *pendingAnswer) begin(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.exchange.Response == nil {
		a.exchange.Response = &recording.Response{Status: status, Headers: headersOf(a.sent)}
		a.response = &bodyCopy{}
	}
}

// end completes the answer after the handler has returned.
func (a *pendingAnswer) end() {
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
	a.addSniffedType()
}

// addSniffedType adds the Content-Type that package net/http sniffs if the handler has set none.
func (a *pendingAnswer) addSniffedType() {
	_, isSet := a.sent["Content-Type"]
	if kept := a.response.kept.Bytes(); !isSet && len(kept) > 0 && a.sent.Get("Content-Encoding") == "" {
		kind := [2]string{"Content-Type", http.DetectContentType(kept)}
		a.exchange.Response.Headers = append(a.exchange.Response.Headers, kind)
	}
}

// copyWriter writes to a copy.
type copyWriter struct{ *bodyCopy }

func (k copyWriter) Write(b []byte) (int, error) {
	k.keep(b)
	return len(b), nil
}
