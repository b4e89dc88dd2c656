package rule

import (
	"fmt"
	"net/http"
	"slices"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var consistency = watch{
	about: report.RuleDoc{
		ID: Consistency, Provenance: specs.Assumed,
		Title: "responses agree with each other: they show the resource that was addressed, the changes that were made, " +
			"and what was created",
		Watches: "Responses that show the resource that the request names, changes or removes; and what a response shows of " +
			"pools, pool rules, databases, tables, connections, schedules, secrets, policies and policy groups that " +
			"were created or changed before.",
		Evidence: "A response shows another id than the path of its request, or another number or boolean than the request " +
			"set; an id is assigned to a second resource while the first one exists; a database, table or connection is " +
			"created under a name that is in use. If the recording is taken as complete, also: a created resource is " +
			"not found, or reads differently than when it was last shown.",
		Inconclusive: "A created resource is not found, or reads differently, and nothing shows that the recording is complete: a " +
			"caller outside of the recording may have changed it.",
		Passes: "Renamed resources, which are shown under another name; requests that are repeated with an idempotency key; " +
			"strings, which are trimmed and normalised; what changes by itself, such as the default pool.",
	},
	see: seeConsistency,
}

func seeConsistency(st *step) {
	if st.Status == http.StatusNotFound {
		st.lostWhatWasMade()
	}
	if !st.OK() || st.Opaque {
		return
	}
	st.answeredAnother()
	st.ignored()
	st.givenTwice()
	if !st.does.writes() {
		st.readsDifferently()
	}
}

// answeredAnother looks whether an answer shows the thing that its request names.
func (st *step) answeredAnother() {
	t, r := st.Named, ruling{rule: Consistency, aspect: "address", provenance: specs.Public}
	if t.isNone() || st.Answered == "" {
		return
	}
	if other := (thing{t.kind, st.Answered}); other != t {
		r.message = fmt.Sprintf("a request for %s was answered with %s", st.text(t), st.text(other))
		st.judge(r, report.Fail)
		return
	}
	st.judge(r, report.Pass)
}

// ignored looks whether an answer shows what its request set.
func (st *step) ignored() {
	if st.does != makes && st.does != changes {
		return
	}
	for _, m := range st.Ignored {
		st.judge(ruling{
			rule: Consistency, aspect: "answer " + m.Name, provenance: specs.Client,
			message: fmt.Sprintf("%s was set to %s, but the response shows %s", m.Name, m.Asked, m.Answered),
		}, report.Fail)
	}
}

// givenTwice looks whether something is made under an id or a name that is in use.
func (st *step) givenTwice() {
	if st.does != makes || st.isRepeatable() {
		return
	}
	t, r := st.Named, ruling{rule: Consistency, aspect: "name", provenance: specs.Client}
	if t.isNone() && len(st.Shows) == 1 {
		t, r.aspect, r.provenance = st.Shows[0].Thing, "id", specs.Public
	}
	x := st.s.lookUp(t)
	if x == nil || !st.isUntouched(x) || x.proof.does == removes {
		return
	}
	if in := st.s.lookUp(databaseOf(t)); in != nil && (in.wentAfter(x.proof) || in.unsure != nil || in.created != nil && !before(in.created, x.proof)) {
		return
	}
	st.s.isMixed = st.s.isMixed || st.Caller == 0
	r.message = st.text(t) + " was created although it exists"
	r.excuses = []excuse{excused("deleted", t, x.proof, st.Event)}
	st.judge(r, report.Fail, x.created, x.proof)
}

// isRepeatable reports whether a request that makes something may be sent again: projects and secrets are put.
func (st *step) isRepeatable() bool {
	return st.Method == http.MethodPut || st.Repeatable || !slices.Contains([]kind{
		pools, poolRules, databases, tables, connections, policies,
	}, st.of)
}

// lostWhatWasMade looks at a thing that is not found although it was made.
func (st *step) lostWhatWasMade() {
	t := st.Named
	if t.isNone() || !t.kind.isOpen() || st.does == makes || st.does == nothing {
		return
	}
	x := st.s.lookUp(t)
	if x == nil || x.created == nil || !st.isUntouched(x) || x.proof.Caller != st.Caller {
		return
	}
	if in := st.s.lookUp(databaseOf(t)); in != nil && (in.wentAfter(x.proof) || in.unsure != nil) {
		return
	}
	st.judge(ruling{
		rule: Consistency, aspect: "lost", provenance: specs.Public, ifComplete: true,
		message: st.text(t) + " was created, but is not found",
		excuses: []excuse{excused("deleted", t, x.proof, st.Event)},
	}, report.Fail, x.created, x.proof)
}

// readsDifferently looks at pools and pool rules that are not what they were shown to be last.
func (st *step) readsDifferently() {
	for _, x := range st.changedUnseen() {
		st.judge(ruling{
			rule: Consistency, aspect: "changed", provenance: specs.Public, ifComplete: true,
			message: st.text(x.thing) + " differs from when it was last shown",
			excuses: []excuse{excused("changed", x.thing, x.proof, st.Event)},
		}, report.Fail, x.proof)
	}
}
