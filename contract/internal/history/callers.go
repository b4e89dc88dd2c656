package history

import (
	"net/http"

	"svc.example/understudy/contract/internal/facts"
)

// Caller holds what is known of whoever uses a key.
type Caller struct {
	Refused  [classes]*facts.Exchange // the last refusal that shows that they are not of a class of callers
	Served   *facts.Exchange          // the last success since, of what is left to such a class
	ServedAs Class                    // that class

	Name     string            // under which answers show what they do
	Named    []*facts.Exchange // that show it
	Parent   *facts.Exchange   // was served with its sub users, which sub users are not
	Rejected *facts.Exchange   // the last time that the key was not taken
	Accepted *facts.Exchange   // the last time that it was
	Dropped  *facts.Exchange   // that removed it
}

// Caller returns what is known of a caller, or nil if the id is 0.
func (s *State) Caller(id uint64) *Caller {
	if id == 0 {
		return nil
	}
	return s.callers.of(id, func() *Caller { return &Caller{} })
}

// learnCaller learns whether a key is taken.
func (s *State) learnCaller(e *facts.Exchange) {
	c := s.Caller(e.Caller)
	if c == nil || !e.LooksAtKey() {
		return
	}
	if dropped := s.Caller(e.Dropped); dropped != nil && e.OK() {
		dropped.Dropped = e
	}
	switch {
	case e.Status == http.StatusUnauthorized &&
		(e.Operation == "llm.updateAgentSchedule" || e.Operation == "llm.runActionChatapp"):
		// An administrator who is not the creator, or a signature (both public): not the key.
	case e.Status == http.StatusUnauthorized:
		c.Rejected = e
	case e.OK():
		c.Accepted = e
	}
	if e.OK() && e.Operation == "core.listSubUsers" {
		c.Parent = e
	}
}

// Class is a class of callers, each a part of the next.
type Class int

// The classes of callers.
const (
	Administrators Class = iota
	Delegates            // administrators and delegated admins
	Parents              // everybody but sub users
	classes
)

func (c Class) String() string {
	return [...]string{"administrators", "administrators and delegated admins", "users who are not sub users"}[c]
}

// Refusal is the last one that shows that a caller is not of a class.
func (c *Caller) Refusal(of Class) *facts.Exchange {
	var last *facts.Exchange
	for _, e := range c.Refused[of:] {
		if e != nil && (last == nil || e.Number > last.Number) {
			last = e
		}
	}
	return last
}
