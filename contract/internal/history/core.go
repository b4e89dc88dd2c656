package history

import (
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/judge"
)

// coreState holds what is known of the core interface.
type coreState struct {
	DomainKeys bounded[string, *facts.Exchange] // the exchange that issued the job
	Loaded     *facts.Exchange                  // that may have put rows into any table
	Ends       bounded[facts.Entity, End]       // of jobs and attempts

	Tokens      bounded[string, *tokenState]
	owners      bounded[facts.Owner, []string] // tokens by whom and what they act for
	Revocations []*Revocation                  // that no list was seen after yet

	SubUsers     bounded[string, *subUserState]
	Named        bounded[string, []string]        // sub users by name, as lists showed them
	RemovedUsers bounded[string, *RemovedUser]    // removed sub users by name
	issuers      bounded[string, *facts.Exchange] // the exchanges that issued jobs, by job
	KeysOf       bounded[string, map[uint64]bool] // callers by the name that answers give them

	Pages  *DeletedList                  // of the list of deleted tables that is being read
	Places bounded[string, whereabouts]  // where deleted tables were, by id
	idents bounded[string, facts.Entity] // the tables that were shown with an id last
}

type tokenState struct {
	facts.Owner
	Proof *facts.Exchange // the last list that showed it
}

// Revocation is the removal of a token.
type Revocation struct {
	Removal *facts.Exchange
	Viewer  uint64 // who saw the token before, and so sees those that go with it
	Known   bool   // whose the token was, and which others go with it
}

type subUserState struct {
	Name  string
	Proof *facts.Exchange
}

// RemovedUser is a sub user that was removed.
type RemovedUser struct {
	ID      string
	Listing *facts.Exchange // that showed its name
	Removal *facts.Exchange
	Unique  bool // no other sub user had the name
}

// whereabouts holds the place where a deleted table was.
type whereabouts struct {
	facts.DeletedTable
	proofs []*facts.Exchange
}

// Proofs returns the exchanges that show it, the last of which lists it or deleted it.
func (w whereabouts) Proofs() []*facts.Exchange { return w.proofs }

// DeletedList is the list of deleted tables as far as it was read, page after page.
type DeletedList struct {
	First, last *facts.Exchange
	Evidence    []*facts.Exchange
	Tables      []facts.DeletedTable
	Whole       bool // from the first page to the last
	torn        bool // a page is missing
}

// NextPage adds the page in hand to the list that it goes on with, or begins another one.
func (st *Step) NextPage() *DeletedList {
	p, page := st.State.Pages, st.Page
	goesOn := p != nil && page.Cursor != "" && page.Cursor == p.last.Page.Next && page.Database == p.last.Page.Database &&
		st.Caller == p.last.Caller && facts.Before(p.last, st.Exchange) && len(p.Tables) < maxEntities
	if !goesOn {
		p = &DeletedList{First: st.Exchange, torn: page.Cursor != ""}
	}
	return &DeletedList{
		First: p.First, last: st.Exchange, torn: p.torn, Whole: !p.torn && page.Next == "" && !page.Cut,
		Evidence: append(slices.Clip(p.Evidence), st.Exchange), Tables: append(slices.Clip(p.Tables), page.Tables...),
	}
}

// learnJobs learns which keys are used under which name: jobs are shown with the name of the user who issued them.
func (s *State) learnJobs(e *facts.Exchange) {
	if f := e.Issued; f != nil && f.ID != "" {
		s.issuers.put(f.ID, e)
		if _, taken := s.DomainKeys.Get(f.DomainKey); f.DomainKey != "" && !taken {
			s.DomainKeys.put(f.DomainKey, e)
		}
	}
	for _, job := range e.Jobs {
		if issue, ok := s.issuers.Get(job.ID); ok && job.User != "" && facts.Before(issue, e) {
			s.callUser(job.User, issue, e)
		}
	}
	if e.AsUser != "" {
		s.callUser(e.AsUser, e, e)
	}
}

// End holds the status with which a job or an attempt ended, and the first exchange that shows it.
type End struct {
	Status string
	Proof  *facts.Exchange
}

