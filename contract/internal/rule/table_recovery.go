package rule

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// keptFor is the time for which a deleted table can be recovered.
const keptFor = 7 * 24 * time.Hour

var tableRecovery = watch{
	about: report.RuleDoc{
		ID: TableRecovery, Provenance: specs.Documented,
		Title: "a deleted table can be found and recovered, and its deleted database with it",
		Watches: "Lists of deleted tables, for seven days after a table was deleted, and exchanges that show a table or its " +
			"database after a recovery succeeded, until they are changed, moved or deleted again.",
		Evidence: "The complete list of deleted tables, up to the last page, read by the caller who deleted the table, lacks " +
			"it, or still has it after its recovery; a recovered table, or its database that had been deleted, is not " +
			"found by the caller who recovered it.",
		Inconclusive: "The pages seen are not a complete list; the list belongs to another caller, who may not see the table; a " +
			"recovered table is missing for another caller, or was recovered to a place that the recording does not " +
			"show.",
		Passes: "A list more than seven days later, of another database, or requested before the deletion ended; a table " +
			"that may have been recovered or deleted again in between; a recovery that was refused, also because of " +
			"missing permissions on the database.",
	},
	see: seeTableRecovery,
}

func seeTableRecovery(st *step) {
	isPage := st.Page != nil && st.OK() && st.Listed && !st.Opaque
	if isPage {
		st.s.pages = st.turn()
	}
	if isPage || st.of == tables || st.of == databases || st.Recovered != nil {
		st.settle(TableRecovery)
	}
	switch {
	case st.Operation == "core.deleteTable" && st.OK() && st.deletion(st.s.lookUp(st.Named)) == nil:
		st.awaitListing()
	case st.Recovered != nil && st.OK():
		st.awaitReturn()
	}
}

// pages are the list of deleted tables as far as it was read, page after page.
type pages struct {
	first, last *Event
	evidence    []*Event
	tables      []deletedFact
	whole       bool // from the first page to the last
	torn        bool // a page is missing
}

// turn adds the page in hand to the list that it goes on with, or begins another one.
func (st *step) turn() *pages {
	p, page := st.s.pages, st.Page
	goesOn := p != nil && page.Cursor != "" && page.Cursor == p.last.Page.Next && page.Database == p.last.Page.Database &&
		st.Caller == p.last.Caller && before(p.last, st.Event) && len(p.tables) < maxEntities
	if !goesOn {
		p = &pages{first: st.Event, torn: page.Cursor != ""}
	}
	return &pages{
		first: p.first, last: st.Event, torn: p.torn, whole: !p.torn && page.Next == "" && !page.Cut,
		evidence: append(slices.Clip(p.evidence), st.Event), tables: append(slices.Clip(p.tables), page.Tables...),
	}
}

// deletedTable waits to be among the deleted ones.
type deletedTable struct {
	pending
	deletion *Event
	table    thing
	ident    string // empty when it is not known
	database string // id of its database, likewise
	proofs   []*Event
}

func (st *step) awaitListing() {
	d := &deletedTable{deletion: st.Event, table: st.Named}
	if x := st.s.lookUp(st.Named); x != nil && st.known(x.showed) {
		d.ident, d.proofs = x.ident, append(d.proofs, x.showed)
	}
	if x := st.s.lookUp(st.Within); x != nil && st.known(x.showed) {
		d.database, d.proofs = x.ident, append(d.proofs, x.showed)
	}
	d.look = d.find
	st.await(TableRecovery, &d.pending)
}

// find looks for the table in the pages so far, and for what takes it out of them.
func (d *deletedTable) find(st *step) bool {
	if st.Recovered != nil && !before(st.Event, d.deletion) {
		return !st.refused() && d.mayBe(st.Recovered.ID, st.s)
	}
	if st.Page == nil || !st.OK() || st.Opaque || !before(d.deletion, st.s.pages.first) {
		return false
	}
	if other := st.Page.Database; other != "" && other != d.database {
		return false
	}
	r := ruling{rule: TableRecovery, aspect: "deleted", operation: st.Operation, provenance: specs.Documented}
	if slices.ContainsFunc(st.s.pages.tables, d.is) {
		st.judge(r, report.Pass)
		return true
	}
	return d.missing(st, r)
}

func (d *deletedTable) missing(st *step, r ruling) bool {
	known := !st.Start.IsZero() && !d.deletion.End.IsZero()
	evidence := slices.Concat(d.proofs, []*Event{d.deletion}, st.s.pages.evidence)
	switch {
	case known && st.Start.Sub(d.deletion.End) >= keptFor:
		return true
	case !st.s.pages.whole || st.contested(func(e *Event) bool { return e.Recovered != nil }):
		r.message = fmt.Sprintf("table %s was deleted; the recording does not show the whole list of deleted tables", d.table.id)
		r.evidence = evidence
		d.ruling = r
		return false
	case !known, st.Caller == 0, st.Caller != d.deletion.Caller:
		r.message = fmt.Sprintf("table %s was deleted, and the caller's list of deleted tables lacks it", d.table.id)
		st.judge(r, report.Inconclusive, evidence...)
	default:
		r.message = fmt.Sprintf("table %s was deleted and is not among the deleted tables", d.table.id)
		r.excuses = []excuse{excused(recovered, d.table, d.deletion, st.Event)}
		st.judge(r, report.Fail, evidence...)
		st.sign("created", d.table, d.deletion, time.Time{})
	}
	return true
}

