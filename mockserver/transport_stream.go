package mockserver

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"sync"
)

// roundTripLive serves a request for a client in the same process that may read the answer while it is written. The
// response is there with the first flush, or with the end of the answer. The context of a handler that goes on ends
// when the body is closed, when the context of the request ends, or when the server is closed; what it writes then is
// dropped.
func roundTripLive(s *Server, r, in *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(in.Context())
	leave := func() { cancel(nil) }
	w := newLiveWriter()
	forget := context.AfterFunc(s.stopping, func() { cancel(errClosed) })
	stop := context.AfterFunc(ctx, func() { w.end(in.Context().Err()) }) // the client may not be reading
	ended := make(chan error, 1)
	s.routines.GoThen(func() error {
		s.ServeHTTP(w, in.WithContext(ctx))
		return nil
	}, func(err error) {
		err = s.unanswered(&w.responseWriter, r, err)
		forget()
		stop()
		w.end(cmp.Or(err, in.Context().Err()))
		leave()
		ended <- err
	})
	select {
	case <-w.flushed:
		return w.live(r, leave), nil
	case err := <-ended:
		switch {
		case err != nil:
			return nil, err
		case w.sent != nil: // both at once
			return w.live(r, leave), nil
		}
		return w.response(r), nil
	case <-in.Context().Done():
		leave()
		return nil, in.Context().Err()
	}
}

// liveWriter keeps what a handler writes until it is flushed. What is written then goes to a pipe.
type liveWriter struct {
	responseWriter
	flushed chan struct{} // closed by the first flush
	begin   sync.Once
	sent    http.Header // as they were then
	reader  *io.PipeReader
	pipe    *io.PipeWriter
}

func newLiveWriter() *liveWriter {
	w := &liveWriter{responseWriter: responseWriter{header: http.Header{}}, flushed: make(chan struct{})}
	w.reader, w.pipe = io.Pipe()
	return w
}

// Write implements http.ResponseWriter.
func (w *liveWriter) Write(b []byte) (int, error) {
	if w.sent != nil {
		return w.pipe.Write(b)
	}
	return w.responseWriter.Write(b)
}

// Flush implements http.Flusher.
func (w *liveWriter) Flush() {
	w.begin.Do(func() {
		w.WriteHeader(http.StatusOK)
		w.sent = w.header.Clone()
		close(w.flushed)
	})
}

// end ends the answer. A reader gets the error, or io.EOF without one.
func (w *liveWriter) end(err error) { _ = w.pipe.CloseWithError(err) } // which never fails

// live returns the response of a handler that has flushed, and may still be writing.
func (w *liveWriter) live(r *http.Request, leave context.CancelFunc) *http.Response {
	begun := w.body
	writing := responseWriter{header: w.sent, status: w.status}
	response := writing.response(r)
	response.ContentLength = -1
	response.Body = &liveBody{io.MultiReader(bytes.NewReader(begun), w.reader), w.reader, leave}
	return response
}

// liveBody is the body of an answer that is written while it is read.
type liveBody struct {
	io.Reader
	pipe  *io.PipeReader
	leave context.CancelFunc
}

// Close implements io.Closer. It ends the handler, too.
func (b *liveBody) Close() error {
	b.leave()
	return b.pipe.Close()
}
