package contract

import (
	"cmp"
	"maps"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/report"
)

// What is kept of the numbers in a recording.
const (
	maxSeries = 20_000 // files and worlds: those that are first as texts
	maxPieces = 1_000  // of a series; of one with more, the first ones
	maxGaps   = 1_000  // in the report
)

// sequenceNumbers finds missing exchanges by the numbers of the recorded ones. The numbers of a
// world begin with 1 in each run of the program that recorded it. A recording may hold several runs, one after the
// other or mixed, and may begin in the middle of one.
type sequenceNumbers struct {
	Series map[seriesKey][]piece
	last   seriesKey // behind it none is kept; empty if all are
}

type seriesKey struct{ File, World string }

func (k seriesKey) compare(other seriesKey) int {
	return cmp.Or(cmp.Compare(k.File, other.File), cmp.Compare(k.World, other.World))
}

// piece is a range of numbers without a gap.
type piece struct {
	First, Last int64
	At          int // the exchange that has the first one
}

func (n *sequenceNumbers) add(item *record.Item) {
	if item.Seq <= 0 {
		return
	}
	key := seriesKey{item.File, item.World}
	pieces, known := n.Series[key]
	if known && item.Seq == pieces[len(pieces)-1].Last+1 {
		pieces[len(pieces)-1].Last++
		return
	}
	if len(pieces) <= maxPieces {
		n.put(key, append(pieces, piece{item.Seq, item.Seq, item.Number}))
	}
}

func (n *sequenceNumbers) put(key seriesKey, pieces []piece) {
	if n.Series == nil {
		n.Series = map[seriesKey][]piece{}
	}
	if n.last != (seriesKey{}) && key.compare(n.last) > 0 {
		return
	}
	n.Series[key] = pieces
	n.drop(2 * maxSeries)
}

// drop drops series beyond those that are kept, if there are more than so many.
func (n *sequenceNumbers) drop(most int) {
	if len(n.Series) <= most {
		return
	}
	keys := slices.SortedFunc(maps.Keys(n.Series), seriesKey.compare)
	n.last = keys[maxSeries-1]
	for _, key := range keys[maxSeries:] {
		delete(n.Series, key)
	}
}

// merge adds the numbers of another part of the recording. Pieces are joined only when all parts are known: between two
// of them there may be another one.
func (n *sequenceNumbers) merge(other *sequenceNumbers) {
	for key, from := range other.Series {
		n.put(key, append(slices.Clone(n.Series[key]), from...))
	}
}

// pieces returns the pieces of a series in the order of the recording, those joined that follow each other.
func (n *sequenceNumbers) pieces(key seriesKey) (list []piece) {
	byPlace := func(a, b piece) int { return cmp.Compare(a.At, b.At) }
	for _, p := range slices.SortedFunc(slices.Values(n.Series[key]), byPlace) {
		if last := len(list) - 1; last >= 0 && p.First == list[last].Last+1 {
			list[last].Last = p.Last
		} else if len(list) <= maxPieces {
			list = append(list, p)
		}
	}
	return list
}

// inOrder returns the series in the order in which the recording shows them.
func (n *sequenceNumbers) inOrder() (keys []seriesKey, series map[seriesKey][]piece) {
	n.drop(maxSeries)
	series = make(map[seriesKey][]piece, len(n.Series))
	for key := range n.Series {
		keys, series[key] = append(keys, key), n.pieces(key)
	}
	slices.SortFunc(keys, func(a, b seriesKey) int {
		return cmp.Or(cmp.Compare(series[a][0].At, series[b][0].At), a.compare(b))
	})
	return keys, series
}

