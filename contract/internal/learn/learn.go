// Package learn makes a scenario of a recording: the world as it was when the recording began, and a story that plays
// the recorded requests again.
//
// An entity that the recording shows, and did not make, was there before. What an answer shows of it is rewound over
// the requests that had changed it by then. What jobs, attempts and agents did later becomes a script of results,
// outcomes and turns. Who may do what is found by trying: a server that begins with the scenario answers the recorded
// requests, and where it does not answer as recorded, the beginning is changed. Whatever cannot be known is guessed,
// and marked in the file where it stands.
package learn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/coding"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Scenario holds a scenario that was learned, with what it could not be sure of.
type Scenario struct {
	Scenario []byte            // scenario.yaml
	Story    []byte            // story.txtar
	Files    map[string][]byte // data files that the scenario names
	Guesses  []Guess
	Keys     []Key
	Notes    []string // what could not be learned
}

// Guess is a value that the recording does not show.
type Guess struct {
	Path   string // in the scenario, such as workflow.pools[1].concurrencyLimit
	Reason string
}

// Key is an API key of the scenario, with what stands for it in the recording.
type Key struct {
	Key, User string
	Recorded  []string // digests of the keys that it stands for in the recording
}

// Config says what to learn from.
type Config struct {
	Documents []*specs.Document
	Brand     specs.Brand
	Salt      []byte // of the digests of keys; nil: one for the recording

	Build      Build // nil: what is learned is not tried
	Effort     int   // how many exchanges are replayed to find out who may do what, about
	Comparison *compare.Config
}

// ErrNothing reports that a recording shows nothing to learn from.
var ErrNothing = errors.New("no exchange of the recording can be learned from")

// Exchange is an exchange at the time of the server.
type Exchange struct {
	*judge.Result
	At time.Time
	N  int // in the order of time, from 1

	leftOut []*judge.Result // before it, because of injected faults
	bodies  [2]*jsontree.Value
}

// asked returns the body of the request, if it is JSON.
func (e *Exchange) asked() jsontree.Value { return e.body(0, e.JSONRequest) }

// answer returns the body of the answer, if it is JSON.
func (e *Exchange) answer() jsontree.Value { return e.body(1, e.JSONResponse) }

func (e *Exchange) body(n int, read func(*jsontree.Tree) jsontree.Value) jsontree.Value {
	if e.bodies[n] == nil {
		value := read(&jsontree.Tree{Shares: true})
		e.bodies[n] = &value
	}
	return *e.bodies[n]
}

// ok reports whether the request succeeded.
func (e *Exchange) ok() bool { return e.Status()/100 == 2 }

// name returns the name of the operation.
func (e *Exchange) name() string { return e.Operation().Name() }

// learner is the learning of one recording.
type learner struct {
	*Config
	exchanges  []*Exchange
	calls      map[string][]*Exchange // by operation, by interface, and by operation and the last name in the path
	tableCalls map[string][]*Exchange // that succeeded, by the table that the path names, as in shop/orders

	databaseCalls map[string][]*Exchange // that succeeded, by the database that the path names
	begin         time.Time
	entities      *entities
	people        *people
	notes         []string
	leftOut       []*judge.Result // after the last exchange, because of injected faults
	guesses       []Guess
	files         map[string][]byte
	replayed      map[*judge.Result]*compare.Exchange // of a server with the scenario
	reseeded      map[*judge.Result]*compare.Exchange // of one with another seed
	memory        *compare.Memory
	unsent        map[*judge.Result]string // requests that are not replayed, as storyteller.unsent has them
	refusals      [][]refusal              // by round: what was taken out of the latest scenario that loaded

	runs *runs // of the attempts that answers show

	deleted    []jsontree.Value // as deletedTables returns them
	profilesAt string           // the table of the profiles, if there are audiences

	llmSection *mapping
	assumes    bool // something of the LLM interface refers to a database that no answer shows
}

// Learn makes a scenario of the exchanges of one account.
func Learn(ctx context.Context, c *Config, list []*judge.Result) (*Scenario, error) {
	l := &learner{
		Config: c, calls: map[string][]*Exchange{},
		tableCalls: map[string][]*Exchange{}, databaseCalls: map[string][]*Exchange{},
		files: map[string][]byte{}, memory: compare.NewMemory(c.Effort), unsent: map[*judge.Result]string{},
	}
	if err := l.order(ctx, list); err != nil {
		return nil, err
	}
	l.collect()
	l.findRuns()
	l.implyPolicies()
	l.implyAudience()
	l.implyTargets()
	l.implyDatabases()
	l.people = l.findPeople()
	root, err := l.learnBeginning(ctx)
	if root == nil {
		return nil, err
	}
	text, writeErr := l.write(root)
	if writeErr != nil {
		return nil, writeErr
	}
	maps.DeleteFunc(l.files, func(name string, _ []byte) bool { return !bytes.Contains(text, []byte(name)) })
	learned := &Scenario{Scenario: text, Files: l.files, Guesses: l.guesses, Keys: l.people.keys}
	learned.Story, learned.Notes = l.story(ctx, root), l.notes
	return learned, err
}

