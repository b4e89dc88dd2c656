package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"svc.example/understudy/internal/tools/must"
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
func (s *answered) add(world string, a answer) {
	seq := must.Get(strconv.ParseInt(a.header.Get("X-Understudy-Exchange"), 10, 64)) // its number
	s.times.add(a.took)
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.header.Get("X-Understudy-Unrecorded") != "" {
		s.unrecorded = append(s.unrecorded, exchange{world, seq})
	} else {
		s.recorded = append(s.recorded, exchange{world, seq})
	}
}

// all returns the number of answers.
func (s *answered) all() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.recorded) + len(s.unrecorded)
}

// newWorlds makes worlds that a load can be put on.
func (m *mock) newWorlds(ctx context.Context, n int) (worlds []string) {
	for i := range n {
		worlds = append(worlds, fmt.Sprint("w", i))
		body := fmt.Sprintf(`{"id":%q,"scenario":"empty"}`, worlds[i])
		m.want(ctx, http.StatusCreated, http.MethodPost, control+"/worlds", body)
	}
	return worlds
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
func (l load) run(ctx context.Context, m *mock, seen *answered) {
	must.Together(l.clients, func(client int) {
		world := l.worlds[client%len(l.worlds)]
		for n := 0; (l.answers == 0 || n < l.answers) && ctx.Err() == nil; n++ {
			s := loadStep(n*l.clients + client)
			a, err := m.call(ctx, s.method, s.path, s.body, inWorld, world)
			if err != nil && (l.dies || ctx.Err() != nil) {
				return // no client has seen this exchange in full
			}
			must.Do(err)
			if a.status != s.status {
				must.Fatalf("%s %s: %d %.300s", s.method, s.path, a.status, a.body)
			}
			seen.add(world, a)
		}
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
func readSince(file string, offset int64) []byte {
	text := must.Get(os.ReadFile(file))
	if int64(len(text)) < offset {
		must.Fatalf("%s became shorter than %d bytes", file, offset)
	}
	return text[offset:]
}

// conforms ends the attempt unless understudy check finds a recording in order.
func (t *trial) conforms(ctx context.Context, file string, flags ...string) {
	args := append(append([]string{"check"}, flags...), file)
	if out, err := exec.CommandContext(ctx, t.binary, args...).CombinedOutput(); err != nil {
		must.Fatalf("understudy %s: %w: %.600s", strings.Join(args, " "), err, out)
	}
}
