package simulation_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/capture"
	"svc.example/understudy/specs/recording"
)

// Losses: what may become of a history before it is checked.
const (
	drop5, drop20, drop40 = "drop 5 %", "drop 20 %", "drop 40 %"
	oneClient             = "one client unrecorded"
	perClient             = "a file per client"
	cut                   = "cut in time"
	shuffled              = "entries shuffled"
	doubled               = "overlapping files"
	redacted              = "credentials redacted alike"
	pseudonyms            = "credentials as pseudonyms"
	pages                 = "pages dropped"
	timeless              = "no times"
	seconds               = "times in whole seconds"
	unseen                = "an actor unseen"
)

func allLosses() []string {
	return []string{
		drop5, drop20, drop40, oneClient, perClient, cut, shuffled, doubled, redacted, pseudonyms, pages, timeless, seconds, unseen,
	}
}

// Forms of recordings.
const (
	ndjson   = "NDJSON"
	plain    = "NDJSON without numbers"
	har      = "HAR"
	numForms = 3
)

// loss is what becomes of one history.
type loss struct {
	seed  uint64
	kinds []string
	form  string
	keep  *event // is not dropped, whatever happens

	isWhole  bool // nothing is dropped after all
	oneKeyed bool // all clients of an account, but for sub users, have one key after all
	inWorlds bool // the recording tells accounts apart after all
}

// newLoss draws one: none in three of ten recordings, else one, two or three.
func newLoss(seed uint64) loss {
	r := rand.New(rand.NewPCG(seed, 2))
	l := loss{seed: seed, form: []string{ndjson, plain, har}[r.IntN(numForms)]}
	if r.IntN(10) < 3 {
		return l
	}
	n := []int{1, 1, 1, 2, 3}[r.IntN(5)]
	for _, i := range r.Perm(len(allLosses()))[:n] {
		l.kinds = append(l.kinds, allLosses()[i])
	}
	if l.has(timeless) { // nothing else would tell the order
		l.kinds = slices.DeleteFunc(l.kinds, func(kind string) bool {
			return slices.Contains([]string{perClient, shuffled, cut, doubled, seconds}, kind)
		})
		l.form = []string{ndjson, plain}[r.IntN(2)]
	}
	return l
}

func (l loss) has(kind string) bool { return slices.Contains(l.kinds, kind) }

// String names the losses.
func (l loss) String() string {
	if len(l.kinds) == 0 {
		return "none; " + l.form
	}
	return strings.Join(l.kinds, ", ") + "; " + l.form
}

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

// draw is a number from 0 to 99 for an exchange, the same each time.
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

// exchange is an exchange as it is recorded.
func (l loss) exchange(e *event) *recording.Exchange {
	x := e.Exchange
	if l.form == plain {
		x.Seq, x.Overlaps = 0, 0
	}
	if l.inWorlds {
		x.World = e.client.account.name
	}
	if l.oneKeyed {
		x.Request.Headers = slices.Clone(x.Request.Headers)
		for i, h := range x.Request.Headers {
			if e.client.sub == nil {
				x.Request.Headers[i][1] = strings.ReplaceAll(h[1], e.client.key, e.client.account.name)
			}
		}
	}
	switch {
	case l.has(timeless):
		x.Start, x.End = time.Time{}, time.Time{}
	case l.has(seconds):
		x.Start, x.End = x.Start.Truncate(time.Second), x.End.Truncate(time.Second)
	}
	if l.has(redacted) || l.has(pseudonyms) {
		x.Request.Headers = l.hide(x.Request.Headers)
		x.Redacted = []string{"Authorization"}
	}
	return &x
}

func (l loss) hide(headers recording.Headers) recording.Headers {
	list := slices.Clone(headers)
	redactor := &recording.Redactor{Salt: []byte("salt")}
	for i, h := range list {
		secret, isScheme := strings.CutPrefix(h[1], "SVC1 ")
		word := "REDACTED"
		if l.has(pseudonyms) {
			word = redactor.Hash(secret)
		}
		switch {
		case isScheme:
			list[i][1] = "SVC1 " + word
		case h[0] == "X-SVC-Write-Key":
			list[i][1] = word
		}
	}
	return list
}

// bytes is a file as it is on disk.
func (l loss) bytes(f file) []byte {
	var b bytes.Buffer
	exchanges := func(yield func(*recording.Exchange) bool) {
		for _, e := range f.events {
			if !yield(l.exchange(e)) {
				return
			}
		}
	}
	if l.form == har {
		if err := recording.WriteHAR(&b, exchanges); err != nil {
			panic(err) // into memory
		}
		return b.Bytes()
	}
	for e := range exchanges {
		if err := recording.Write(&b, e); err != nil {
			panic(err) // into memory
		}
	}
	return b.Bytes()
}

// source reads all files, one after the other.
func (l loss) source(files []file) contract.Source {
	return func(yield func(capture.Record, error) bool) {
		n := 0
		for _, f := range files {
			for record, err := range contract.Read(f.name, bytes.NewReader(l.bytes(f))) {
				if err == nil {
					n++
					record.Number = n
				}
				if !yield(record, err) {
					return
				}
			}
		}
	}
}

// numbered lists the exchanges by their numbers in a report, from 1.
func numbered(files []file) []*event {
	list := []*event{nil}
	for _, f := range files {
		list = append(list, f.events...)
	}
	return list
}

// shownBy is the number of a recorded exchange that contradicts what the recording holds of the things that a dropped
// request changed, or 0.
func shownBy(dropped *event, files []file) int {
	list := numbered(files)
	for key, version := range dropped.writes {
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