func (s *State) learnEnds(e *facts.Exchange) {
	for _, c := range e.Courses() {
		if _, known := s.Ends.Get(c.Entity); c.IsOver && !known {
			s.Ends.put(c.Entity, End{c.Status, e})
		}
	}
}

// callUser notes that the caller of an exchange goes by a name, as another one shows.
func (s *State) callUser(name string, call, proof *facts.Exchange) {
	c := s.Caller(call.Caller)
	if c == nil || c.Name == name {
		return
	}
	c.Name, c.Named = name, []*facts.Exchange{call, proof}
	s.KeysOf.of(name, func() map[uint64]bool { return map[uint64]bool{} })[call.Caller] = true
}

func (s *State) learnTokens(e *facts.Exchange) {
	if e.Operation == "core.removeOauthToken" {
		s.revoke(e)
	}
	for _, f := range e.Tokens {
		token := &tokenState{Owner: facts.Owner{User: f.User, Client: f.Client}, Proof: e}
		s.Tokens.put(f.ID, token)
		if ids, _ := s.owners.Get(token.Owner); token.IsKnown() && !slices.Contains(ids, f.ID) {
			s.owners.put(token.Owner, append(slices.Clip(ids), f.ID))
		}
	}
}

// revoke notes which tokens a removal revokes: the one that it names, and all that the same user holds for the same
// client, as far as lists have shown them before.
func (s *State) revoke(e *facts.Exchange) {
	r := &Revocation{Removal: e}
	if len(s.Revocations) < maxPending {
		s.Revocations = append(s.Revocations, r)
	}
	target, ok := s.Tokens.Get(e.ID)
	if !ok || !facts.Before(target.Proof, e) {
		return
	}
	r.Viewer = target.Proof.Caller
	s.entity(facts.Entity{Kind: facts.Tokens, ID: e.ID}).reasons = []*facts.Exchange{target.Proof}
	if r.Known = target.IsKnown(); !r.Known {
		return
	}
	siblings, _ := s.owners.Get(target.Owner)
	for _, id := range siblings {
		sibling, _ := s.Tokens.Get(id)
		if sibling == nil || sibling.Owner != target.Owner || id == e.ID || !facts.Before(sibling.Proof, e) {
			continue
		}
		if x := s.entity(facts.Entity{Kind: facts.Tokens, ID: id}); x.DeletedBy == nil {
			x.DeletedBy, x.changedBy, x.reasons = e, e, []*facts.Exchange{target.Proof, sibling.Proof}
		}
	}
}

func (s *State) learnSubUsers(e *facts.Exchange) {
	switch {
	case e.Operation == "core.listSubUsers" && e.Listed:
		for _, f := range e.Users {
			s.SubUsers.put(f.ID, &subUserState{f.Name, e})
			if ids, _ := s.Named.Get(f.Name); f.Name != "" && !slices.Contains(ids, f.ID) {
				s.Named.put(f.Name, append(slices.Clip(ids), f.ID))
			}
		}
	case e.Operation == "core.removeSubUser":
		if user, ok := s.SubUsers.Get(e.ID); ok && user.Name != "" && facts.Before(user.Proof, e) {
			s.entity(e.Target).reasons = []*facts.Exchange{user.Proof}
			namesakes, _ := s.Named.Get(user.Name)
			s.RemovedUsers.put(user.Name, &RemovedUser{ID: e.ID, Listing: user.Proof, Removal: e, Unique: len(namesakes) == 1})
		}
	}
}

// learnTables learns what became of tables beyond what is learned of everything: those that moved keep what
// distinguishes them, and those that were recovered are there again.
func (s *State) learnTables(e *facts.Exchange) {
	if e.Page != nil {
		for _, f := range e.Page.Tables {
			s.Places.put(f.ID, whereabouts{f, []*facts.Exchange{e}})
		}
	}
	switch e.Operation {
	case "core.deleteTable":
		x := s.entity(e.Target)
		if len(s.deletedTables) < maxSigns {
			s.deletedTables[e.Target.ID] = x
		}
		if x.Ident != "" {
			database, name, _ := strings.Cut(e.Target.ID, "/")
			s.Places.put(x.Ident,
				whereabouts{facts.DeletedTable{ID: x.Ident, Name: name, Database: database}, []*facts.Exchange{x.IdentifiedBy, e}})
		}
	case "core.swapTables":
		a, b := s.entity(e.Target), s.entity(e.Uses[0].Entity)
		a.Ident, a.born, a.IdentifiedBy, b.Ident, b.born, b.IdentifiedBy = b.Ident, b.born, b.IdentifiedBy, a.Ident, a.born,
			a.IdentifiedBy
	case "core.recoverTable":
		s.recover(e)
	case "ingestion.ingestEvent":
		s.ingest(e)
	case "core.importTable", "core.importTableWithId":
		s.entity(e.Target).ImportedBy = e
	case "core.commitBulkImport", "core.runBulkLoad":
		s.Loaded = e
	default:
		s.stir(e)
	}
}

