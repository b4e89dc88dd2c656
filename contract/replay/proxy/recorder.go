package proxy

import (
	"crypto/rand"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/internal/coding"
	"svc.example/understudy/internal/relay"
	"svc.example/understudy/internal/routine"
	"svc.example/understudy/internal/sink"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// recorder writes exchanges to a recording, numbered in the order in which they ended.
type recorder struct {
	sink     *sink.Sink
	redactor *recording.Redactor
	log      *slog.Logger
	lost     sync.Once
	large    chan struct{} // bounds how many large bodies are searched for secrets at a time, which takes memory

	mu   sync.Mutex
	last atomic.Int64 // the number of the last exchange
}

const (
	maxLarge = 4               // exchanges with large bodies that are searched at a time
	longest  = time.Second / 2 // that one waits until it is searched; afterwards its bodies are left out
)

func newRecorder(c *Config, targets []*relay.Target) *recorder {
	if c.Recording == nil {
		return nil
	}
	salt := c.Salt
	if salt == nil {
		salt = make([]byte, 16)
		_, _ = rand.Read(salt)
	}
	var documents []*specs.Document
	for _, t := range targets {
		documents = append(documents, t.Document)
	}
	return &recorder{
		large: make(chan struct{}, min(maxLarge, runtime.GOMAXPROCS(0))),
		sink:  sink.New(c.Recording, sink.Limits{}), log: c.Log,
		redactor: &recording.Redactor{Brand: c.Brand, Salt: salt, Decode: coding.Decode, Documents: documents},
	}
}

// write writes an exchange, without its secrets. It gives up what would take too long.
func (r *recorder) write(e *recording.Exchange, operation *specs.Operation, after int64) (err error) {
	defer func() {
		if err != nil {
			r.lost.Do(func() { r.log.Error("exchanges are not recorded", slog.Any("error", err)) })
		}
	}()
	line, err := r.line(e, operation)
	if err != nil {
		return r.sink.Lose(err)
	}
	r.mu.Lock() // until the line has its place
	seq := r.last.Load() + 1
	line, err = recording.Numbered(line, seq, seq-1-after)
	if err != nil {
		r.mu.Unlock()
		return r.sink.Lose(err)
	}
	r.last.Store(seq)
	return r.sink.Put(line, r.mu.Unlock)
}

// line returns an exchange as a line without a number. An exchange that cannot be read is lost, and no more than that.
func (r *recorder) line(e *recording.Exchange, operation *specs.Operation) (line []byte, err error) {
	redactor, isLarge := *r.redactor, false
	redactor.Room = func() bool {
		isLarge = r.hasRoom()
		return isLarge
	}
	defer func() {
		if isLarge {
			<-r.large
		}
	}()
	defer routine.Recover(&err)
	return recording.Line(redactor.Redact(e, operation))
}

// hasRoom waits until a large body may be searched, and reports whether it may be.
func (r *recorder) hasRoom() bool {
	select {
	case r.large <- struct{}{}:
		return true
	case <-time.After(longest):
		return false
	}
}

// plain returns a text without credentials, for the log and for notes.
func (p *Proxy) plain(text string) string {
	redactor := recording.Redactor{Brand: p.config.Brand, Salt: []byte(p.relay.ID())}
	return redactor.Text(text)
}

func (r *recorder) counts() sink.Counts {
	if r == nil {
		return sink.Counts{}
	}
	return r.sink.Counts()
}

func (r *recorder) close() error {
	if r == nil {
		return nil
	}
	return r.sink.Close()
}
