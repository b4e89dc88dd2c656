package history

import (
	"slices"

	"svc.example/understudy/contract/internal/facts"
)

// coreState holds what is known of the core interface.
type coreState struct {
	DomainKeys *bounded[string, *facts.Exchange] // the exchange that issued the job
	Loaded     *facts.Exchange                   // that may have put rows into any table

	Tokens      *bounded[string, *tokenState]
	owners      *bounded[facts.Owner, []string] // tokens by whom and what they act for
	Revocations []*Revocation                   // that no list was seen after yet

	SubUsers     *bounded[string, *subUserState]
	Named        *bounded[string, []string]        // sub users by name, as lists showed them
	RemovedUsers *bounded[string, *RemovedUser]    // removed sub users by name
	issuers      *bounded[string, *facts.Exchange] // the exchanges that issued jobs, by job
	KeysOf       *bounded[string, map[uint64]bool] // callers by the name that answers give them

	Pages  *DeletedList                  // of the list of deleted tables that is being read
	Places *bounded[string, whereabouts] // where deleted tables were, by id
	idents *bounded[string, facts.Thing] // the tables that were shown with an id last
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

func newCoreState() coreState {
	return coreState{
		DomainKeys:   newBounded[string, *facts.Exchange](maxEntities, nil),
		Tokens:       newBounded[string, *tokenState](maxEntities, nil),
		owners:       newBounded[facts.Owner, []string](maxEntities, nil),
		SubUsers:     newBounded[string, *subUserState](maxEntities, nil),
		Named:        newBounded[string, []string](maxEntities, nil),
		RemovedUsers: newBounded[string, *RemovedUser](maxEntities, nil),
		issuers:      newBounded[string, *facts.Exchange](maxEntities, nil),
		KeysOf:       newBounded[string, map[uint64]bool](maxEntities, nil),
		Places:       newBounded[string, whereabouts](maxEntities, nil),
		idents:       newBounded[string, facts.Thing](maxEntities, nil),
	}
}

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
