package process

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"sync"

	"svc.example/understudy/contract/engine"
)

// Serve answers the calls of a client until its input ends. It does not wait for calls under way then, since nothing
// reads their answers.
func Serve(in io.Reader, out io.Writer, e engine.Engine) error {
	about := e.About()
	if _, err := fmt.Fprintf(out, "%s %d %s %s\n", greeting, protocol, about.Name, about.Version); err != nil {
		return err
	}
	s := &server{
		engine: e, out: &sender{Encoder: gob.NewEncoder(out)},
		loads: map[uint64]func() (engine.Schemas, error){},
	}
	for calls := newReceiver(in); ; {
		c := &call{}
		if err := calls.next(c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a call: %w", err)
		}
		load := s.load(c)
		go func() { _ = s.out.send(answerTo(c, load)) }() // a client that is gone has closed the input, too
	}
}

type server struct {
	engine engine.Engine
	out    *sender
	loads  map[uint64]func() (engine.Schemas, error) // by the numbers that the client gave to operations
}

// load returns the function that loads the operation of a call, once.
func (s *server) load(c *call) func() (engine.Schemas, error) {
	if op := c.Operation; op != nil {
		s.loads[c.Schemas] = sync.OnceValues(func() (engine.Schemas, error) { return s.engine.Load(*op) })
	}
	return s.loads[c.Schemas]
}

func answerTo(c *call, load func() (engine.Schemas, error)) *answer {
	faults, err := judge(c, load)
	a := &answer{ID: c.ID, Faults: faults}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

func judge(c *call, load func() (engine.Schemas, error)) ([]engine.Fault, error) {
	if load == nil {
		return nil, fmt.Errorf("unknown operation %d", c.Schemas)
	}
	schemas, err := load()
	if err != nil {
		return nil, err
	}
	switch c.Asks {
	case requestBody:
		return schemas.RequestBody(c.ContentType, c.Text)
	case responseBody:
		return schemas.ResponseBody(c.Status, c.ContentType, c.Text)
	case parameters:
		return schemas.Parameters(c.Request)
	}
	return nil, fmt.Errorf("unknown kind of call %d", c.Asks)
}
