package rule

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// keptFor is the time for which a deleted table can be recovered.
const keptFor = 7 * 24 * time.Hour

var tableRecovery = history.Rule{
	Doc: report.RuleDoc{
		ID: TableRecovery, Provenance: specs.Documented,
		Title: "a deleted table can be found and recovered, and its deleted database with it",
		Watches: "Lists of deleted tables, for seven days after a table was deleted, and exchanges that show a table or " +
			"its database after a recovery succeeded, until they are changed, moved or deleted again.",
		Evidence: "The complete list of deleted tables, up to the last page, read by the caller who deleted the table, " +
			"lacks it, or still has it after its recovery; after a recovery without an answer, it is neither there nor in " +
			"the list, or both; a recovered table, or its database that had been deleted, is not " +
			"found by the caller who recovered it.",
		Inconclusive: "The pages seen are not a complete list; the list belongs to another caller, who may not see the " +
			"table; a recovered table is missing for another caller, or was recovered to a place that the recording does not " +
			"show.",
		Passes: "A list more than seven days later, of another database, or requested before the deletion ended; a table " +
			"that may have been recovered or deleted again in between; a recovery that was refused, also because of " +
			"missing permissions on the database.",
	},
	Check: checkTableRecovery,
}

func checkTableRecovery(st *history.Step) {
	isPage := st.Page != nil && st.OK() && st.Listed && !st.Opaque
	if isPage {
		st.State.Pages = st.NextPage()
	}
	if isPage || st.Kind == facts.Tables || st.Kind == facts.Databases || st.Recovered != nil {
		st.Resolve(TableRecovery)
	}
	switch {
	case st.Operation == "core.deleteTable" && st.OK() && st.Deletion(st.State.LookUp(st.Target)) == nil:
		awaitListing(st)
	case st.Recovered != nil && st.OK():
		awaitReturn(st)
	case st.Recovered != nil && st.Unknown():
		awaitOutcome(st)
	}
}

// deletedTable waits to be among the deleted ones.
type deletedTable struct {
	history.Pending
	deletion *facts.Exchange
	table    facts.Entity
	ident    string          // empty when it is not known
	database string          // id of its database, likewise
	shownIn  *facts.Exchange // that showed this id
	proofs   []*facts.Exchange

	maybe          *facts.Exchange // a recovery of which the outcome is not known
	place          facts.Entity    // where that puts the table
	lacked, missed *facts.Exchange // after that: a list of deleted tables, and an answer, without it
	found          *facts.Exchange // after that: an answer with it
}

func awaitListing(st *history.Step) {
	d := &deletedTable{deletion: st.Exchange, table: st.Target}
	if x := st.State.LookUp(st.Target); x != nil && st.Known(x.IdentifiedBy) {
		d.ident, d.proofs = x.Ident, append(d.proofs, x.IdentifiedBy)
	}
	if x := st.State.LookUp(st.Parent); x != nil && st.Known(x.IdentifiedBy) {
		d.database, d.shownIn = x.Ident, x.IdentifiedBy
	}
	mayHaveTaken := func(e *facts.Exchange) bool {
		return e.Recovered != nil && !e.Refused() && d.mayBe(e.Recovered.ID, st.State)
	}
	if st.Contested(mayHaveTaken) { // out of the deleted ones, before this is shown
		return
	}
	d.Look = d.find
	st.Await(TableRecovery, &d.Pending)
}

// find looks for the table in the pages so far, and for what takes it out of them.
func (d *deletedTable) find(st *history.Step) bool {
	if st.Recovered != nil && !facts.Before(st.Exchange, d.deletion) {
		return !st.Refused() && d.mayBe(st.Recovered.ID, st.State)
	}
	if d.maybe != nil && st.Page == nil {
		return d.isNowhere(st)
	}
	if st.Page == nil || !st.OK() || st.Opaque || !facts.Before(d.deletion, st.State.Pages.First) {
		return false
	}
	if other := st.Page.Database; other != "" && other != d.database {
		return false
	}
	r := history.Ruling{Rule: TableRecovery, Aspect: "deleted", Operation: st.Operation, Provenance: specs.Documented}
	i := slices.IndexFunc(st.State.Pages.Tables, d.is)
	switch {
	case i < 0:
		return d.missing(st, r)
	case d.found != nil && facts.Before(d.found, st.State.Pages.First) &&
		!st.State.Pages.Tables[i].At.After(d.maybe.EndedAt()):
		r.Message = fmt.Sprintf("table %s was found after a recovery without an answer, and is among the deleted tables",
			d.table.ID)
		r.Excuses = []history.Excuse{history.NewExcuse("deleted", d.place, d.maybe, st.Exchange)}
		st.Judge(r, report.Fail, append(slices.Clone(d.proofs), d.deletion, d.maybe, d.found)...)
	default:
		st.Judge(r, report.Pass)
	}
	return true
}

