package rule

// coreState holds what is known of the core interface.
type coreState struct {
	domainKeys *bounded[string, *Event] // the exchange that issued the job
	loaded     *Event                   // that may have put rows into any table

	tokens      *bounded[string, *tokenState]
	owners      *bounded[owner, []string] // tokens by whom and what they act for
	revocations []*revocation             // that no list was seen after yet

	subUsers *bounded[string, *subUserState]
	named    *bounded[string, []string]        // sub users by name, as lists showed them
	leavers  *bounded[string, *leaver]         // removed sub users by name
	issuers  *bounded[string, *Event]          // the exchanges that issued jobs, by job
	keysOf   *bounded[string, map[uint64]bool] // callers by the name that answers give them

	pages  *pages                        // of the list of deleted tables that is being read
	places *bounded[string, whereabouts] // where deleted tables were, by id
	idents *bounded[string, thing]       // the tables that were shown with an id last
}

// owner is whom, and what application, a token acts for.
type owner struct{ user, client string }

func (o owner) isKnown() bool { return o.user != "" && o.client != "" }

// text distinguishes tokens of one id, should that be given twice. It is empty when the owner is not known.
func (o owner) text() string {
	if !o.isKnown() {
		return ""
	}
	return o.user + " " + o.client
}

type tokenState struct {
	owner
	proof *Event // the last list that showed it
}

// revocation is the removal of a token.
type revocation struct {
	removal *Event
	viewer  uint64 // who saw the token before, and so sees those that go with it
	known   bool   // whose the token was, and which others go with it
}

type subUserState struct {
	name  string
	proof *Event
}

// leaver is a sub user that was removed.
type leaver struct {
	id      string
	listing *Event // that showed its name
	removal *Event
	unique  bool // no other sub user had the name
}

// whereabouts holds the place where a deleted table was.
type whereabouts struct {
	deletedFact
	proofs []*Event
}

func newCoreState() coreState {
	return coreState{
		domainKeys: newBounded[string, *Event](maxEntities, nil),
		tokens:     newBounded[string, *tokenState](maxEntities, nil),
		owners:     newBounded[owner, []string](maxEntities, nil),
		subUsers:   newBounded[string, *subUserState](maxEntities, nil),
		named:      newBounded[string, []string](maxEntities, nil),
		leavers:    newBounded[string, *leaver](maxEntities, nil),
		issuers:    newBounded[string, *Event](maxEntities, nil),
		keysOf:     newBounded[string, map[uint64]bool](maxEntities, nil),
		places:     newBounded[string, whereabouts](maxEntities, nil),
		idents:     newBounded[string, thing](maxEntities, nil),
	}
}
