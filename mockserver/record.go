package mockserver

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"svc.example/understudy/internal/routine"
	"svc.example/understudy/internal/sink"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/control"
	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/specs/recording"
)

// unrecordedHeader is in the answers that are not in the recording, though there is to be one. It says why not.
const unrecordedHeader = "X-Understudy-Unrecorded"

// recorder writes exchanges to a recording.
type recorder struct {
	server *Server
	sink   *sink.Sink
	lost   sync.Once
}

func (s *Server) newRecorder() *recorder {
	if s.recording == nil {
		return nil
	}
	return &recorder{server: s, sink: sink.New(s.recording, sink.Limits{})}
}

// commit puts the headers of the answer in place and notes the exchange. It returns the exchange's number, 0 without a
// journal.
func (x *exchange) commit(a answer) (seq int64) {
	header := x.w.Header()
	a.addHeaders(header)
	if x.fault != nil {
		header[recording.FaultHeader] = []string{x.fault.String()}
	}
	return x.note(a)
}

// note enters the exchange into its journal and, if there is to be one, writes it to the recording. It returns the
// exchange's number, which it puts into the headers of the answer; 0 without a journal. The journal is not held while
// secrets are taken out and while the line is written.
func (x *exchange) note(a answer) (seq int64) {
	if x.isAside {
		return 0
	}
	header, over := x.w.Header(), clock.Wall()
	x.took = over.Sub(x.began)
	x.count(a.Status)
	if x.visit.world == nil {
		return 0
	}
	if e := x.entry(a, over); x.server.recorder == nil {
		seq = x.visit.world.Journal.Commit(e)
	} else {
		var turn *journal.Turn
		seq, turn = x.visit.world.Journal.CommitInTurn(e)
		if err := x.server.recorder.write(e, turn); err != nil {
			header[unrecordedHeader] = []string{oneLine(err.Error())}
		}
	}
	header[exchangeHeader] = []string{strconv.FormatInt(seq, 10)}
	return seq
}

func (x *exchange) entry(a answer, over time.Time) *journal.Entry {
	path, _ := x.path()
	e := &journal.Entry{
		After: x.visit.after, Start: x.visit.start, End: x.visit.world.Peek().Clock.At(over),
		Received: x.began, Took: x.took, World: x.visit.world.ID, Epoch: x.visit.epoch,
		Seed: x.visit.seed, Operation: x.match.Operation, Method: x.r.Method, URL: x.url(), Path: path, Key: x.key,
		Host: x.r.Host, RequestHeader: x.r.Header,
		RequestBody: x.body.bytes, Truncated: x.body.isCut,
		Status: a.Status, ResponseHeader: a.Header, ResponseBody: a.Body, ResponseCut: a.isCut,
		Notes: a.notes, Before: x.visit.moment(),
	}
	if x.fault != nil {
		e.Fault, e.ResponseCut = x.fault.String(), x.fault.cut
		e.Took += x.fault.delay
	}
	return e
}

// write writes an exchange after those of its world that came before. It gives up what would take too long.
func (r *recorder) write(e *journal.Entry, turn *journal.Turn) (err error) {
	defer turn.End()
	defer func() {
		if err != nil {
			r.lost.Do(func() {
				r.server.fail("answers are not recorded", slog.Int64("exchange", e.Seq), slog.Any("error", err))
			})
		}
	}()
	line, err := r.line(e)
	if err != nil {
		return r.sink.Lose(err)
	}
	turn.Wait(sink.DefaultWait)
	return r.sink.Put(line, turn.End)
}

// line returns an exchange as a line, without secrets.
func (r *recorder) line(e *journal.Entry) (text []byte, err error) {
	defer routine.Recover(&err)
	return recording.Line(r.server.redacted(e))
}

// close waits for what is still to be written, and says how many exchanges are not in the recording.
func (r *recorder) close() error {
	if r == nil {
		return nil
	}
	return r.sink.Close()
}

// recordingState returns how much of what was answered is in the recording; nil when there is none.
func (s *Server) recordingState() *control.Recording {
	if s.recorder == nil {
		return nil
	}
	counts := s.recorder.sink.Counts()
	state := &control.Recording{Recorded: counts.Written, Unrecorded: counts.Lost}
	if counts.Err != nil {
		state.Error = counts.Err.Error()
	}
	return state
}

// oneLine makes a text fit for the value of a header.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, text)
}

// Bounds of what a failed test logs of the exchanges in its worlds.
const (
	toldWorlds    = 5
	toldExchanges = 10
	toldBytes     = 300 // of a body
)

// logLastExchanges logs the last exchanges of each world when a test has failed, without secrets.
func (s *Server) logLastExchanges(tb testing.TB) {
	tb.Helper()
	logged := 0
	for _, w := range s.worlds.List() {
		entries := w.Journal.Entries()
		if len(entries) == 0 {
			continue
		}
		if logged++; logged > toldWorlds {
			tb.Log("understudy: more worlds have exchanges")
			return
		}
		var text strings.Builder
		fmt.Fprintf(&text, "understudy: the last exchanges of world %s", w.ID)
		for _, e := range entries[max(0, len(entries)-toldExchanges):] {
			describe(&text, s.redacted(e))
		}
		tb.Log(text.String())
	}
}

// describe writes an exchange as a few lines: what was asked and answered, the beginnings of both bodies, and notes.
func describe(text *strings.Builder, e *recording.Exchange) {
	fmt.Fprintf(text, "\n#%d %s %s → ", e.Seq, e.Request.Method, e.Request.URL)
	response := e.Response
	if response == nil {
		response = &recording.Response{}
		text.WriteString("no response")
	} else {
		fmt.Fprint(text, response.Status)
	}
	if e.Operation != "" {
		fmt.Fprintf(text, " (%s)", e.Operation)
	}
	if body := beginning(e.Request.Body); body != "" {
		fmt.Fprintf(text, "\n    > %s", body)
	}
	if body := beginning(response.Body); body != "" {
		fmt.Fprintf(text, "\n    < %s", body)
	}
	if e.Fault != "" {
		fmt.Fprintf(text, "\n    fault: %s", e.Fault)
	}
	for _, note := range e.Notes {
		fmt.Fprintf(text, "\n    note: %s", note)
	}
}

// beginning returns the beginning of a body in one line, or its size if it is not text.
func beginning(body *recording.Body) string {
	switch {
	case body == nil || len(body.Bytes) == 0:
		return ""
	case !utf8.Valid(body.Bytes):
		return fmt.Sprintf("%d bytes", len(body.Bytes))
	}
	text, more := string(body.Bytes), ""
	if len(text) > toldBytes {
		text, more = strings.ToValidUTF8(text[:toldBytes], ""), "…"
	}
	return strings.Join(strings.Fields(text), " ") + more
}

// arrival notes that a request comes in, and returns the time.
func (s *Server) arrival() time.Time {
	now := clock.Wall()
	s.arrived.Store(now.UnixNano())
	return now
}

// busy reports whether requests come in one after another.
func (s *Server) busy() bool {
	return clock.Wall().UnixNano()-s.arrived.Load() < int64(2*time.Millisecond)
}
