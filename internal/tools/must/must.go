// Package must ends what a tool tries at its first error, as a test ends with Fatal: helpers need not pass errors on.
package must

import (
	"fmt"
	"sync"
)

// failure is the value of the panic that ends an attempt.
type failure struct{ error }

// Do ends the attempt by an error.
func Do(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Get returns a value, or ends the attempt by an error.
func Get[T any](value T, err error) T {
	Do(err)
	return value
}

// Fatalf ends the attempt by an error of this text.
func Fatalf(format string, args ...any) { Do(fmt.Errorf(format, args...)) }

// In puts a text before the error by which a part of an attempt ends it.
func In(what string, part func()) {
	if err := Catch(part); err != nil {
		Fatalf("%s: %w", what, err)
	}
}

// Catch makes an attempt, and returns the error that has ended it.
func Catch(attempt func()) (err error) {
	defer func() {
		switch problem := recover().(type) {
		case nil:
		case failure:
			err = problem.error
		default:
			panic(problem)
		}
	}()
	attempt()
	return nil
}

// Together calls a function for each number below n, all at the same time. The first error by number ends the attempt,
// once all calls have ended.
func Together(n int, do func(int)) {
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = Catch(func() { do(i) }) })
	}
	wg.Wait()
	for _, err := range errs {
		Do(err)
	}
}
