package rule

import (
	"fmt"
	"net/http"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var consistency = history.Rule{
	Doc: report.RuleDoc{
		ID: Consistency, Provenance: specs.Assumed,
		Title: "responses agree with each other: they show the resource that was addressed, the changes that were made, " +
			"and what was created",
		Watches: "Responses that show the resource that the request names, changes or removes; and what a response shows " +
			"of pools, pool rules, databases, tables, connections, schedules, secrets, policies and policy groups that " +
			"were created or changed before.",
		Evidence: "A response shows another id than the path of its request, or another number or boolean than the request " +
			"set; an id is assigned to a second resource while the first one exists; a database, table or connection is " +
			"created under a name that is in use. If the recording is taken as complete, also: a created resource is " +
			"not found, or reads differently than when it was last shown.",
		Inconclusive: "A created resource is not found, or reads differently, and nothing shows that the recording is " +
			"complete: a caller outside of the recording may have changed it.",
		Passes: "Renamed resources, which are shown under another name; requests that are repeated with an idempotency " +
			"key; strings, which are trimmed and normalised; what changes by itself, such as the default pool.",
	},
	Check: checkConsistency,
}

func checkConsistency(st *history.Step) {
	if st.Status == http.StatusNotFound {
		checkCreatedIsThere(st)
	}
	if !st.OK() || st.Opaque {
		return
	}
	checkAnsweredID(st)
	for _, c := range st.Contradictions {
		st.Judge(history.Ruling{Rule: Consistency, Aspect: c.Aspect, Provenance: c.Provenance, Message: c.Message}, report.Fail)
	}
	checkWalk(st)
	checkIgnoredMembers(st)
	checkUniqueID(st)
	if !st.Verb.Writes() {
		checkUnchangedReads(st)
	}
}

// checkAnsweredID looks whether an answer shows the thing that its request names.
func checkAnsweredID(st *history.Step) {
	t, r := st.Target, history.Ruling{Rule: Consistency, Aspect: "address", Provenance: specs.Public}
	if t.IsNone() || st.Answered == "" {
		return
	}
	if other := (facts.Thing{Kind: t.Kind, ID: st.Answered}); other != t {
		r.Message = fmt.Sprintf("a request for %s was answered with %s", st.Text(t), st.Text(other))
		st.Judge(r, report.Fail)
		return
	}
	st.Judge(r, report.Pass)
}

// checkWalk looks whether a list that is read page by page leads back to a page that was read already.
func checkWalk(st *history.Step) {
	if st.Walk == nil || st.Walk.Asked == st.Walk.Next {
		return
	}
	if loop := st.NextOfWalk(); loop != nil {
		st.Judge(history.Ruling{
			Rule: Consistency, Aspect: "cursor", Provenance: specs.Public,
			Message: fmt.Sprintf("the list never ends: its pages lead back to that of %q", st.Walk.Next),
		}, report.Fail, loop)
	}
}

// checkIgnoredMembers looks whether an answer shows what its request set.
func checkIgnoredMembers(st *history.Step) {
	if st.Verb != facts.Creates && st.Verb != facts.Changes {
		return
	}
	for _, m := range st.Ignored {
		st.Judge(history.Ruling{
			Rule: Consistency, Aspect: "answer " + m.Name, Provenance: specs.Client,
			Message: fmt.Sprintf("%s was set to %s, but the response shows %s", m.Name, m.Asked, m.Answered),
		}, report.Fail)
	}
}

// checkUniqueID looks whether something is made under an id or a name that is in use.
func checkUniqueID(st *history.Step) {
	if st.Verb != facts.Creates || isRepeatable(st) {
		return
	}
	t, r := st.Target, history.Ruling{Rule: Consistency, Aspect: "name", Provenance: specs.Client}
	if t.IsNone() && len(st.Shows) == 1 {
		t, r.Aspect, r.Provenance = st.Shows[0].Thing, "id", specs.Public
	}
	x := st.State.LookUp(t)
	if x == nil || !st.IsUntouched(x) || x.Proof.Verb == facts.Deletes {
		return
	}
	if in := st.State.LookUp(facts.DatabaseOf(t)); in != nil &&
		(in.WentAfter(x.Proof) || in.Unsure != nil || in.CreatedBy != nil && !facts.Before(in.CreatedBy, x.Proof)) {
		return
	}
	st.State.IsMixed = st.State.IsMixed || st.Caller == 0
	r.Message = st.Text(t) + " was created although it exists"
	r.Excuses = []history.Excuse{history.NewExcuse("deleted", t, x.Proof, st.Exchange)}
	st.Judge(r, report.Fail, x.CreatedBy, x.Proof)
}

// isRepeatable reports whether a request that makes something may be sent again: projects and secrets are put.
func isRepeatable(st *history.Step) bool {
	return st.Method == http.MethodPut || st.Repeatable || !slices.Contains([]facts.Kind{
		facts.Pools, facts.PoolRules, facts.Databases, facts.Tables, facts.Connections, facts.Policies,
	}, st.Kind)
}

// checkCreatedIsThere looks at a thing that is not found although it was made.
func checkCreatedIsThere(st *history.Step) {
	t := st.Target
	if t.IsNone() || !t.Kind.IsOpen() || st.Verb == facts.Creates || st.Verb == facts.NoVerb {
		return
	}
	x := st.State.LookUp(t)
	if x == nil || x.CreatedBy == nil || !st.IsUntouched(x) || x.Proof.Caller != st.Caller {
		return
	}
	if in := st.State.LookUp(facts.DatabaseOf(t)); in != nil && (in.WentAfter(x.Proof) || in.Unsure != nil) {
		return
	}
	st.Judge(history.Ruling{
		Rule: Consistency, Aspect: "lost", Provenance: specs.Public, IfComplete: true,
		Message: st.Text(t) + " was created, but is not found",
		Excuses: []history.Excuse{history.NewExcuse("deleted", t, x.Proof, st.Exchange)},
	}, report.Fail, x.CreatedBy, x.Proof)
}

// checkUnchangedReads looks at pools and pool rules that are not what they were shown to be last.
func checkUnchangedReads(st *history.Step) {
	for _, x := range st.ChangedUnseen() {
		st.Judge(history.Ruling{
			Rule: Consistency, Aspect: "changed", Provenance: specs.Public, IfComplete: true,
			Message: st.Text(x.Thing) + " differs from when it was last shown",
			Excuses: []history.Excuse{history.NewExcuse("changed", x.Thing, x.Proof, st.Exchange)},
		}, report.Fail, x.Proof)
	}
}