func (d *deletedTable) missing(st *history.Step, r history.Ruling) bool {
	known := !st.Start.IsZero() && !d.deletion.End.IsZero()
	evidence := slices.Concat(d.proofs, []*facts.Exchange{d.deletion}, st.State.Pages.Evidence)
	if st.Page.Database != "" {
		evidence = slices.Insert(evidence, 0, d.shownIn)
	}
	if d.maybe != nil {
		if st.State.Pages.Whole && st.Caller == d.deletion.Caller && facts.Before(d.maybe, st.State.Pages.First) {
			d.noteLacked(st, evidence)
		}
		return false
	}
	switch {
	case known && st.Start.Sub(d.deletion.End) >= keptFor:
		return true
	case !st.State.Pages.Whole || st.Contested(func(e *facts.Exchange) bool { return e.Recovered != nil }):
		r.Message = fmt.Sprintf("table %s was deleted; the recording does not show the whole list of deleted tables",
			d.table.ID)
	case !known, st.Caller == 0, st.Caller != d.deletion.Caller: // it may not be the whole list for the other one
		r.Message = fmt.Sprintf("table %s was deleted, and the caller's list of deleted tables lacks it", d.table.ID)
	default:
		r.Message = fmt.Sprintf("table %s was deleted and is not among the deleted tables", d.table.ID)
		r.Excuses = []history.Excuse{history.NewExcuse(history.Recovered, d.table, d.deletion, st.Exchange)}
		st.Judge(r, report.Fail, evidence...)
		st.Sign("created", d.table, d.deletion, time.Time{})
		return true
	}
	r.Evidence = evidence
	d.Ruling = r
	return false
}

// awaitOutcome takes a recovery of which the outcome is not known: afterwards the table is either there, or among the
// deleted ones.
func awaitOutcome(st *history.Step) {
	was, known := st.State.Places.Get(st.Recovered.ID)
	place, _, _ := st.State.Place(st.Recovered)
	proofs := was.Proofs()
	if !known || place.IsNone() || len(proofs) == 0 || !st.Known(proofs[len(proofs)-1]) {
		return
	}
	d := &deletedTable{
		deletion: proofs[len(proofs)-1], table: facts.Entity{Kind: facts.Tables, ID: was.Database + "/" + was.Name},
		ident: st.Recovered.ID, proofs: proofs[:len(proofs)-1], maybe: st.Exchange, place: place,
	}
	if x := st.State.LookUp(facts.DatabaseOf(d.table)); x != nil && st.Known(x.IdentifiedBy) {
		d.database, d.shownIn = x.Ident, x.IdentifiedBy
	}
	d.Look = d.find
	st.Await(TableRecovery, &d.Pending)
}

// noteLacked takes a list without the table. If the table was missing before that, it may have been recovered between.
func (d *deletedTable) noteLacked(st *history.Step, evidence []*facts.Exchange) {
	if d.lacked = st.Exchange; d.missed == nil {
		return
	}
	d.Ruling = history.Ruling{
		Rule: TableRecovery, Aspect: "nowhere", Operation: st.Operation, Provenance: specs.Documented,
		Message: fmt.Sprintf("table %s was not found after a recovery without an answer, and is not among the deleted "+
			"tables either; it may have been recovered in between", d.table.ID),
		Evidence: append(slices.Clone(evidence), d.maybe, d.missed, st.Exchange),
	}
}

// isNowhere looks at what an answer shows of a table that may have been recovered, and reports whether the case is
// closed.
func (d *deletedTable) isNowhere(st *history.Step) bool {
	in := facts.DatabaseOf(d.place)
	isMissing := st.Lacks(d.place) || st.Absent() == in
	switch {
	case st.Verb.Writes() && !st.Refused() && (st.Target == d.place || st.Target == in):
		return true
	case !facts.Before(d.maybe, st.Exchange) || st.Caller != d.deletion.Caller:
	case st.ShowsEntity(d.place), st.OK() && st.Target == d.place:
		d.found = st.Exchange
	case isMissing && d.found != nil: // it went after that
		return true
	case isMissing && d.lacked != nil && facts.Before(d.lacked, st.Exchange):
		st.Judge(history.Ruling{
			Rule: TableRecovery, Aspect: "nowhere", Provenance: specs.Documented,
			Message: fmt.Sprintf("table %s is neither found nor among the deleted tables after a recovery without an answer",
				d.table.ID),
			Excuses: []history.Excuse{history.NewExcuse("deleted", d.place, d.maybe, st.Exchange)},
		}, report.Fail, append(slices.Clone(d.proofs), d.deletion, d.maybe, d.lacked)...)
		return true
	case isMissing:
		d.missed = st.Exchange
	}
	return false
}

func (d *deletedTable) is(f facts.DeletedTable) bool {
	if d.ident != "" && f.ID != "" {
		return d.ident == f.ID
	}
	return d.table.ID == f.Database+"/"+f.Name
}

func (d *deletedTable) mayBe(id string, s *history.State) bool {
	was, known := s.Places.Get(id)
	return d.ident == id || d.ident == "" && (!known || d.is(was.DeletedTable))
}

