package rule

import (
	"hash/maphash"
	"net/http"
	"strings"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
)

// callerState holds what is known of whoever uses a key.
type callerState struct {
	refused  [classes]*Event // the last refusal that shows that they are not of a class of callers
	served   *Event          // the last success since, of what is left to such a class
	servedAs class           // that class

	name     string   // under which answers show what they do
	named    []*Event // that show it
	parent   *Event   // was served with its sub users, which sub users are not
	rejected *Event   // the last time that the key was not taken
	accepted *Event   // the last time that it was
	dropped  *Event   // that removed it
}

var callerSeed = maphash.MakeSeed()

// callerOf returns an id that distinguishes callers without keeping their keys. It is 0 when the recording does not
// show who asks.
func callerOf(r *judge.Result) uint64 {
	if key := r.Credential().Identity; key != "" {
		return callerWith(key)
	}
	return 0
}

// callerWith returns the caller who has a key.
func callerWith(key string) uint64 { return maphash.String(callerSeed, key) | 1 }

// caller returns what is known of a caller, or nil if the id is 0.
func (s *state) caller(id uint64) *callerState {
	if id == 0 {
		return nil
	}
	c, ok := s.callers.get(id)
	if !ok {
		c = &callerState{}
		s.callers.put(id, c)
	}
	return c
}

// looksAtKey reports whether the answer says whether the key is taken. That to an event does not: its key is looked at
// after the answer.
func (e *Event) looksAtKey() bool {
	return !e.Open && !strings.HasPrefix(e.Operation, specs.Ingestion+".")
}

// learnCaller learns whether a key is taken.
func (s *state) learnCaller(e *Event) {
	c := s.caller(e.Caller)
	if c == nil || !e.looksAtKey() {
		return
	}
	if dropped := s.caller(e.Dropped); dropped != nil && e.OK() {
		dropped.dropped = e
	}
	switch {
	case e.Status == http.StatusUnauthorized && (e.Operation == "llm.updateAgentSchedule" || e.Operation == "llm.runActionChatapp"):
		// An administrator who is not the creator, or a signature (both public): not the key.
	case e.Status == http.StatusUnauthorized:
		c.rejected = e
	case e.OK():
		c.accepted = e
	}
	if e.OK() && e.Operation == "core.listSubUsers" {
		c.parent = e
	}
}
