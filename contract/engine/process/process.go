package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"svc.example/understudy/contract/engine"
)

// Config holds the executable of an engine and its limits. Limits of zero have defaults.
type Config struct {
	Path string // of the executable
	Args []string
	Name string // of the engine, until the child has said it

	Timeout time.Duration // of one call, and of the start; 10 s
	Memory  uint64        // bytes; 1 GiB
	Ends    int           // how often the child may end before it is given up; 3
}

// Engine is an engine in a child process. The child is started with the first call, and anew with the next call after
// it has ended in one.
type Engine struct {
	ctx    context.Context // of the child
	config Config

	mu       sync.Mutex
	child    *child // nil when none runs
	about    engine.About
	ends     int
	isClosed bool
	isLost   bool // given up
	numbers  uint64
}

// New returns an engine that runs an executable. The child ends with the context at the latest.
func New(ctx context.Context, config Config) *Engine {
	config.Timeout = cmp.Or(config.Timeout, 10*time.Second)
	config.Memory = cmp.Or(config.Memory, 1<<30)
	config.Ends = cmp.Or(config.Ends, 3)
	return &Engine{ctx: ctx, config: config, about: engine.About{Name: config.Name}}
}

// About implements engine.Engine.
func (e *Engine) About() engine.About {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.about
}

// Load implements engine.Engine. The child loads an operation when it is first asked about it.
func (e *Engine) Load(op engine.Operation) (engine.Schemas, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.numbers++
	return &schemas{engine: e, number: e.numbers, op: op}, nil
}

// Close ends the child. Calls under way, and later ones, have no answer.
func (e *Engine) Close() {
	e.mu.Lock()
	child := e.child
	e.child, e.isClosed = nil, true
	e.mu.Unlock()
	if child != nil {
		child.close()
	}
}

var (
	errClosed = errors.New("the engine is closed")
	errLost   = errors.New("the engine was disabled after too many failures")
)

// ask sends a call to the child, which is started if none runs.
func (e *Engine) ask(c *call, op *engine.Operation) ([]engine.Fault, error) {
	child, err := e.running()
	if err != nil {
		return nil, err
	}
	a, err := child.ask(c, op)
	if err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.countEnd(child)
		return nil, err
	}
	if a.Error != "" {
		return nil, errors.New(a.Error)
	}
	return a.Faults, nil
}

// running returns the child that runs, or a new one.
func (e *Engine) running() (*child, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.child != nil && e.child.hasEnded() {
		e.countEnd(e.child)
	}
	switch {
	case e.isClosed || e.ctx.Err() != nil:
		return nil, errClosed
	case e.isLost:
		return nil, errLost
	case e.child != nil:
		return e.child, nil
	}
	child, about, err := start(e.ctx, &e.config)
	if errors.Is(err, errEnded) {
		e.count(err)
		return nil, err
	}
	if err != nil { // it would be the same the next time
		e.isLost, e.about.Trouble = true, err.Error()
		return nil, err
	}
	about.Trouble = e.about.Trouble
	e.child, e.about = child, about
	return child, nil
}

// countEnd counts the end of a child, once.
func (e *Engine) countEnd(c *child) {
	if e.child == c && !e.isClosed {
		e.child = nil
		e.count(c.err)
	}
}

func (e *Engine) count(err error) {
	if e.ctx.Err() != nil {
		return
	}
	e.ends++
	e.about.Trouble = err.Error()
	if e.ends > 1 {
		e.about.Trouble += fmt.Sprintf("; it ended %d times", e.ends)
	}
	if e.ends >= e.config.Ends {
		e.isLost = true
		e.about.Trouble += ", and was disabled"
	}
}

// schemas refers to the schemas of one operation in the child.
type schemas struct {
	engine *Engine
	number uint64
	op     engine.Operation
}

func (s *schemas) ask(c *call) ([]engine.Fault, error) {
	c.Schemas = s.number
	return s.engine.ask(c, &s.op)
}

// RequestBody implements engine.Schemas.
func (s *schemas) RequestBody(contentType string, text []byte) ([]engine.Fault, error) {
	return s.ask(&call{Asks: requestBody, ContentType: contentType, Text: text})
}

// ResponseBody implements engine.Schemas.
func (s *schemas) ResponseBody(status int, contentType string, text []byte) ([]engine.Fault, error) {
	return s.ask(&call{Asks: responseBody, Status: status, ContentType: contentType, Text: text})
}

// Parameters implements engine.Schemas.
func (s *schemas) Parameters(r engine.Request) ([]engine.Fault, error) {
	return s.ask(&call{Asks: parameters, Request: r})
}