// move takes what is known of an entity to its new name, so that nothing is known of what has the old one.
func (s *State) move(by *facts.Exchange, from, to, parent facts.Entity) {
	s.HasOldNames = true
	a, b := s.entity(from), s.entity(to)
	b.Ident, b.born, b.IdentifiedBy, b.CreatedBy = a.Ident, a.born, a.IdentifiedBy, a.CreatedBy
	s.entities[from.Kind].put(from.ID, &EntityState{Entity: from, MissedBy: by, RenamedBy: by, renamedTo: to})
	if b.Ident != "" && b.Kind == facts.Tables {
		s.idents.put(b.Ident, to)
	}
	if b.CreatedBy != nil {
		s.noteMade(b, parent)
	}
}

// OldName returns what an entity was renamed to if the exchange in hand finds it under its old name, although nothing
// can have made another one of that; else no entity.
func (st *Step) OldName(x *EntityState) facts.Entity {
	if x == nil || x.Proof != nil || !st.Known(x.RenamedBy) || st.MayBeThereSince(x.Entity, x, x.RenamedBy) {
		return facts.Entity{}
	}
	return x.renamedTo
}

// RepeatedTable returns the id of a table that the page in hand shows and that this page, or one before it, shows as
// well, if nothing was written while they were read; else the empty text.
func (st *Step) RepeatedTable() string {
	p := st.State.Pages
	if p == nil || p.last != st.Exchange || st.State.lastWrite != nil && !facts.Before(st.State.lastWrite, p.First) {
		return ""
	}
	seen := map[string]bool{}
	for _, f := range p.Tables {
		if seen[f.ID] && judge.IsDistinct(f.ID) {
			return f.ID
		}
		seen[f.ID] = true
	}
	return ""
}

// recover notes that a table and its database are there again. When it is not known which, it may be any.
func (s *State) recover(e *facts.Exchange) {
	table, database, _ := s.Place(e.Recovered)
	if database.IsNone() {
		s.stir(e)
		s.recoveredUnknown = e
		return
	}
	s.entity(database).update(e, facts.Changes)
	x := s.entity(table)
	x.update(e, facts.Changes)
	x.Ident, x.born, x.IdentifiedBy = e.Recovered.ID, time.Time{}, e
}

// mayRecover reports whether a table is recovered that may be an entity, or in it.
func (s *State) mayRecover(e *facts.Exchange, t facts.Entity) bool {
	if e.Recovered == nil || e.Refused() {
		return false
	}
	table, database, _ := s.Place(e.Recovered)
	return table.IsNone() || t == table || t == database
}

// Place returns the place of a recovered table, with the exchanges that prove it: where the request says, or else where
// it was deleted.
func (s *State) Place(f *facts.Recovery) (table, database facts.Entity, proofs []*facts.Exchange) {
	was, _ := s.Places.Get(f.ID)
	name, in := f.Name, f.Database
	if in == "" {
		in, proofs = was.Database, was.proofs
	}
	if name == "" {
		name, proofs = was.Name, was.proofs
	}
	if name == "" || in == "" {
		return facts.Entity{}, facts.Entity{}, nil
	}
	return facts.Entity{Kind: facts.Tables, ID: in + "/" + name}, facts.Entity{Kind: facts.Databases, ID: in}, proofs
}

// ingest notes that an event may have made its table and database: some installations do that.
func (s *State) ingest(e *facts.Exchange) {
	for _, t := range []facts.Entity{e.Target, e.Parent} {
		s.entity(t).IngestedBy = e
	}
}
