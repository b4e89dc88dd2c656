package rule

import (
	"slices"
	"strings"
	"time"
)

// learnJobs learns which keys are used under which name: jobs are shown with the name of the user who issued them.
func (s *state) learnJobs(e *Event) {
	if f := e.issued; f != nil && f.id != "" {
		s.issuers.put(f.id, e)
		if _, taken := s.domainKeys.get(f.domainKey); f.domainKey != "" && !taken {
			s.domainKeys.put(f.domainKey, e)
		}
	}
	for _, job := range e.jobs {
		if issue, ok := s.issuers.get(job.id); ok && before(issue, e) {
			s.callUser(job.user, issue, e)
		}
	}
	if e.asUser != "" {
		s.callUser(e.asUser, e, e)
	}
}

// callUser notes that the caller of an exchange goes by a name, as another one shows.
func (s *state) callUser(name string, call, proof *Event) {
	c := s.caller(call.caller)
	if c == nil || c.name == name {
		return
	}
	c.name, c.named = name, []*Event{call, proof}
	keys, _ := s.keysOf.get(name)
	if keys == nil {
		keys = map[uint64]bool{}
		s.keysOf.put(name, keys)
	}
	keys[call.caller] = true
}

func (s *state) learnTokens(e *Event) {
	if e.Operation == "core.removeOauthToken" {
		s.revoke(e)
	}
	for _, f := range e.tokens {
		token := &tokenState{owner: owner{f.user, f.client}, proof: e}
		s.tokens.put(f.id, token)
		if ids, _ := s.owners.get(token.owner); token.isKnown() && !slices.Contains(ids, f.id) {
			s.owners.put(token.owner, append(slices.Clip(ids), f.id))
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
	r.viewer = target.proof.caller
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
	case e.Operation == "core.listSubUsers" && e.listed:
		for _, f := range e.users {
			s.subUsers.put(f.id, &subUserState{f.name, e})
			if ids, _ := s.named.get(f.name); f.name != "" && !slices.Contains(ids, f.id) {
				s.named.put(f.name, append(slices.Clip(ids), f.id))
			}
		}
	case e.Operation == "core.removeSubUser":
		if user, ok := s.subUsers.get(e.ID); ok && user.name != "" && before(user.proof, e) {
			s.life(e.named).because = []*Event{user.proof}
			namesakes, _ := s.named.get(user.name)
			s.leavers.put(user.name, &leaver{id: e.ID, listing: user.proof, removal: e, unique: len(namesakes) == 1})
		}
	}
}

// learnTables learns what became of tables beyond what is learned of everything: those that moved take along what tells
// them apart, and those that were recovered are there again.
func (s *state) learnTables(e *Event) {
	if e.page != nil {
		for _, f := range e.page.tables {
			s.places.put(f.id, whereabouts{f, []*Event{e}})
		}
	}
	switch e.Operation {
	case "core.deleteTable":
		if x := s.life(e.named); x.ident != "" {
			database, name, _ := strings.Cut(e.named.id, "/")
			s.places.put(x.ident, whereabouts{deletedFact{x.ident, name, database}, []*Event{x.showed, e}})
		}
	case "core.updateTable", "core.renameTable", "core.changeTableDatabase":
		if len(e.shows) == 1 && e.shows[0].thing != e.named {
			s.move(e.named, e.shows[0].thing)
		}
	case "core.swapTables":
		a, b := s.life(e.named), s.life(e.shows[0].thing)
		a.ident, a.born, a.showed, b.ident, b.born, b.showed = b.ident, b.born, b.showed, a.ident, a.born, a.showed
	case "core.recoverTable":
		s.recover(e)
	case "ingestion.ingestEvent":
		s.ingest(e)
	case "core.importTable", "core.importTableWithId":
		s.life(e.named).filled = e
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
	table, database, _ := s.place(e.recovered)
	if database.isNone() {
		s.stir(e)
		return
	}
	s.life(database).seen(e, changes)
	x := s.life(table)
	x.seen(e, changes)
	x.ident, x.born, x.showed = e.recovered.id, time.Time{}, e
}

// place is where a recovered table is, with what shows it: where the request says, or else where it was deleted.
func (s *state) place(f *recoveryFact) (table, database thing, proofs []*Event) {
	was, _ := s.places.get(f.id)
	name, in := f.name, f.database
	if in == "" {
		in, proofs = was.database, was.proofs
	}
	if name == "" {
		name, proofs = was.name, was.proofs
	}
	if name == "" || in == "" {
		return thing{}, thing{}, nil
	}
	return thing{tables, in + "/" + name}, thing{databases, in}, proofs
}

// ingest notes that an event may have made its table and database: some installations do that.
func (s *state) ingest(e *Event) {
	for _, t := range []thing{e.named, e.within} {
		s.life(t).fed = e
	}
}
