package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
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

// add notes an answer.
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
