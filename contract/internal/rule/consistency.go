package rule

import (
	"fmt"
	"net/http"
	"slices"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

var consistency = history.Rule{
	Doc: report.RuleDoc{
		ID: Consistency, Provenance: specs.Assumed,
		Title: "responses agree with each other: they show the resource that was addressed, the changes that were made, " +
			"and what was created",
		Watches: "Responses that show the resource that the request names, changes or removes; and what a " +
			"response shows of pools, pool rules, databases, tables, connections, schedules, secrets, policies, " +
			"policy groups, projects and resources of the LLM interface that were created or changed before; " +
			"names, texts, numbers and flags that requests set, and times of creation, of every resource. In " +
			"documents of your own also what x-resources says of unique, once, update and lists.",
		Evidence: "A response is about another resource than the path of its request names, or shows another " +
			"number or boolean than the request set (but of when and how often it changed), or another name or " +
			"description, however written; a list " +
			"shows a resource or an id twice, or what belongs to another one than the path names; a page is " +
			"longer than requested, is another one than requested, is not in its documented order, leads back to " +
			"itself or contradicts its count; an id is assigned to a second resource while the first one exists; " +
			"a list of retries lacks the attempt of its path, or has some of another session; an attempt changes " +
			"its session, or a session, workflow or schedule its project; a job or an attempt that was over goes " +
			"on, or ended in another way; a database, table or connection is created or renamed to a name that " +
			"is in use, or two pools, projects or policies have one name, or two pool rules one priority. In " +
			"documents of your own also: two resources have what is unique; what is set once changes; an update " +
			"changes what it does not name, or keeps what it should replace; a page is longer, filtered or " +
			"ordered otherwise than x-resources says, or shows what another page showed; or a change is accepted " +
			"that a rule in Go refuses. If the recording is taken as complete, also: a created resource is not " +
			"found, a whole list lacks it, it is there under a name that it gave up, or it reads differently " +
			"than when it was last shown.",
		Inconclusive: "A created resource is not found or not listed, or reads differently: that is itself a sign of a " +
			"caller outside of the recording, who may have changed it, unless the recording is taken as complete.",
		Passes: "Renamed resources, which are shown under another name; requests that are repeated with an idempotency " +
			"key; strings that are trimmed, cut or written otherwise than the request had them; what changes " +
			"by itself, such as the default pool, states and times; in documents of your own, numbers and flags that another " +
			"change may have changed, too.",
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
		r := history.Ruling{Rule: Consistency, Aspect: c.Aspect, Provenance: c.Provenance, Message: c.Message}
		st.Judge(r, report.Fail)
	}
	checkWalk(st)
	checkSlice(st)
	checkDeletedTwice(st)
	checkOldName(st)
	checkIgnoredMembers(st)
	checkUniqueID(st)
	checkUniqueValues(st)
	checkObjects(st)
	checkListHasMade(st)
	checkEnded(st)
	if !st.Verb.Writes() {
		checkUnchangedReads(st)
	}
}

// checkAnsweredID looks whether an answer shows the entity that its request names.
func checkAnsweredID(st *history.Step) {
	t, r := st.Target, history.Ruling{Rule: Consistency, Aspect: "address", Provenance: specs.Public}
	if t.IsNone() || st.Answered == "" {
		return
	}
	if other := (facts.Entity{Kind: t.Kind, ID: st.Answered}); other != t {
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

// checkSlice looks whether two parts of a list that do not touch each other show the same entity.
func checkSlice(st *history.Step) {
	if st.Slice == nil {
		return
	}
	r := promise(st, "slices", st.Kind)
	r.IfComplete = !st.Kind.Interface().IsOwn()
	for _, other := range st.OtherSlices() {
		if other.Slice.First < st.Slice.End && st.Slice.First < other.Slice.End {
			continue
		}
		for i := range st.Shows {
			if t := st.Shows[i].Entity; t.Kind == st.Kind && other.ShowsEntity(t) {
				r.Message = st.Text(t) + " is on two pages of the same list"
				r.Excuses = []history.Excuse{{Did: "created or deleted", Kind: st.Kind, After: other, Before: st.Exchange}}
				st.Judge(r, report.Fail, other)
				return
			}
		}
		st.Judge(r, report.Pass)
	}
}

// checkDeletedTwice looks for a table that the list of deleted tables shows twice.
func checkDeletedTwice(st *history.Step) {
	if st.Page == nil || !st.Listed {
		return
	}
	if id := st.RepeatedTable(); id != "" {
		pages := st.State.Pages.Evidence
		st.Judge(history.Ruling{
			Rule: Consistency, Aspect: "twice", Provenance: specs.Public,
			Message: fmt.Sprintf("the list of deleted tables shows table %s twice", id),
			Excuses: []history.Excuse{{Did: "recovered and deleted", Kind: facts.Tables, After: pages[0], Before: st.Exchange}},
		}, report.Fail, pages[:len(pages)-1]...)
	}
}

// checkOldName looks for something under a name that it gave up.
func checkOldName(st *history.Step) {
	if st.Verb == facts.Creates || !st.State.HasOldNames {
		return
	}
	for t := range st.Touched {
		x := st.State.LookUp(t)
		if to := st.OldName(x); !to.IsNone() && t != st.RenamedTo(st.State.Kinds) {
			st.Judge(history.Ruling{
				Rule: Consistency, Aspect: "old name", Provenance: specs.Public, IfComplete: true,
				Message: fmt.Sprintf("%s is there after it was renamed to %s", st.Text(t), to.ID),
				Excuses: []history.Excuse{history.NewExcuse("created", t, x.RenamedBy, st.Exchange)},
			}, report.Fail, x.RenamedBy)
		}
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
	t, r := st.Target, history.Ruling{Rule: Consistency, Aspect: "name", Provenance: specs.Client}
	to := st.RenamedTo(st.State.Kinds)
	isRenamed := !to.IsNone() && !st.Overwrites
	made := slices.IndexFunc(st.Shows, func(f facts.Shown) bool {
		return f.Does == facts.Creates && f.Entity.Kind == st.Kind
	})
	switch {
	case isRenamed:
		t, r.Provenance = to, specs.Public
	case st.Verb != facts.Creates || st.Repeatable:
		return
	case !t.IsNone() && !slices.Contains(exclusive, t.Kind):
		return
	case t.IsNone() && (made < 0 || !givesIDs(st)):
		return
	case t.IsNone():
		if t, r = st.Shows[made].Entity, promise(st, "id", st.Kind); !judge.IsDistinct(t.ID) {
			return
		}
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
	if isRenamed {
		r.Message = fmt.Sprintf("%s was given the name of %s, which exists", st.Text(st.Target), st.Text(t))
	}
	r.Excuses = []history.Excuse{history.NewExcuse("deleted", t, x.Proof, st.Exchange)}
	st.Judge(r, report.Fail, x.CreatedBy, x.Proof)
}

// checkUniqueValues looks whether two entities have what only one may have: the name of a pool, the priority of a rule,
// and what documents say.
func checkUniqueValues(st *history.Step) {
	list := map[facts.Held]facts.Entity{}
	for i := range st.Shows {
		f := &st.Shows[i]
		if f.Object == nil || f.Entity.Kind != st.Kind || !f.Does.Writes() && f.Does != facts.Lists {
			continue
		}
		for _, held := range f.Object.Holds {
			if other, known := list[held]; known && other != f.Entity {
				r := promise(st, "unique", f.Entity.Kind)
				r.Message = fmt.Sprintf("%s and %s have the same %s", st.Text(other), st.Text(f.Entity), held.Member)
				st.Judge(r, report.Fail)
				return
			}
			list[held] = f.Entity
			if f.Does.Writes() {
				checkUniqueValue(st, f.Entity, held)
			}
		}
	}
}

func checkUniqueValue(st *history.Step, t facts.Entity, held facts.Held) {
	r := promise(st, "unique", t.Kind)
	x := st.State.Holder(t, held)
	isOwn := t.Kind.Interface().IsOwn()
	switch {
	case x == nil && isOwn:
		st.Judge(r, report.Pass)
		return
	case x == nil || x.Entity == st.Target || isOwn && st.ShownBy(x) == nil && st.Known(x.Proof), x.DeletedBy != nil:
		return
	}
	r.Message = fmt.Sprintf("%s was given the %s of %s", st.Text(t), held.Member, st.Text(x.Entity))
	r.Excuses = []history.Excuse{history.NewExcuse("changed or deleted", x.Entity, x.Proof, st.Exchange)}
	switch {
	case st.IsUntouched(x):
		st.Judge(r, report.Fail, x.CreatedBy, x.Proof)
	case isOwn && !st.Known(x.Proof):
		r.Message += " at the same time"
		st.Judge(r, report.Inconclusive, x.Proof)
	}
}

// checkListHasMade looks for entities that were made, and that a whole list lacks.
func checkListHasMade(st *history.Step) {
	if st.Verb != facts.Lists || !st.Listed || !st.Kind.Stays() {
		return
	}
	for _, x := range st.LackedMade() {
		st.Judge(history.Ruling{
			Rule: Consistency, Aspect: "unlisted", Provenance: specs.Public, IfComplete: true,
			Message: st.Text(x.Entity) + " was created, but the list lacks it",
			Excuses: []history.Excuse{history.NewExcuse("deleted", x.Entity, x.Proof, st.Exchange)},
		}, report.Fail, x.CreatedBy, x.Proof)
	}
}

// checkEnded looks for jobs and attempts that were over and go on, or end in another way.
func checkEnded(st *history.Step) {
	for _, c := range st.Courses() {
		end, isOver := st.State.Ends.Get(c.Entity)
		isSame := c.IsOver && c.Status == end.Status
		if !isOver || isSame || end.Proof.Caller != st.Caller || !st.Known(end.Proof) { // another may be of another account
			continue
		}
		st.Judge(history.Ruling{
			Rule: Consistency, Aspect: "ended", Provenance: specs.Client,
			Message: fmt.Sprintf("%s is shown as %s after it ended with %s", st.Text(c.Entity), c.Status, end.Status),
		}, report.Fail, end.Proof)
	}
}

// exclusive are kinds of which none is made under the name of another one.
var exclusive = []facts.Kind{facts.Databases, facts.Tables, facts.Connections, facts.Schedules}

// givesIDs reports whether each request that makes something is given an id of its own. A project may be put again,
// and a query that was made may serve another time.
func givesIDs(st *history.Step) bool {
	if st.Kind.Interface().IsOwn() {
		return slices.Contains([]string{"sequence", "uuid", "digits"}, st.State.Kinds.Of(st.Kind).Behaviour.Make.ID)
	}
	return st.Kind != facts.Projects && st.Kind != facts.SegmentQueries
}

// checkCreatedIsThere looks at an entity that is not found although it was made.
func checkCreatedIsThere(st *history.Step) {
	t := st.Target
	if t.IsNone() || !t.Kind.Stays() || st.Verb == facts.Creates || st.Verb == facts.NoVerb {
		return
	}
	x := st.State.LookUp(t)
	if x == nil || x.CreatedBy == nil || !st.IsSettled(x) || x.Proof.Caller != st.Caller {
		return
	}
	st.Judge(history.Ruling{
		Rule: Consistency, Aspect: "lost", Provenance: specs.Public, IfComplete: true,
		Message: st.Text(t) + " was created, but is not found",
		Excuses: []history.Excuse{history.NewExcuse("deleted", t, x.Proof, st.Exchange)},
	}, report.Fail, x.CreatedBy, x.Proof)
}

// checkUnchangedReads looks at entities that are not what they were shown to be last.
func checkUnchangedReads(st *history.Step) {
	for _, x := range st.Differences() {
		r := promise(st, "changed "+x.Member, x.Kind)
		r.IfComplete = true
		r.Message = fmt.Sprintf("%s of %s differs from when it was last shown", x.Member, st.Text(x.Entity))
		r.Excuses = []history.Excuse{history.NewExcuse("changed", x.Entity, x.Shown, st.Exchange)}
		st.Judge(r, report.Fail, x.Shown)
	}
	for _, x := range st.ChangedUnseen() {
		st.Judge(history.Ruling{
			Rule: Consistency, Aspect: "changed", Provenance: specs.Public, IfComplete: true,
			Message: st.Text(x.Entity) + " differs from when it was last shown",
			Excuses: []history.Excuse{history.NewExcuse("changed", x.Entity, x.Proof, st.Exchange)},
		}, report.Fail, x.Proof)
	}
}
