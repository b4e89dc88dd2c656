package process

import (
	"bufio"
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
