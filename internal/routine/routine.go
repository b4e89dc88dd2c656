// Package routine starts the goroutines of this module. They run in the processes of its users, such as a test: a
// panic in one of them must not end that process, so it becomes an error for whoever waits for the goroutine. A test
// holds that nothing else in the module has a go statement.
package routine

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// PanicError is the error that a panic became.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error. It has the stack, on lines of its own.
func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// Unwrap returns what was panicked with, if that is an error.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Brief returns the message of an error, without the stack if it is a panic.
func Brief(err error) string {
	if p, ok := errors.AsType[*PanicError](err); ok {
		return fmt.Sprintf("panic: %v", p.Value)
	}
	return err.Error()
}

// errExit is the error of a goroutine that was ended from within.
var errExit = errors.New("the goroutine was ended by runtime.Goexit, which FailNow, Fatal and Skip of a test call: " +
	"call these only from the goroutine of the test")

// Recover turns a panic into an error. It is to be deferred.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = &PanicError{p, debug.Stack()}
	}
}

// Try calls f, and returns its error, or its panic as one.
func Try(f func() error) (err error) {
	defer Recover(&err)
	return f()
}

// Group starts goroutines, counts those that run, and waits for them. The zero value is ready to use.
type Group struct {
	running atomic.Int64
	waiting atomic.Bool // whether Wait or WaitFor was ever called

	mu   sync.Mutex
	idle chan struct{} // closed as soon as nothing runs; nil while none waits for that
	err  error
}

// Go calls f in a goroutine. Wait returns its error, or its panic as one.
func (g *Group) Go(f func() error) { g.GoThen(f, g.keep) }

// GoThen calls f in a goroutine, and then ended, with the error of f, or with that of how else it came to its end. It
// calls ended in any case.
func (g *Group) GoThen(f func() error, ended func(error)) {
	g.Add()
	go func() {
		defer g.Done()
		err := errExit
		defer func() {
			if p := recover(); p != nil { // of ended
				g.keep(&PanicError{p, debug.Stack()})
			}
		}()
		defer func() {
			if p := recover(); p != nil {
				err = &PanicError{p, debug.Stack()}
			}
			ended(err)
		}()
		err = f()
	}()
}

// keep keeps the first error.
func (g *Group) keep(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
}

// Add counts what runs in a goroutine that the group has not started, until Done is called.
func (g *Group) Add() { g.running.Add(1) }

// Done is called once for each Add.
func (g *Group) Done() {
	if g.running.Add(-1) > 0 || !g.waiting.Load() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.idle != nil && g.running.Load() == 0 {
		close(g.idle)
		g.idle = nil
	}
}

// Wait waits until nothing runs, and returns the first error of a function of Go.
func (g *Group) Wait() error {
	for idle := g.whenIdle(); idle != nil; idle = g.whenIdle() {
		<-idle
	}
	return g.first()
}

// WaitFor waits as Wait does, but no longer than a limit. It also returns how many goroutines run still when that ends:
// none if nothing ran at any moment before, whatever has begun since.
func (g *Group) WaitFor(limit time.Duration) (left int, err error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for idle := g.whenIdle(); idle != nil; idle = g.whenIdle() {
		select {
		case <-idle:
		case <-timer.C:
			return int(g.running.Load()), g.first()
		}
	}
	return 0, g.first()
}

func (g *Group) first() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// whenIdle returns what is closed as soon as nothing runs, or nil if nothing does.
func (g *Group) whenIdle() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting.Store(true) // before it is asked whether anything runs, so that Done sees one or the other
	if g.running.Load() == 0 {
		return nil
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	return g.idle
}
