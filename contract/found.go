package contract

import (
	"cmp"
	"maps"
	"slices"

	"svc.example/understudy/contract/report"
)

const (
	perGroup    = 50     // findings kept of each fingerprint
	maxFindings = 10_000 // findings kept in all
	maxGroups   = 20_000 // fingerprints that are kept apart
)

// foundFindings holds the first findings of each fingerprint, and counts them all. What is kept does not depend on the
// order in which findings come: the first ones by the numbers of their exchanges, and, if there are too many
// fingerprints, those that are first as texts.
type foundFindings struct {
	Groups  map[string]*foundGroup // by fingerprint
	Dropped int                    // findings of fingerprints that are not kept apart
	Broken  bool                   // one of these breaks the contract
	kept    int                    // in all groups
	last    string                 // a fingerprint behind which none is kept apart, or empty
}

// foundGroup holds the findings with one fingerprint.
type foundGroup struct {
	First report.Finding // with the worst severity of all
	Place findingPlace   // of the first one
	Count int
	Kept  []foundFinding // the first ones, in order
}

// foundFinding is a finding with the exchanges that it speaks of.
type foundFinding struct {
	report.Finding
	Place findingPlace
	Lines []report.Line
}

// findingPlace orders findings: by exchange, then in the order in which they were found in it.
type findingPlace struct {
	Exchange int
	Order    int64
}

func (p findingPlace) compare(other findingPlace) int {
	return cmp.Or(cmp.Compare(p.Exchange, other.Exchange), cmp.Compare(p.Order, other.Order))
}

func compareFound(a, b foundFinding) int { return a.Place.compare(b.Place) }

// add adds a finding. It reports whether it is the first with its fingerprint.
func (f *foundFindings) add(one foundFinding, breaks func(*report.Finding) bool) (isFirst bool) {
	group := f.group(one.ID, one.Finding, one.Place)
	if group == nil {
		f.drop(&one.Finding, 1, breaks)
		return false
	}
	group.count(one.Finding, one.Place, 1)
	before := len(group.Kept)
	group.keep(one)
	f.kept += len(group.Kept) - before
	f.dropGroups(2*maxGroups, breaks)
	f.dropFindings()
	return group.Count == 1
}

// group returns the group of a fingerprint, or nil if it is not kept apart.
func (f *foundFindings) group(id string, first report.Finding, place findingPlace) *foundGroup {
	group := f.Groups[id]
	if group == nil && (f.last == "" || id <= f.last) {
		if f.Groups == nil {
			f.Groups = map[string]*foundGroup{}
		}
		group = &foundGroup{First: first, Place: place}
		f.Groups[id] = group
	}
	return group
}

// drop counts findings that are not kept apart.
func (f *foundFindings) drop(first *report.Finding, n int, breaks func(*report.Finding) bool) {
	f.Dropped += n
	f.Broken = f.Broken || breaks(first)
}

// count counts findings, the first of which is given.
func (g *foundGroup) count(first report.Finding, place findingPlace, n int) {
	g.Count += n
	severity := g.First.Severity
	if first.Severity.Worse(severity) {
		severity = first.Severity
	}
	if place.compare(g.Place) < 0 {
		g.First, g.Place = first, place
	}
	g.First.Severity = severity
}

// keep keeps a finding if it is one of the first.
func (g *foundGroup) keep(one foundFinding) {
	at := len(g.Kept)
	if at > 0 && one.Place.compare(g.Kept[at-1].Place) < 0 {
		at, _ = slices.BinarySearchFunc(g.Kept, one, compareFound)
	}
	if at < perGroup {
		g.Kept = slices.Insert(g.Kept, at, one)
		g.Kept = g.Kept[:min(len(g.Kept), perGroup)]
	}
}

// merge adds the findings of another part of the recording. Nothing is shared with it that changes.
func (f *foundFindings) merge(other *foundFindings, breaks func(*report.Finding) bool) {
	f.Dropped += other.Dropped
	f.Broken = f.Broken || other.Broken
	for id, from := range other.Groups {
		group := f.group(id, from.First, from.Place)
		if group == nil {
			f.drop(&from.First, from.Count, breaks)
			continue
		}
		group.count(from.First, from.Place, from.Count)
		before := len(group.Kept)
		for _, one := range from.Kept {
			group.keep(one)
		}
		f.kept += len(group.Kept) - before
	}
	f.dropGroups(2*maxGroups, breaks)
	f.dropFindings()
}

// dropGroups drops the fingerprints beyond those that are kept apart, if there are more than so many.
func (f *foundFindings) dropGroups(most int, breaks func(*report.Finding) bool) {
	if len(f.Groups) <= most {
		return
	}
	ids := slices.Sorted(maps.Keys(f.Groups))
	f.last = ids[maxGroups-1]
	for _, id := range ids[maxGroups:] {
		group := f.Groups[id]
		f.drop(&group.First, group.Count, breaks)
		f.kept -= len(group.Kept)
		delete(f.Groups, id)
	}
}

// dropFindings drops the findings beyond the first ones, once there are twice as many.
func (f *foundFindings) dropFindings() {
	if f.kept <= 2*maxFindings {
		return
	}
	list := f.list()
	last := list[maxFindings-1]
	f.kept = 0
	for _, group := range f.Groups {
		n, _ := slices.BinarySearchFunc(group.Kept, last, compareFound)
		if n < len(group.Kept) && compareFound(group.Kept[n], last) == 0 {
			n++
		}
		group.Kept = group.Kept[:n:n]
		f.kept += n
	}
}

// list lists the findings that are kept, in order.
func (f *foundFindings) list() []foundFinding {
	list := make([]foundFinding, 0, f.kept)
	for _, group := range f.Groups {
		list = append(list, group.Kept...)
	}
	slices.SortFunc(list, func(a, b foundFinding) int { return cmp.Or(compareFound(a, b), cmp.Compare(a.ID, b.ID)) })
	return list
}

// total returns the number of all findings.
func (f *foundFindings) total() int {
	n := f.Dropped
	for _, group := range f.Groups {
		n += group.Count
	}
	return n
}
