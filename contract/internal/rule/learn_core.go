package rule

import (
	"slices"
	"strings"
	"time"
)

// learnJobs learns which keys are used under which name: jobs are shown with the name of the user who issued them.
func (s *state) learnJobs(e *Event) {
	if f := e.Issued; f != nil && f.ID != "" {
		s.issuers.put(f.ID, e)
		if _, taken := s.domainKeys.get(f.DomainKey); f.DomainKey != "" && !taken {
			s.domainKeys.put(f.DomainKey, e)
		}
	}
	for _, job := range e.Jobs {
		if issue, ok := s.issuers.get(job.ID); ok && before(issue, e) {
			s.callUser(job.User, issue, e)
		}
	}
	if e.AsUser != "" {
		s.callUser(e.AsUser, e, e)
	}
}

// callUser notes that the caller of an exchange goes by a name, as another one shows.
func (s *state) callUser(name string, call, proof *Event) {
	c := s.caller(call.Caller)
	if c == nil || c.name == name {
		return
	}
	c.name, c.named = name, []*Event{call, proof}
	keys, _ := s.keysOf.get(name)
	if keys == nil {
		keys = map[uint64]bool{}
		s.keysOf.put(name, keys)
	}
	keys[call.Caller] = true
}

func (s *state) learnTokens(e *Event) {
	if e.Operation == "core.removeOauthToken" {
		s.revoke(e)
	}
	for _, f := range e.Tokens {
		token := &tokenState{owner: owner{f.User, f.Client}, proof: e}
		s.tokens.put(f.ID, token)
		if ids, _ := s.owners.get(token.owner); token.isKnown() && !slices.Contains(ids, f.ID) {
			s.owners.put(token.owner, append(slices.Clip(ids), f.ID))
		}
	}
}

// revoke notes which tokens a removal revokes: the one that it names, and all that the same user holds for the same
// client, as far as lists have shown them before.
func (s *state) revoke(e *Event) {
	r := &revocation{removal: e}
	if len(s.revocations) < maxPending {
		s.revocations = append(s.revocations, r)
	}
	target, ok := s.tokens.get(e.ID)
	if !ok || !before(target.proof, e) {
		return
	}
	r.viewer = target.proof.Caller
	s.life(thing{tokens, e.ID}).because = []*Event{target.proof}
	if r.known = target.isKnown(); !r.known {
		return
	}
	siblings, _ := s.owners.get(target.owner)
	for _, id := range siblings {
		sibling, _ := s.tokens.get(id)
		if sibling == nil || sibling.owner != target.owner || id == e.ID || !before(sibling.proof, e) {
			continue
		}
		if x := s.life(thing{tokens, id}); x.gone == nil {
			x.gone, x.changed, x.because = e, e, []*Event{target.proof, sibling.proof}
		}
	}
}

func (s *state) learnSubUsers(e *Event) {
	switch {
	case e.Operation == "core.listSubUsers" && e.Listed:
		for _, f := range e.Users {
			s.subUsers.put(f.ID, &subUserState{f.Name, e})
			if ids, _ := s.named.get(f.Name); f.Name != "" && !slices.Contains(ids, f.ID) {
				s.named.put(f.Name, append(slices.Clip(ids), f.ID))
			}
		}
	case e.Operation == "core.removeSubUser":
		if user, ok := s.subUsers.get(e.ID); ok && user.name != "" && before(user.proof, e) {
			s.life(e.Named).because = []*Event{user.proof}
			namesakes, _ := s.named.get(user.name)
			s.leavers.put(user.name, &leaver{id: e.ID, listing: user.proof, removal: e, unique: len(namesakes) == 1})
		}
	}
}

// learnTables learns what became of tables beyond what is learned of everything: those that moved keep what
// distinguishes them, and those that were recovered are there again.
func (s *state) learnTables(e *Event) {
	if e.Page != nil {
		for _, f := range e.Page.Tables {
			s.places.put(f.ID, whereabouts{f, []*Event{e}})
		}
	}
	switch e.Operation {
	case "core.deleteTable":
		if x := s.life(e.Named); x.ident != "" {
			database, name, _ := strings.Cut(e.Named.id, "/")
			s.places.put(x.ident, whereabouts{deletedFact{ID: x.ident, Name: name, Database: database}, []*Event{x.showed, e}})
		}
	case "core.updateTable", "core.renameTable", "core.changeTableDatabase":
		if len(e.Shows) == 1 && e.Shows[0].Thing != e.Named {
			s.move(e.Named, e.Shows[0].Thing)
		}
	case "core.swapTables":
		a, b := s.life(e.Named), s.life(e.Uses[0].Thing)
		a.ident, a.born, a.showed, b.ident, b.born, b.showed = b.ident, b.born, b.showed, a.ident, a.born, a.showed
	case "core.recoverTable":
		s.recover(e)
	case "ingestion.ingestEvent":
		s.ingest(e)
	case "core.importTable", "core.importTableWithId":
		s.life(e.Named).filled = e
	case "core.commitBulkImport", "core.runBulkLoad":
		s.loaded = e
	default:
		s.stir(e)
	}
}

func (s *state) move(from, to thing) {
	a, b := s.life(from), s.life(to)
	b.ident, b.born, b.showed = a.ident, a.born, a.showed
	a.ident, a.born, a.showed = "", time.Time{}, nil
}

// recover notes that a table and its database are there again. When it is not known which, it may be any.
func (s *state) recover(e *Event) {
	table, database, _ := s.place(e.Recovered)
	if database.isNone() {
		s.stir(e)
		s.brought = e
		return
	}
	s.life(database).seen(e, changes)
	x := s.life(table)
	x.seen(e, changes)
	x.ident, x.born, x.showed = e.Recovered.ID, time.Time{}, e
}

// place returns the place of a recovered table, with the exchanges that prove it: where the request says, or else where
// it was deleted.
func (s *state) place(f *recoveryFact) (table, database thing, proofs []*Event) {
	was, _ := s.places.get(f.ID)
	name, in := f.Name, f.Database
	if in == "" {
		in, proofs = was.Database, was.proofs
	}
	if name == "" {
		name, proofs = was.Name, was.proofs
	}
	if name == "" || in == "" {
		return thing{}, thing{}, nil
	}
	return thing{tables, in + "/" + name}, thing{databases, in}, proofs
}

// ingest notes that an event may have made its table and database: some installations do that.
func (s *state) ingest(e *Event) {
	for _, t := range []thing{e.Named, e.Within} {
		s.life(t).fed = e
	}
}
