package core_test

import (
	"net/url"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/specs"
)

// stage is a world by itself, into which a test can queue results.
type stage struct {
	*testing.T
	world world.World
	doc   *specs.Document
	rules op.Interface
	user  int64    // who calls
	skip  op.Skips // what is switched off
}

func newStage(t *testing.T, engine query.Engine) *stage {
	t.Helper()
	doc, err := specs.Load("core", specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{
		T: t, world: world.World{Clock: clock.New(clock.Frozen, now)}, doc: doc, user: 1,
		rules: core.Interface(core.Engine{Query: engine}),
	}
	s.world.Account.Users.Put(1, world.User{ID: 1, Name: "Ada Admin", Role: world.Administrator})
	s.call("POST", "/database/create/shop", "")
	return s
}

// call fails the test when the call is refused.
func (s *stage) call(method, path, body string) op.Reply {
	s.Helper()
	reply, err := s.try(method, path, body)
	if err != nil {
		s.Fatal(err)
	}
	return reply
}

func (s *stage) try(method, path, body string) (op.Reply, error) {
	s.Helper()
	path, parameters, _ := strings.Cut(path, "?")
	query, err := url.ParseQuery(parameters)
	if err != nil {
		s.Fatal(err)
	}
	match := s.doc.Find(method, path)
	for _, route := range s.rules.Routes {
		if route.Path != method+" "+match.Operation.Path {
			continue
		}
		user, _ := s.world.Account.Users.Get(s.user)
		return route.Rule(&op.Call{
			World: &s.world, Operation: match.Operation, Match: &match, Query: query, Body: []byte(body),
			Header: func(string) string { return "" }, Caller: world.Caller{User: user}, Now: s.world.Now(), Skip: s.skip,
		})
	}
	s.Fatalf("no route for %s", path)
	return op.Reply{}, nil
}

// run issues a job, lets it come to its end, and returns it.
func (s *stage) run(path, body string) world.Job {
	s.Helper()
	s.call("POST", path, body)
	var id int64
	for id = range s.world.Core.Jobs.Before(0) {
		break
	}
	for event, ok := s.world.Next(); ok; event, ok = s.world.Next() {
		s.world.Cancel(event)
		s.world.Clock = s.world.Clock.To(event.At)
		s.rules.Settle[event.Kind](&s.world, event, nil)
		s.finish()
	}
	job, _ := s.world.Core.Jobs.Get(id)
	return job
}

// finish runs the queries that events wait for, and settles these.
func (s *stage) finish() {
	s.Helper()
	for _, p := range s.world.Pending() {
		if err := p.Query.Run(s.Context()); err != nil {
			s.Fatal(err)
		}
		s.world.End(p.Event)
		p.Event.Ended = p.Query
		s.rules.Settle[p.Event.Kind](&s.world, p.Event, nil)
	}
}

func (s *stage) queue(results []world.QueuedResult) {
	s.Helper()
	for _, r := range results {
		if err := core.QueueResult(&s.world, r); err != nil {
			s.Fatal(err)
		}
	}
}

// rowOf is a result of one row with one text.
func rowOf(t *testing.T, text string) *world.Output {
	t.Helper()
	out, err := core.NewOutput([][2]string{{"said", "varchar"}}, [][]any{{text}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
