package simulation_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// file is a recording, or a part of one.
type file struct {
	name   string
	events []*event
}

// files makes recordings of a history, and lists what they lack.
func (l loss) files(log []*event) (files []file, dropped []*event) {
	r := rand.New(rand.NewPCG(l.seed, 3))
	log = slices.SortedStableFunc(slices.Values(log), func(a, b *event) int { return a.End.Compare(b.End) })
	number(log)
	left := l.dropFrom(r, log)
	isLeft := map[*event]bool{}
	for _, e := range left {
		isLeft[e] = true
	}
	for _, e := range log {
		if !isLeft[e] {
			dropped = append(dropped, e)
		}
	}
	files = l.split(r, left)
	for i := range files {
		if l.form == har {
			slices.SortStableFunc(files[i].events, func(a, b *event) int { return a.Start.Compare(b.Start) })
		}
		if l.has(shuffled) {
			r.Shuffle(len(files[i].events), func(a, b int) {
				list := files[i].events
				list[a], list[b] = list[b], list[a]
			})
		}
	}
	r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	return files, dropped
}

// number gives exchanges the numbers that a recorder gives them, and counts what ended while each was under way.
func number(log []*event) {
	for i, e := range log {
		e.Seq, e.Overlaps = int64(i+1), 0
		for j := i - 1; j >= 0 && log[j].End.After(e.Start); j-- {
			e.Overlaps++
		}
	}
}

func (l loss) dropFrom(r *rand.Rand, log []*event) []*event {
	lost := l.lostClient(r, log)
	var left []*event
	for _, e := range log {
		isLost := e.client.isUnseen || l.has(oneClient) && e.client == lost
		for kind, percent := range map[string]int{drop5: 5, drop20: 20, drop40: 40} {
			isLost = l.has(kind) && draw(l.seed, e.Seq, kind) < percent || isLost
		}
		if l.has(pages) && e.isPage && draw(l.seed, e.Seq, pages) < 50 {
			isLost = true
		}
		if !isLost || e.isPlanted || e == l.keep || l.isWhole {
			left = append(left, e)
		}
	}
	return left
}

// draw returns a number from 0 to 99 for an exchange, the same each time.
func draw(seed uint64, seq int64, kind string) int {
	return rand.New(rand.NewPCG(seed, uint64(seq)<<8+uint64(len(kind)))).IntN(100)
}

func (l loss) lostClient(r *rand.Rand, log []*event) *client {
	if len(log) == 0 {
		return nil
	}
	return log[r.IntN(len(log))].client
}

func (l loss) split(r *rand.Rand, log []*event) []file {
	files := []file{{"all", slices.Clone(log)}}
	if l.has(perClient) {
		files = byClient(log)
	}
	if l.has(cut) {
		files = cutFiles(r, files)
	}
	if l.has(doubled) && len(files[0].events) > 3 {
		list := files[0].events
		a, b := len(list)/3, 2*len(list)/3
		files[0] = file{files[0].name + "-early", slices.Clone(list[:b])}
		files = append(files, file{"late", slices.Clone(list[a:])})
	}
	return files
}

func byClient(log []*event) []file {
	var files []file
	for _, e := range log {
		i := slices.IndexFunc(files, func(f file) bool { return f.name == e.client.name })
		if i < 0 {
			i = len(files)
			files = append(files, file{name: e.client.name})
		}
		files[i].events = append(files[i].events, e)
	}
	return files
}

func cutFiles(r *rand.Rand, files []file) []file {
	var parts []file
	for _, f := range files {
		n := 2 + r.IntN(3)
		for i := range n {
			part := f.events[i*len(f.events)/n : (i+1)*len(f.events)/n]
			if len(part) > 0 {
				parts = append(parts, file{fmt.Sprintf("%s-%d", f.name, i), slices.Clone(part)})
			}
		}
	}
	return parts
}

// numbered lists the exchanges by their numbers in a report, from 1.
func numbered(files []file) []*event {
	list := []*event{nil}
	for _, f := range files {
		list = append(list, f.events...)
	}
	return list
}

// shownBy returns the number of a recorded exchange that contradicts what the recording holds of the things that a
// dropped request changed, or 0.
func shownBy(dropped *event, files []file) int {
	list := numbered(files)
	for _, key := range slices.Sorted(maps.Keys(dropped.writes)) {
		version := dropped.writes[key]
		isKnown := false
		order := slices.SortedFunc(slices.Values(numbers(list)), func(a, b int) int {
			return cmp.Compare(list[a].effect.UnixNano(), list[b].effect.UnixNano())
		})
		for _, n := range order {
			e := list[n]
			shown, isShown := e.shows[key]
			_, isWritten := e.writes[key]
			switch {
			case isShown && shown >= version && isKnown:
				return n
			case isWritten && e.effect.After(dropped.effect):
				isKnown = false
			case isShown || isWritten:
				isKnown = e.effect.Before(dropped.effect)
			}
		}
	}
	return 0
}

func numbers(list []*event) []int {
	var all []int
	for n := 1; n < len(list); n++ {
		all = append(all, n)
	}
	return all
}