// gaps lists the numbers that are certainly missing, between two numbers of a run. Those before the first one may have
// been left out on purpose, and are listed only if complete is set. What other files have of a run is not missing.
func (n *sequenceNumbers) gaps(complete bool) []report.Gap {
	var list []report.Gap
	keys, series := n.inOrder()
	whole, listed := wholeRuns(keys, series), map[report.Gap]bool{}
	for _, key := range keys {
		for _, run := range runs(series[key]) {
			before := piece{Last: run[0].First - 1}
			if complete && !ends(series, key.World, before.Last) {
				before.Last = 0
			}
			for _, p := range run {
				for _, gap := range between(before.Last+1, p.First-1, whole[key.World]) {
					ofRun := report.Gap{World: key.World, First: gap.First, Last: gap.Last}
					if len(list) < maxGaps && !(listed[ofRun] && whole[key.World] != nil) {
						list = append(list, report.Gap{File: key.File, World: key.World, First: gap.First, Last: gap.Last})
					}
					listed[ofRun] = true
				}
				before = p
			}
		}
	}
	return list
}

// wholeRuns returns the pieces of each world that is one run in several files, each of which has numbers of its own,
// in order. Files in which a number is there twice are of several runs, and so may those be that lack many together.
func wholeRuns(keys []seriesKey, series map[seriesKey][]piece) map[string][]piece {
	byWorld, files := map[string][]piece{}, map[string]int{}
	for _, key := range keys {
		byWorld[key.World] = append(byWorld[key.World], series[key]...)
		files[key.World]++
	}
	for world, pieces := range byWorld {
		slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.First, b.First) })
		isOne, have, all := files[world] > 1, int64(0), pieces[len(pieces)-1].Last-pieces[0].First+1
		for i, p := range pieces {
			isOne = isOne && (i == 0 || p.First > pieces[i-1].Last)
			have += p.Last - p.First + 1
		}
		isOne = isOne && have >= all-all/4
		if !isOne {
			delete(byWorld, world)
		}
	}
	return byWorld
}

// between returns the numbers from first to last that are in no piece of an ordered list.
func between(first, last int64, known []piece) (gaps []piece) {
	at, _ := slices.BinarySearchFunc(known, first, func(p piece, n int64) int { return cmp.Compare(p.Last, n) })
	for _, p := range known[at:] {
		if p.First > last {
			break
		}
		if first < p.First {
			gaps = append(gaps, piece{First: first, Last: p.First - 1})
		}
		first = p.Last + 1
	}
	if first <= last {
		gaps = append(gaps, piece{First: first, Last: last})
	}
	return gaps
}

// runs splits the pieces of a series into runs, which begin with 1. If a run seems to begin in the middle, several runs
// are mixed: then they are taken as one, or, if not all pieces were kept, nothing is known.
func runs(pieces []piece) [][]piece {
	list := [][]piece{pieces[:1:1]}
	for i, p := range pieces[1:] {
		switch isBack := p.First <= pieces[i].Last; {
		case isBack && p.First > 1 && len(pieces) > maxPieces:
			return nil
		case isBack && p.First > 1:
			return [][]piece{merged(pieces)}
		case isBack:
			list = append(list, []piece{p})
		default:
			list[len(list)-1] = append(list[len(list)-1], p)
		}
	}
	return list
}

// merged sorts pieces and joins adjacent ones.
func merged(pieces []piece) []piece {
	pieces = slices.SortedFunc(slices.Values(pieces), func(a, b piece) int { return cmp.Compare(a.First, b.First) })
	list := pieces[:1]
	for _, p := range pieces[1:] {
		if last := &list[len(list)-1]; p.First <= last.Last+1 {
			last.Last = max(last.Last, p.Last)
		} else {
			list = append(list, p)
		}
	}
	return list
}

// ends reports whether a piece of a world ends with a number, so that the next number continues it. Number 0 always
// does.
func ends(series map[seriesKey][]piece, world string, number int64) bool {
	if number == 0 {
		return true
	}
	for key, pieces := range series {
		if key.World == world && slices.ContainsFunc(pieces, func(p piece) bool { return p.Last == number }) {
			return true
		}
	}
	return false
}
