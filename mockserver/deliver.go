package mockserver

import (
	"net/http"

	"svc.example/understudy/mockserver/internal/clock"
)

// maxWrite is the number of bytes of an answer that a client must read within one write timeout.
const maxWrite = 64 << 10

// write sends an answer that is in the journal, for as long as the client goes on taking it.
func (x *exchange) write(a answer) {
	if a.stream != nil {
		x.stream(a)
		return
	}
	x.server.sending.Add(1)
	defer x.server.sending.Add(-1)
	connection := http.NewResponseController(x.w)
	x.extend(connection)
	x.w.WriteHeader(a.Status)
	if a.chunks == nil {
		_ = x.send(connection, a.Body) // a client that went away has its answer in the journal
		return
	}
	for _, chunk := range a.chunks { // each as soon as the one before has gone
		x.extend(connection)
		if x.send(connection, chunk) != nil {
			return
		}
		_ = connection.Flush() // a writer that cannot flush has what was written all the same
	}
}

// send sends bytes in chunks, each with a deadline of its own.
func (x *exchange) send(connection *http.ResponseController, b []byte) error {
	for ; len(b) > maxWrite; b = b[maxWrite:] {
		if _, err := x.w.Write(b[:maxWrite]); err != nil {
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
