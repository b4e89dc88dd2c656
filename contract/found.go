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
	maxGroups   = 20_000 // fingerprints that are counted apart
)

// foundFindings holds the first findings of each fingerprint, and counts them all. What is kept does not depend on the
// order in which findings come: the first ones by the numbers of their exchanges, and, if there are too many
// fingerprints to count, those that are first as texts.
type foundFindings struct {
	Groups  map[string]*foundGroup    // by fingerprint
	Dropped int                       // findings of fingerprints that are not counted apart
	Broken  bool                      // one of these breaks the contract
	Kept    map[string][]foundFinding // by fingerprint, each in order
	kept    int                       // in all of these
	last    string                    // a fingerprint behind which none is counted apart, or empty
}

// foundGroup counts the findings with one fingerprint.
type foundGroup struct {
	First report.Finding // with the worst severity of all
	Place findingPlace   // of the first one
	Count int
}

// foundFinding is a finding with the exchanges that it speaks of.
type foundFinding struct {
	report.Finding
	Place findingPlace
	Lines []report.ExchangeLine
}

// findingPlace orders findings: by exchange, then in the order in which they were found in it.
type findingPlace struct {
	Exchange int
	Order    int64
}

func (p findingPlace) compare(other findingPlace) int {
	return cmp.Or(cmp.Compare(p.Exchange, other.Exchange), cmp.Compare(p.Order, other.Order))
}

func compareFound(a, b foundFinding) int {
	return cmp.Or(a.Place.compare(b.Place), cmp.Compare(a.ID, b.ID))
}

// add adds a finding. It reports whether it is the first with its fingerprint.
func (f *foundFindings) add(one foundFinding, breaks func(*report.Finding) bool) (isFirst bool) {
	f.keep(one)
	f.dropFindings()
	return f.count(&one.Finding, one.Place, 1, breaks) == 1
}

// merge adds the findings of another part of the recording. Nothing is shared with it that changes.
func (f *foundFindings) merge(other *foundFindings, breaks func(*report.Finding) bool) {
	for _, list := range other.Kept {
		for i := range list {
			f.keep(list[i])
		}
	}
	f.dropFindings()
	f.Dropped += other.Dropped
	f.Broken = f.Broken || other.Broken
	for _, group := range other.Groups {
		f.count(&group.First, group.Place, group.Count, breaks)
	}
}

// count counts findings with one fingerprint, the first of which is given, and returns how many there are now; 0 if
// they are not counted apart.
func (f *foundFindings) count(first *report.Finding, place findingPlace, n int, breaks func(*report.Finding) bool) int {
	group := f.Groups[first.ID]
	switch {
	case group != nil:
		group.add(first, place, n)
		return group.Count
	case f.last != "" && first.ID > f.last:
		f.drop(first, n, breaks)
		return 0
	case f.Groups == nil:
		f.Groups = map[string]*foundGroup{}
	}
	f.Groups[first.ID] = &foundGroup{*first, place, n}
	f.dropGroups(2*maxGroups, breaks)
	return n
}

func (g *foundGroup) add(first *report.Finding, place findingPlace, n int) {
	g.Count += n
	severity := g.First.Severity
	if first.Severity.Worse(severity) {
		severity = first.Severity
	}
	if place.compare(g.Place) < 0 {
		g.First, g.Place = *first, place
	}
	g.First.Severity = severity
}

// drop counts findings that are not counted apart.
func (f *foundFindings) drop(first *report.Finding, n int, breaks func(*report.Finding) bool) {
	f.Dropped += n
	f.Broken = f.Broken || breaks(first)
}

// dropGroups drops the fingerprints beyond those that are counted apart, if there are more than so many.
func (f *foundFindings) dropGroups(most int, breaks func(*report.Finding) bool) {
	if len(f.Groups) <= most {
		return
	}
	ids := slices.Sorted(maps.Keys(f.Groups))
	f.last = ids[maxGroups-1]
	for _, id := range ids[maxGroups:] {
		group := f.Groups[id]
		f.drop(&group.First, group.Count, breaks)
		delete(f.Groups, id)
	}
}

// keep keeps a finding if it is one of the first with its fingerprint.
func (f *foundFindings) keep(one foundFinding) {
	list := f.Kept[one.ID]
	at := len(list)
	if at > 0 && compareFound(one, list[at-1]) < 0 {
		at, _ = slices.BinarySearchFunc(list, one, compareFound)
	}
	if at >= perGroup {
		return
	}
	if f.Kept == nil {
		f.Kept = map[string][]foundFinding{}
	}
	longer := slices.Insert(list, at, one)
	longer = longer[:min(len(longer), perGroup)]
	f.Kept[one.ID] = longer
	f.kept += len(longer) - len(list)
}

// dropFindings drops the findings beyond the first ones, once there are twice as many. As many others come before each
// of them in the whole recording, too, since of no fingerprint there are fewer.
func (f *foundFindings) dropFindings() {
	if f.kept <= 2*maxFindings {
		return
	}
	last := f.list()[maxFindings-1]
	f.kept = 0
	for id, list := range f.Kept {
		n, isLast := slices.BinarySearchFunc(list, last, compareFound)
		if isLast {
			n++
		}
		if f.Kept[id] = slices.Clone(list[:n]); n == 0 { // a clone, to let go of the others
			delete(f.Kept, id)
		}
		f.kept += n
	}
}

// list lists the findings that are kept, in order.
func (f *foundFindings) list() []foundFinding {
	list := make([]foundFinding, 0, f.kept)
	for _, kept := range f.Kept {
		list = append(list, kept...)
	}
	slices.SortFunc(list, compareFound)
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
