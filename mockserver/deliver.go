package mockserver

import (
	"net/http"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/validate"
)

// chunk is the number of bytes of an answer that a client must read within one write timeout.
const chunk = 64 << 10

// deliver sends an answer that is in the journal, for as long as the client goes on taking it.
func (x *exchange) deliver(a validate.Answer) {
	x.server.sending.Add(1)
	defer x.server.sending.Add(-1)
	connection := http.NewResponseController(x.w)
	x.extend(connection)
	x.w.WriteHeader(a.Status)
	if x.parts == nil {
		_ = x.write(connection, a.Body) // a client that went away has its answer in the journal
		return
	}
	for _, part := range x.parts { // each as soon as the one before has gone
		x.extend(connection)
		if x.write(connection, part) != nil {
			return
		}
		_ = connection.Flush() // a writer that cannot flush has what was written all the same
	}
}

// write sends bytes in chunks, each with a deadline of its own.
func (x *exchange) write(connection *http.ResponseController, b []byte) error {
	for ; len(b) > chunk; b = b[chunk:] {
		if _, err := x.w.Write(b[:chunk]); err != nil {
			return err
		}
		x.extend(connection)
	}
	if len(b) == 0 { // as after a status that allows no body
		return nil
	}
	_, err := x.w.Write(b)
	return err
}

// extend sets the deadline of the next write. Writers within the process have none.
func (x *exchange) extend(connection *http.ResponseController) {
	_ = connection.SetWriteDeadline(clock.Wall().Add(x.server.writeTimeout))
}

// Undelivered returns the number of answers that are in the journal and that clients have not taken to the end yet.
func (s *Server) Undelivered() int { return int(s.sending.Load()) }
