package contract

import (
	"cmp"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/report"
)

// What is kept of the numbers in a recording.
const (
	maxSeries = 20_000 // files and worlds
	maxPieces = 1_000  // of a series; of one with more, the first ones
	maxGaps   = 1_000  // in the report
)

// sequenceNumbers finds the exchanges that a recording lacks, by the numbers of those that it has. The numbers of a
// world begin with 1 in each run of the program that recorded it. A recording may hold several runs, one after the
// other or mixed, and may begin in the middle of one.
type sequenceNumbers struct {
	series map[seriesKey][]piece
	order  []seriesKey
}

type seriesKey struct{ file, world string }

// piece is a stretch of numbers without a hole.
type piece struct{ first, last int64 }

func (n *sequenceNumbers) take(item *record.Item) {
	if item.Seq <= 0 {
		return
	}
	key := seriesKey{item.File, item.World}
	pieces, known := n.series[key]
	switch last := len(pieces) - 1; {
	case !known && len(n.order) >= maxSeries:
		return
	case !known:
		if n.series == nil {
			n.series = map[seriesKey][]piece{}
		}
		n.order = append(n.order, key)
	case item.Seq == pieces[last].last+1:
		pieces[last].last++
		return
	}
	if len(pieces) <= maxPieces {
		n.series[key] = append(pieces, piece{item.Seq, item.Seq})
	}
}

// gaps lists what is certainly missing: what lies between two numbers of a run. What lies before the first one may not
// have been recorded on purpose; it is listed only for those who want the recording to be complete.
func (n *sequenceNumbers) gaps(complete bool) []report.Gap {
	var list []report.Gap
	for _, key := range n.order {
		for _, run := range runs(n.series[key]) {
			before := piece{last: run[0].first - 1}
			if complete && !n.ends(key.world, before.last) {
				before.last = 0
			}
			for _, p := range run {
				if p.first > before.last+1 && len(list) < maxGaps {
					list = append(list, report.Gap{File: key.file, World: key.world, First: before.last + 1, Last: p.first - 1})
				}
				before = p
			}
		}
	}
	return list
}

// runs splits the pieces of a series where a run begins anew. Where one seems to begin in the middle, the numbers of
// several runs are mixed: then what any of them has is missing in none, and nothing is known of pieces that were not
// kept.
func runs(pieces []piece) [][]piece {
	list := [][]piece{pieces[:1:1]}
	for i, p := range pieces[1:] {
		switch isBack := p.first <= pieces[i].last; {
		case isBack && p.first > 1 && len(pieces) > maxPieces:
			return nil
		case isBack && p.first > 1:
			return [][]piece{merged(pieces)}
		case isBack:
			list = append(list, []piece{p})
		default:
			list[len(list)-1] = append(list[len(list)-1], p)
		}
	}
	return list
}

// merged sorts pieces and joins those that meet.
func merged(pieces []piece) []piece {
	pieces = slices.SortedFunc(slices.Values(pieces), func(a, b piece) int { return cmp.Compare(a.first, b.first) })
	list := pieces[:1]
	for _, p := range pieces[1:] {
		if last := &list[len(list)-1]; p.first <= last.last+1 {
			last.last = max(last.last, p.last)
		} else {
			list = append(list, p)
		}
	}
	return list
}

// ends reports whether a stretch of numbers of a world ends with one, so that what follows goes on with it. Nothing
// goes before the first.
func (n *sequenceNumbers) ends(world string, number int64) bool {
	if number == 0 {
		return true
	}
	for key, pieces := range n.series {
		if key.world == world && slices.ContainsFunc(pieces, func(p piece) bool { return p.last == number }) {
			return true
		}
	}
	return false
}
