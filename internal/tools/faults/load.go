package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"svc.example/understudy/specs/recording"
)

// exchange is the name of an exchange: its number in its world.
type exchange struct {
	world string
	seq   int64
}

// answered lists the exchanges whose answers clients have read to the end.
type answered struct {
	mu         sync.Mutex
	recorded   []exchange // whose answers do not say that they are not recorded
	unrecorded []exchange // whose answers do
	times      times
}

// add adds an answer.
func (s *answered) add(world string, a answer) error {
	seq, err := strconv.ParseInt(a.header.Get("X-Understudy-Exchange"), 10, 64)
	if err != nil {
		return fmt.Errorf("the answer has no number: %w", err)
	}
	s.times.add(a.took)
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.header.Get("X-Understudy-Unrecorded") != "" {
		s.unrecorded = append(s.unrecorded, exchange{world, seq})
	} else {
		s.recorded = append(s.recorded, exchange{world, seq})
	}
	return nil
}

// all returns the number of answers.
func (s *answered) all() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.recorded) + len(s.unrecorded)
}

// newWorlds makes worlds that a load can be put on.
func (m *mock) newWorlds(ctx context.Context, n int) (worlds []string, err error) {
	for i := range n {
		worlds = append(worlds, fmt.Sprint("w", i))
		body := fmt.Sprintf(`{"id":%q,"scenario":"empty"}`, worlds[i])
		if _, err := m.want(ctx, http.StatusCreated, http.MethodPost, control+"/worlds", body); err != nil {
			return nil, err
		}
	}
	return worlds, nil
}

// loadStep returns the n-th request of a load: all of them succeed, and some change the world.
func loadStep(n int) step {
	switch n % 5 {
	case 0:
		return step{200, http.MethodPost, fmt.Sprint("/core/v3/database/create/load", n), ""}
	case 1:
		return step{200, http.MethodGet, "/workflow/api/pools", ""}
	case 2:
		return step{200, http.MethodGet, "/core/v3/database/list", ""}
	case 3:
		return step{200, http.MethodGet, "/core/v3/job/list", ""}
	}
	return step{200, http.MethodGet, "/workflow/api/pools/1", ""}
}

// load is requests to worlds by clients at the same time.
type load struct {
	worlds  []string
	clients int
	answers int  // of each client; 0: without end
	dies    bool // the mock will be killed meanwhile, so that a broken connection only ends the load
}

// run sends the load until it is over or ctx is, and notes what is answered.
func (l load) run(ctx context.Context, m *mock, seen *answered) error {
	return together(l.clients, func(client int) error {
		world := l.worlds[client%len(l.worlds)]
		for n := 0; (l.answers == 0 || n < l.answers) && ctx.Err() == nil; n++ {
			s := loadStep(n*l.clients + client)
			a, err := m.call(ctx, s.method, s.path, s.body, inWorld, world)
			if err != nil && (l.dies || ctx.Err() != nil) {
				return nil //nolint:nilerr // no client has seen this exchange in full
			}
			if err == nil && a.status != s.status {
				err = fmt.Errorf("%s %s: %d %.300s", s.method, s.path, a.status, a.body)
			}
			if err != nil {
				return err
			}
			if err := seen.add(world, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// recorded holds the exchanges of a part of a recording.
type recorded struct {
	exchanges map[exchange]bool
	torn      int // bytes of half a line at the end
}

// readRecording reads the lines of a recording that one run has written.
func readRecording(text []byte) (recorded, error) {
	r := recorded{exchanges: map[exchange]bool{}}
	for number := 1; len(text) > 0; number++ {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			r.torn = len(text)
			break
		}
		var e recording.Exchange
		if err := json.Unmarshal(text[:end], &e); err != nil {
			return r, fmt.Errorf("line %d is incomplete: %w: %.100q", number, err, text[:end])
		}
		name := exchange{e.World, e.Seq}
		if e.Response == nil || r.exchanges[name] {
			return r, fmt.Errorf("line %d: exchange %d of world %s is recorded twice or without a response", number, e.Seq,
				e.World)
		}
		r.exchanges[name] = true
		text = text[end+1:]
	}
	return r, nil
}

// checkComplete returns an error if exchanges that clients have seen are not recorded.
func (r recorded) checkComplete(seen []exchange) error {
	var missing []exchange
	for _, e := range seen {
		if !r.exchanges[e] {
			missing = append(missing, e)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d exchanges that clients saw are not in the recording, the first is %d of world %s",
		len(missing), len(seen), missing[0].seq, missing[0].world)
}

// readSince reads a file from an offset to its end.
func readSince(file string, offset int64) (text []byte, err error) {
	text, err = os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if int64(len(text)) < offset {
		return nil, fmt.Errorf("%s became shorter than %d bytes", file, offset)
	}
	return text[offset:], nil
}

// check runs understudy check on a recording, and returns its exit code and its report.
func (t *trial) check(ctx context.Context, file string, flags ...string) (code int, report string, err error) {
	command := exec.CommandContext(ctx, t.binary, append(append([]string{"check"}, flags...), file)...)
	out, err := command.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), string(out), nil
	}
	return 0, string(out), err
}
