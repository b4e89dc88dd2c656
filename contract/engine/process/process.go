package process

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/internal/procgroup"
	"svc.example/understudy/internal/routine"
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
		e.isLost, e.about.Failure = true, err.Error()
		return nil, err
	}
	about.Failure = e.about.Failure
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
	e.about.Failure = err.Error()
	if e.ends > 1 {
		e.about.Failure += fmt.Sprintf("; it ended %d times", e.ends)
	}
	if e.ends >= e.config.Ends {
		e.isLost = true
		e.about.Failure += ", and was disabled"
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

func (s *schemas) RequestBody(contentType string, text []byte) ([]engine.Fault, error) {
	return s.ask(&call{Asks: requestBody, ContentType: contentType, Text: text})
}

func (s *schemas) ResponseBody(status int, contentType string, text []byte) ([]engine.Fault, error) {
	return s.ask(&call{Asks: responseBody, Status: status, ContentType: contentType, Text: text})
}

func (s *schemas) Parameters(r engine.Request) ([]engine.Fault, error) {
	return s.ask(&call{Asks: parameters, Request: r})
}

// errEnded reports that a child has ended by itself or was stopped.
var errEnded = errors.New("the engine's process ended")

// child is a process that answers calls.
type child struct {
	cmd     *exec.Cmd
	in      io.Closer
	out     *sender
	answers io.Closer // what the child writes
	timeout time.Duration
	known   map[uint64]bool // the operations that it was given, guarded by out.mu

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan *answer
	reason  string // why it was made to end

	done chan struct{} // closed when it has ended
	err  error         // then: why
}

// start starts a child, and waits until it has said hello.
func start(ctx context.Context, config *Config) (*child, engine.About, error) {
	c := &child{
		cmd: exec.CommandContext(ctx, config.Path, config.Args...), timeout: config.Timeout,
		known: map[uint64]bool{}, waiting: map[uint64]chan *answer{}, done: make(chan struct{}),
	}
	procgroup.Separate(c.cmd)
	c.cmd.Cancel = func() error { c.stop(ctx.Err().Error()); return nil }
	c.cmd.Env = append(os.Environ(), memoryVariable+"="+strconv.FormatUint(config.Memory, 10))
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, engine.About{}, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, engine.About{}, err
	}
	c.answers, c.in = out, in
	if err := c.cmd.Start(); err != nil {
		return nil, engine.About{}, err
	}
	c.out = &sender{Encoder: gob.NewEncoder(in)}
	timer := c.limit()
	defer timer.Stop()
	buffered := bufio.NewReader(out)
	about, err := readHello(buffered)
	if err != nil {
		c.stop(err.Error())
		c.reap()
		if errors.Is(err, errNoHello) {
			err = c.err
		}
		return nil, engine.About{}, err
	}
	new(routine.Group).GoThen(func() error {
		c.read(newReceiver(buffered))
		return nil
	}, func(err error) {
		if err != nil { // of the decoder
			c.stop("its answer cannot be read: " + routine.Brief(err))
			c.reap()
		}
	})
	return c, about, nil
}

// limit ends the child unless the timer is stopped within the time of a call.
func (c *child) limit() *time.Timer {
	return time.AfterFunc(c.timeout, func() { c.stop(fmt.Sprintf("it took longer than %v", c.timeout)) })
}

// stop makes the child end at once, with all processes that it has started. The first reason counts. Nothing more is
// read or written, since a process that has left the child's group may hold its input and output open.
func (c *child) stop(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason == "" {
		c.reason = reason
		_ = procgroup.Signal(c.cmd.Process, os.Kill) // it may have ended already
		_, _ = c.answers.Close(), c.in.Close()
	}
}

// reap waits for the end of the child, and sets the reason.
func (c *child) reap() {
	err := c.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	reason := c.reason
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		reason = exit.Error()
		if exit.ExitCode() == exitMemory {
			reason = "it exceeded its memory limit"
		}
	}
	c.err = fmt.Errorf("%w: %s", errEnded, reason)
	close(c.done)
}

// read delivers answers until the child ends, or sends what cannot be decoded.
func (c *child) read(answers *receiver) {
	for {
		a := &answer{}
		err := answers.next(a)
		if err == nil && c.deliver(a) {
			continue
		}
		reason := "it sent an invalid answer"
		if errors.Is(err, io.EOF) {
			reason = "it ended, or closed its output"
		}
		c.stop(reason)
		c.reap()
		return
	}
}

// deliver passes an answer to the call that waits for it, and reports whether there is one.
func (c *child) deliver(a *answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, ok := c.waiting[a.ID]
	if ok {
		delete(c.waiting, a.ID)
		waiting <- a
	}
	return ok
}

// ask sends a call and waits for its answer, or for the end of the child.
func (c *child) ask(question *call, op *engine.Operation) (*answer, error) {
	got := make(chan *answer, 1)
	c.mu.Lock()
	c.last++
	question.ID = c.last
	c.waiting[question.ID] = got
	c.mu.Unlock()
	timer := c.limit()
	defer timer.Stop()
	if err := c.send(question, op); err != nil {
		c.stop("it does not accept calls")
	}
	select {
	case a := <-got:
		return a, nil
	case <-c.done:
		return nil, c.err
	}
}

// send sends a call, with the operation if the child does not know it yet.
func (c *child) send(question *call, op *engine.Operation) error {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if !c.known[question.Schemas] {
		question.Operation = op
		c.known[question.Schemas] = true
	}
	return c.out.Encode(question)
}

func (c *child) hasEnded() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// close closes the input of the child, so that it ends.
func (c *child) close() {
	const patience = time.Second
	_ = c.in.Close()
	timer := time.AfterFunc(patience, func() { c.stop("it did not exit at the end of its input") })
	defer timer.Stop()
	<-c.done
}
