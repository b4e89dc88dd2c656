package pipeline

import (
	"encoding/json"
	"errors"
	"sync"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checkflags"
)

// Options are those of a contract.Checker in a form that travels to workers as JSON. Files in it are read by each
// worker, under the same name. Run makes the salt if there is none, and what is guessed.
type Options = checkflags.Options

// Severity is that of the findings of a rule for operations, as contract.WithSeverity takes them.
type Severity = checkflags.Severity

func newChecker(o *Options) (*contract.Checker, error) { return contract.NewChecker(o.List()...) }

// checkers holds a checker for each set of options, because a process has many workers, and a checker takes its time
// and memory to make.
type checkers struct {
	mu   sync.Mutex
	made map[string]func() (*contract.Checker, error)
}

// perProcess is a variable because Beam makes the functions of workers out of their JSON alone.
var perProcess = checkers{made: map[string]func() (*contract.Checker, error){}}

// shared returns the checker of this process for some options.
func shared(o *Options) (*contract.Checker, error) {
	key, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if len(o.Salt) == 0 {
		return nil, errors.New("want a salt, which is the same for all workers")
	}
	perProcess.mu.Lock()
	made, ok := perProcess.made[string(key)]
	if !ok {
		made = sync.OnceValues(func() (*contract.Checker, error) {
			c, err := newChecker(o)
			if err != nil {
				return nil, err
			}
			return c.WithGuessed(o.Guessed), nil
		})
		perProcess.made[string(key)] = made
	}
	perProcess.mu.Unlock()
	return made()
}
