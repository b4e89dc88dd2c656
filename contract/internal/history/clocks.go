package history

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
)

// clocks holds, by file, how far the clock of its recorder may be ahead of the service's: an answer was made between
// the beginning and the end of its exchange, in the second that its Date header names.
type clocks map[string]*clock

// rounding bounds by how much a Date may be later than its answer, where it is not cut to seconds but rounded.
const rounding = time.Second

type clock struct {
	least, most time.Duration
	first, last time.Time     // by the service's clock
	longest     time.Duration // an exchange
	isMixed     bool          // that goes back from one exchange to the next
}

func (c clocks) add(e *facts.Exchange) {
	one := clockAt(e)
	if one == nil {
		return
	}
	if known := c[e.File]; known != nil {
		known.longest = max(known.longest, one.longest)
		known.isMixed = known.isMixed || e.Date.Before(known.last)
		known.least, known.most, known.last = max(known.least, one.least), min(known.most, one.most), e.Date
	} else {
		c[e.File] = one
	}
}

// clockAt returns what an exchange shows of the clock of its recorder, or nil.
func clockAt(e *facts.Exchange) *clock {
	if e.Mock || e.Own || e.Start.IsZero() || e.Date.IsZero() {
		return nil
	}
	return &clock{
		least: e.Start.Sub(e.Date) - time.Second, most: e.End.Sub(e.Date), first: e.Date, last: e.Date,
		longest: e.End.Sub(e.Start),
	}
}

// contradicts reports whether no clock can be as far ahead as this one is at least, and at most.
func (c *clock) contradicts() bool { return c.least > c.most+rounding }

// mayAgree reports whether a clock may be that of the service.
func (c *clock) mayAgree() bool { return c.least <= 0 && c.most+rounding >= 0 }

// ahead returns how far a clock is ahead of the service's, and by how much that may be wrong.
func (c *clock) ahead() (by, doubt time.Duration) {
	most := c.most
	if c.least > most {
		most += rounding
	}
	return (c.least + most) / 2, max(0, most-c.least) / 2
}

// corrections says how far the clocks of files are ahead of those that may agree with the service's, and by how much
// that may be wrong. One that runs unevenly is so by another time at each exchange.
type corrections struct {
	ahead, doubt map[string]time.Duration
	uneven       map[string]bool
	common       clock         // of all that may agree with the service's
	mostDoubt    time.Duration // of two files to each other
}

// corrections returns those of files whose clocks contradict each other, or themselves. A clock that contradicts itself
// is not judged where the service's seems to stand still, or to go back.
func (c clocks) corrections() corrections {
	x, every := corrections{uneven: map[string]bool{}}, unlimited
	var agreeing, others []string
	for _, file := range slices.Sorted(maps.Keys(c)) {
		switch one := c[file]; {
		case one.contradicts():
			if !one.isMixed && one.last.After(one.first) {
				x.uneven[file] = true
			}
			continue
		case one.mayAgree():
			agreeing = append(agreeing, file)
		default:
			others = append(others, file)
		}
		every = every.and(c[file])
	}
	if !every.contradicts() && len(x.uneven) == 0 {
		return corrections{}
	}
	x.ahead, x.doubt = map[string]time.Duration{}, map[string]time.Duration{}
	if len(agreeing) > 0 {
		x.common = unlimited
		for _, file := range agreeing {
			x.common = x.common.and(c[file])
		}
	}
	for _, file := range others {
		x.ahead[file], x.doubt[file] = x.beside(c[file])
		x.mostDoubt = max(x.mostDoubt, 2*x.doubt[file])
	}
	for file := range x.uneven {
		_, off := x.common.ahead()
		x.mostDoubt = max(x.mostDoubt, c[file].longest+time.Second+2*off)
	}
	return x
}

// unlimited is a clock of which nothing is known.
var unlimited = clock{least: math.MinInt64, most: math.MaxInt64 - rounding}

// and returns a clock that is as far ahead as both may be.
func (c clock) and(other *clock) clock {
	return clock{least: max(c.least, other.least), most: min(c.most, other.most)}
}

// beside returns how far a clock is ahead of those that may agree with the service's, and by how much that may be
// wrong.
func (x *corrections) beside(c *clock) (ahead, doubt time.Duration) {
	common, off := x.common.ahead()
	ahead, doubt = c.ahead()
	return ahead - common, doubt + off
}

// of returns how far the clock of an exchange's recorder was ahead, and by how much that may be wrong. Its own times
// are not corrected yet.
func (x *corrections) of(e *facts.Exchange) (ahead, doubt time.Duration) {
	if x.uneven[e.File] {
		if one := clockAt(e); one != nil && !one.mayAgree() {
			return x.beside(one)
		}
	}
	return x.ahead[e.File], x.doubt[e.File]
}

// notes says whose times were corrected.
func (x *corrections) notes() (notes []string) {
	for file, d := range x.ahead {
		direction := "ahead of"
		if d < 0 {
			direction = "behind"
		}
		notes = append(notes, fmt.Sprintf("%s: its clock is %s %s the service's, as the Date headers of its answers show; "+
			"its times are corrected by that", file, d.Abs().Round(time.Second), direction))
	}
	for file := range x.uneven {
		notes = append(notes, file+": its clock runs unevenly, or was set, as the Date headers of its answers show; its "+
			"times are corrected by these")
	}
	return notes
}

// corrected returns an entry with the time by the service's clock.
func (w *Watcher) corrected(x entry, in *reader, files []string) (entry, error) {
	if file := files[x.file]; w.clock.ahead[file] == 0 && !w.clock.uneven[file] || !x.hasTime() {
		return x, nil
	}
	e, err := in.get(&x)
	if err == nil {
		x.second, x.nano = e.Start.Unix(), int32(e.Start.Nanosecond())
	}
	return x, err
}

// timelineByService returns all exchanges by the service's clock. Whoever asks closes what it returns.
func (w *Watcher) timelineByService() (*entries, error) {
	files, in := w.fileNames(), w.store.reader()
	sorted := &entries{Limit: w.timeline.Limit}
	for x, err := range w.timeline.All() {
		var at entry
		if err == nil {
			at, err = w.corrected(*x, in, files)
		}
		if err == nil {
			err = sorted.Put(at)
		}
		if err != nil {
			return sorted, err
		}
	}
	return sorted, nil
}

// isAny reports whether there is any correction.
func (x *corrections) isAny() bool { return len(x.ahead)+len(x.uneven) > 0 }

// fileNames returns the names of files by their numbers.
func (w *Watcher) fileNames() []string {
	names := make([]string, len(w.files))
	for name, n := range w.files {
		names[n] = name
	}
	return names
}