func (d *deletedTable) is(f deletedFact) bool {
	if d.ident != "" && f.ID != "" {
		return d.ident == f.ID
	}
	return d.table.id == f.Database+"/"+f.Name
}

func (d *deletedTable) mayBe(id string, s *state) bool {
	was, known := s.places.get(id)
	return d.ident == id || d.ident == "" && (!known || d.is(was.deletedFact))
}

// refused reports whether a request certainly had no effect.
func (e *Event) refused() bool { return !e.OK() && !e.Unknown() }

// returned is a recovered table that waits to be shown.
type returned struct {
	pending
	recovery        *Event
	deletion        *Event // of its database, if that is known to have been deleted
	proofs          []*Event
	table, database thing
	isThere, isIn   bool // the table, and the database, were shown
}

func (st *step) awaitReturn() {
	b := &returned{recovery: st.Event}
	if b.table, b.database, b.proofs = st.s.place(st.Recovered); b.table.isNone() {
		st.judge(ruling{
			rule: TableRecovery, aspect: "place", provenance: specs.Documented,
			message: fmt.Sprintf("table %s was recovered; the recording does not show to which database", st.Recovered.ID),
		}, report.Inconclusive)
		return
	}
	b.deletion = st.deletion(st.s.lookUp(b.database))
	b.look = b.find
	st.await(TableRecovery, &b.pending)
}

// find looks whether the table and its database are shown again, until something changes them.
func (b *returned) find(st *step) bool {
	if b.isChangedBy(st.Event) {
		return !st.refused()
	}
	if !before(b.recovery, st.Event) || st.contested(b.isChangedBy) {
		return false
	}
	switch st.Operation {
	case "core.getTable":
		if st.Named == b.table {
			b.judge(st, &b.isThere, st.OK(), b.table)
		}
	case "core.listTables":
		if st.Within == b.database && (st.Status == http.StatusNotFound || st.isListOf(UseAfterDelete)) {
			b.judge(st, &b.isThere, st.showsThing(b.table), b.table)
		}
	case "core.getDatabase":
		if st.Named == b.database {
			b.judge(st, &b.isIn, st.OK(), b.database)
		}
	case "core.listDatabases":
		if st.isListOf(UseAfterDelete) {
			b.judge(st, &b.isIn, st.showsThing(b.database), b.database)
		}
	case "core.listDeletedTables":
		return b.stillDeleted(st)
	}
	return false
}

// judge judges an exchange that shows a thing, or that it is not there.
func (b *returned) judge(st *step, done *bool, isShown bool, t thing) {
	r := ruling{rule: TableRecovery, aspect: st.s.kinds.noun(t.kind), operation: st.Operation, provenance: specs.Documented}
	isMissing := st.Status == http.StatusNotFound || st.OK() && !isShown
	if *done || !isShown && !isMissing {
		return
	}
	*done = true
	switch {
	case isShown && (t == b.table || b.deletion != nil):
		st.judge(r, report.Pass)
	case isShown:
	case st.Caller == 0 || st.Caller != b.recovery.Caller:
		r.message = fmt.Sprintf("%s is not found by another caller than the one who recovered table %s", st.text(t), b.table.id)
		st.judge(r, report.Inconclusive, b.evidence()...)
	default:
		r.message = fmt.Sprintf("%s is not found after table %s was recovered", st.text(t), b.table.id)
		r.excuses = []excuse{excused("changed or deleted", t, b.recovery, st.Event)}
		st.judge(r, report.Fail, b.evidence()...)
	}
}

func (b *returned) evidence() []*Event { return append(slices.Clone(b.proofs), b.deletion, b.recovery) }

// stillDeleted looks for the table among the deleted ones.
func (b *returned) stillDeleted(st *step) bool {
	id := b.recovery.Recovered.ID
	i := slices.IndexFunc(st.Page.Tables, func(f deletedFact) bool { return f.ID == id })
	if !st.OK() || i < 0 {
		return false
	}
	r := ruling{
		rule: TableRecovery, aspect: "deleted", provenance: specs.Documented,
		message: fmt.Sprintf("table %s is among the deleted tables after it was recovered", b.table.id),
		excuses: []excuse{excused("deleted", b.table, b.recovery, st.Event)},
	}
	at := st.Page.Tables[i].At
	if at.IsZero() || at.Before(b.recovery.over().Truncate(time.Second)) {
		st.judge(r, report.Fail, b.evidence()...)
		return true
	}
	if at.After(b.recovery.over()) {
		st.sign("deleted", b.table, b.recovery, time.Time{})
	}
	r.message += "; it was deleted again at " + at.UTC().Format(time.RFC3339)
	st.judge(r, report.Inconclusive, b.evidence()...)
	return true
}

// isChangedBy reports whether an exchange may change the table or its database again.
func (b *returned) isChangedBy(e *Event) bool {
	if e == b.recovery || e.does != changes && e.does != removes {
		return false
	}
	return e.Named == b.database || slices.Contains(e.touched(), b.table)
}

func (e *Event) showsThing(t thing) bool {
	return slices.ContainsFunc(e.Shows, func(f shown) bool { return f.Thing == t })
}