// order puts the exchanges in the order of time, by the clock of the server.
func (l *learner) order(ctx context.Context, list []*judge.Result) error {
	var clock compare.ServerClock
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *judge.Result) int { return a.Item.Start.Compare(b.Item.Start) })
	redactor := l.redactor(list)
	var leftOut []*judge.Result
	faults := 0
	for _, r := range list {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.Operation() == nil || r.Status() == 0 && !r.IsInjected {
			continue
		}
		if r = r.Redacted(redactor); r == nil {
			l.notes = append(l.notes, "an exchange was left out, since a secret stands in the path of its address")
			continue
		}
		if r.IsInjected || mayHaveHappened(r) { // the answer does not show what the request did
			leftOut = append(leftOut, r)
			faults++
			continue
		}
		at := clock.Times(r)[0]
		if n := len(l.exchanges); n > 0 && at.Before(l.exchanges[n-1].At) {
			at = l.exchanges[n-1].At
		}
		e := &Exchange{Result: r, At: at, N: len(l.exchanges) + 1, leftOut: leftOut}
		l.exchanges = append(l.exchanges, e)
		of := []string{e.name(), string(e.Operation().Interface)}
		if names := e.Operation().PathParameters(); len(names) > 0 {
			of = append(of, nameOf(e.name(), param(e, names[len(names)-1])))
		}
		for _, of := range of {
			l.calls[of] = append(l.calls[of], e)
		}
		if database, table := param(e, "database_name"), param(e, "table_name"); e.ok() {
			l.databaseCalls[database] = append(l.databaseCalls[database], e)
			at := database + "/" + table
			l.tableCalls[at] = append(l.tableCalls[at], e)
		}
		leftOut = nil
	}
	l.leftOut = leftOut
	l.noteFaults(faults)
	if len(l.exchanges) == 0 {
		return ErrNothing
	}
	l.begin = l.exchanges[0].At
	return nil
}

// successes passes on the successes of an operation, an interface, or an operation on a name, with their bodies:
// nothing for one that is not JSON.
func (l *learner) successes(of string) iter.Seq2[*Exchange, jsontree.Value] {
	return func(yield func(*Exchange, jsontree.Value) bool) {
		for _, e := range l.calls[of] {
			if e.ok() && !yield(e, e.answer()) {
				return
			}
		}
	}
}

// firstOn returns the first success of an operation on what the path names last, or nil.
func (l *learner) firstOn(operation, name string) *Exchange {
	for e := range l.successes(nameOf(operation, name)) {
		return e
	}
	return nil
}

// shownOf returns the first answer of an operation on what the path names last, unless a change came before.
func (l *learner) shownOf(name, operation string, changes ...string) jsontree.Value {
	first := l.firstOn(operation, name)
	isEarlier := func(change string) bool {
		e := l.firstOn(change, name)
		return e != nil && e.N < first.N
	}
	if first == nil || slices.ContainsFunc(changes, isEarlier) {
		return jsontree.Value{}
	}
	return first.answer()
}

// scenario puts the sections together, as far as it comes before the context ends.
func (l *learner) scenario(ctx context.Context) *mapping {
	root := newMapping()
	last := l.exchanges[len(l.exchanges)-1].At
	root.set("description", fmt.Sprintf("Learned from a recording, from %s to %s.", l.begin.Format(time.RFC3339),
		last.Format(time.RFC3339)))
	root.set("now", timeText(l.begin))
	root.set("seed", 1)
	for _, body := range l.successes("core.listDatabases") {
		if strings.HasSuffix(body.Get("databases", "0", "created_at").Text(), " UTC") {
			root.set("times", "utc")
			break
		}
	}
	for _, section := range []struct {
		name string
		make func() *mapping
	}{
		{"account", l.account},
		{"core", l.core},
		{"workflow", l.workflow},
		{"audience", l.audience},
		{"dwh", l.dwh},
		{"llm", l.llm},
		{"interfaces", l.interfaces},
	} {
		if ctx.Err() != nil {
			l.notes = append(l.notes, "interrupted before the section "+section.name+" of the scenario was learned")
			break
		}
		root.set(section.name, section.make())
	}
	return root
}

// redactor returns what takes secrets out of exchanges, since not every tool that records does so. Where no salt is
// given, it comes from the keys of the recording: one recording makes one scenario, and without the keys it cannot be
// tried out what was redacted.
func (l *learner) redactor(list []*judge.Result) *recording.Redactor {
	salt := l.Salt
	if salt == nil {
		keys := sha256.New()
		for _, r := range list {
			if r.Operation() != nil {
				_, _ = io.WriteString(keys, r.Credential().Identity)
			}
		}
		salt = keys.Sum(nil)
	}
	return &recording.Redactor{Brand: l.Brand, Salt: salt, Decode: coding.Decode}
}

// mayHaveHappened reports whether a faulty request may have changed what no answer shows.
func mayHaveHappened(r *judge.Result) bool {
	fault, _ := recording.ParseFault(r.Item.Fault)
	return fault.Effect == recording.EffectTwice || fault.Injected && fault.Effect != recording.EffectNone
}

// noteFaults notes how many exchanges are left out.
func (l *learner) noteFaults(n int) {
	switch {
	case n == 1:
		l.notes = append(l.notes, "an exchange was left out, since a fault was injected into it")
	case n > 1:
		l.notes = append(l.notes, fmt.Sprintf("%d exchanges were left out, since faults were injected into them", n))
	}
}
