package mockserver

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// roundTripLive serves a request for a client in the same process that may read the answer while it is written. The
// response is there with the first flush, or with the end of the answer. A handler that goes on ends when the body is
// closed, when the context of the request ends, or when the server is closed.
func roundTripLive(s *Server, r, in *http.Request) (*http.Response, error) {
	ctx, leave := context.WithCancel(context.WithValue(in.Context(), stoppingKey{}, s.stopping))
	w := newLiveWriter()
	go func() {
		defer leave()
		s.ServeHTTP(w, in.WithContext(ctx))
		w.end(in.Context().Err())
	}()
	<-w.begun
	switch err := in.Context().Err(); {
	case err != nil:
		leave()
		return nil, err
	case !w.isLive:
		return w.response(r), nil
	}
	context.AfterFunc(ctx, func() { w.end(in.Context().Err()) }) // a handler may wait for the reader
	response := w.response(r)
	response.ContentLength = -1
	response.Body = &liveBody{w.reader, leave}
	return response, nil
}

// liveWriter keeps what a handler writes until it is flushed. What is written then goes to a pipe.
type liveWriter struct {
	responseWriter
	begun  chan struct{} // closed when there is a response
	begin  sync.Once
	isLive bool // whether it was flushed before its end
	reader *io.PipeReader
	pipe   *io.PipeWriter
}

func newLiveWriter() *liveWriter {
	w := &liveWriter{responseWriter: responseWriter{header: http.Header{}}, begun: make(chan struct{})}
	w.reader, w.pipe = io.Pipe()
	return w
}

// Write implements http.ResponseWriter.
func (w *liveWriter) Write(b []byte) (int, error) {
	if w.isLive {
		return w.pipe.Write(b)
	}
	return w.responseWriter.Write(b)
}

// Flush implements http.Flusher.
func (w *liveWriter) Flush() {
	w.begin.Do(func() {
		w.isLive = true
		close(w.begun)
	})
}

// end ends the answer. A reader gets the error, or io.EOF without one.
func (w *liveWriter) end(err error) {
	_ = w.pipe.CloseWithError(err) // which never fails
	w.begin.Do(func() { close(w.begun) })
}

// liveBody is the body of an answer that is written while it is read.
type liveBody struct {
	*io.PipeReader
	leave context.CancelFunc
}

// Close implements io.Closer. It ends the handler, too.
func (b *liveBody) Close() error {
	b.leave()
	return b.PipeReader.Close()
}