// returned is a recovered table that waits to be shown.
type returned struct {
	history.Pending
	recovery        *facts.Exchange
	deletion        *facts.Exchange // of its database, if that is known to have been deleted
	proofs          []*facts.Exchange
	table, database facts.Entity
	isThere, isIn   bool // the table, and the database, were shown
}

func awaitReturn(st *history.Step) {
	b := &returned{recovery: st.Exchange}
	if b.table, b.database, b.proofs = st.State.Place(st.Recovered); b.table.IsNone() {
		st.Judge(history.Ruling{
			Rule: TableRecovery, Aspect: "place", Provenance: specs.Documented,
			Message: fmt.Sprintf("table %s was recovered; the recording does not show to which database", st.Recovered.ID),
		}, report.Inconclusive)
		return
	}
	b.deletion = st.Deletion(st.State.LookUp(b.database))
	b.Look = b.find
	st.Await(TableRecovery, &b.Pending)
}

// find looks whether the table and its database are shown again, until something changes them.
func (b *returned) find(st *history.Step) bool {
	if b.isChangedBy(st.Exchange) {
		return !st.Refused()
	}
	if !facts.Before(b.recovery, st.Exchange) || st.Contested(b.isChangedBy) {
		return false
	}
	switch st.Operation {
	case "core.getTable":
		if st.Target == b.table {
			b.judge(st, &b.isThere, st.OK(), b.table)
		}
	case "core.listTables":
		if st.Parent == b.database && (st.Status == http.StatusNotFound || isListOf(st, UseAfterDelete)) {
			b.judge(st, &b.isThere, st.ShowsEntity(b.table), b.table)
		}
	case "core.getDatabase":
		if st.Target == b.database {
			b.judge(st, &b.isIn, st.OK(), b.database)
		}
	case "core.listDatabases":
		if isListOf(st, UseAfterDelete) {
			b.judge(st, &b.isIn, st.ShowsEntity(b.database), b.database)
		}
	case "core.listDeletedTables":
		return b.stillDeleted(st)
	}
	return false
}

// judge judges an exchange that shows an entity, or that it is not there.
func (b *returned) judge(st *history.Step, done *bool, isShown bool, t facts.Entity) {
	r := history.Ruling{
		Rule: TableRecovery, Aspect: st.State.Kinds.Noun(t.Kind), Operation: st.Operation,
		Provenance: specs.Documented,
	}
	isMissing := st.Status == http.StatusNotFound || st.OK() && !isShown
	if *done || !isShown && !isMissing {
		return
	}
	*done = true
	switch {
	case isShown && (t == b.table || b.deletion != nil):
		st.Judge(r, report.Pass)
	case isShown:
	case st.Caller == 0 || st.Caller != b.recovery.Caller:
		r.Message = fmt.Sprintf("%s is not found by another caller than the one who recovered table %s", st.Text(t),
			b.table.ID)
		st.Judge(r, report.Inconclusive, b.evidence()...)
	default:
		r.Message = fmt.Sprintf("%s is not found after table %s was recovered", st.Text(t), b.table.ID)
		r.Excuses = []history.Excuse{history.NewExcuse("changed or deleted", t, b.recovery, st.Exchange)}
		st.Judge(r, report.Fail, b.evidence()...)
	}
}

func (b *returned) evidence() []*facts.Exchange {
	return append(slices.Clone(b.proofs), b.deletion, b.recovery)
}

// stillDeleted looks for the table among the deleted ones.
func (b *returned) stillDeleted(st *history.Step) bool {
	id := b.recovery.Recovered.ID
	i := slices.IndexFunc(st.Page.Tables, func(f facts.DeletedTable) bool { return f.ID == id })
	if !st.OK() || i < 0 {
		return false
	}
	r := history.Ruling{
		Rule: TableRecovery, Aspect: "deleted", Provenance: specs.Documented,
		Message: fmt.Sprintf("table %s is among the deleted tables after it was recovered", b.table.ID),
		Excuses: []history.Excuse{history.NewExcuse("deleted", b.table, b.recovery, st.Exchange)},
	}
	at := st.Page.Tables[i].At
	if at.IsZero() || at.Before(b.recovery.EndedAt().Truncate(time.Second)) {
		st.Judge(r, report.Fail, b.evidence()...)
		return true
	}
	if at.After(b.recovery.EndedAt()) {
		st.Sign("deleted", b.table, b.recovery, time.Time{})
	}
	r.Message += "; it was deleted again at " + at.UTC().Format(time.RFC3339)
	st.Judge(r, report.Inconclusive, b.evidence()...)
	return true
}

// isChangedBy reports whether an exchange may change the table or its database again.
func (b *returned) isChangedBy(e *facts.Exchange) bool {
	if e == b.recovery || e.Verb != facts.Changes && e.Verb != facts.Deletes {
		return false
	}
	for t := range e.Touched {
		if t == b.table {
			return true
		}
	}
	return e.Target == b.database
}
