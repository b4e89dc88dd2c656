package history

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"svc.example/understudy/contract/internal/facts"
)

// clocks holds, by file, how far the clock of its recorder may be ahead of the service's: an answer was made between
// the beginning and the end of its exchange, in the second that its Date header names.
type clocks map[string]*clock

type clock struct {
	least, most time.Duration
	first, last time.Time // by the service's clock
	isMixed     bool      // that goes back from one exchange to the next
}

func (c clocks) take(e *facts.Exchange) {
	one := clockAt(e)
	if one == nil {
		return
	}
	if known := c[e.File]; known != nil {
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
	return &clock{ // the Date may be cut to seconds
		least: e.Start.Sub(e.Date) - time.Second, most: e.End.Sub(e.Date) + time.Second, first: e.Date, last: e.Date,
	}
}

// ahead returns how far a clock is ahead of the service's; 0 if they may agree.
func (c *clock) ahead() time.Duration {
	if c.least > 0 || c.most < 0 {
		return (c.least + c.most) / 2
	}
	return 0
}

// corrections says how far the clocks of files are ahead of the service's. One that runs unevenly is so by another
// time at each exchange.
type corrections struct {
	ahead  map[string]time.Duration
	uneven map[string]bool
}

// corrections returns those of files whose clocks contradict each other, or themselves. A clock that contradicts itself
// is not judged where the service's seems to stand still, or to go back.
func (c clocks) corrections() corrections {
	x, isFirst, all := corrections{map[string]time.Duration{}, map[string]bool{}}, true, clock{}
	for _, file := range slices.Sorted(maps.Keys(c)) {
		one := *c[file]
		if one.least > one.most {
			if !one.isMixed && one.last.After(one.first) {
				x.uneven[file] = true
			}
			continue
		}
		if isFirst {
			all, isFirst = one, false
		}
		all.least, all.most = max(all.least, one.least), min(all.most, one.most)
		if d := one.ahead(); d != 0 {
			x.ahead[file] = d
		}
	}
	if all.least <= all.most && len(x.uneven) == 0 {
		return corrections{}
	}
	return x
}

// of returns how far the clock of an exchange's recorder was ahead. Its own times are not corrected yet.
func (x *corrections) of(e *facts.Exchange) time.Duration {
	if x.uneven[e.File] {
		if one := clockAt(e); one != nil {
			return one.ahead()
		}
	}
	return x.ahead[e.File]
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
