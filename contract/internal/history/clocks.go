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

type clock struct{ least, most time.Duration }

func (c clocks) take(e *facts.Exchange) {
	if e.Mock || e.Own || e.Start.IsZero() || e.Date.IsZero() {
		return
	}
	least, most := e.Start.Sub(e.Date)-time.Second, e.End.Sub(e.Date)+time.Second // which may be cut to seconds
	if known := c[e.File]; known != nil {
		known.least, known.most = max(known.least, least), min(known.most, most)
	} else {
		c[e.File] = &clock{least, most}
	}
}

// ahead returns how far the clocks of files are ahead of the service's, if they contradict each other. One that runs
// unevenly is not judged.
func (c clocks) ahead() map[string]time.Duration {
	ahead, isFirst, all := map[string]time.Duration{}, true, clock{}
	for _, file := range slices.Sorted(maps.Keys(c)) {
		one := *c[file]
		if one.least > one.most {
			continue
		}
		if isFirst {
			all, isFirst = one, false
		}
		all.least, all.most = max(all.least, one.least), min(all.most, one.most)
		if one.least > 0 || one.most < 0 {
			ahead[file] = (one.least + one.most) / 2
		}
	}
	if all.least <= all.most {
		return nil
	}
	return ahead
}

// clockNotes says whose times were corrected.
func (w *Watcher) clockNotes() (notes []string) {
	for file, d := range w.ahead {
		direction := "ahead of"
		if d < 0 {
			direction = "behind"
		}
		notes = append(notes, fmt.Sprintf("%s: its clock is %s %s the service's, as the Date headers of its answers show; "+
			"its times are corrected by that", file, d.Abs().Round(time.Second), direction))
	}
	return notes
}

// corrected returns an entry with the time by the service's clock.
func (w *Watcher) corrected(x entry, files []string) entry {
	if d := w.ahead[files[x.file]]; d != 0 && x.hasTime() {
		t := time.Unix(x.second, int64(x.nano)).Add(-d)
		x.second, x.nano = t.Unix(), int32(t.Nanosecond())
	}
	return x
}

// timelineByService returns all exchanges by the service's clock. Whoever asks closes what it returns.
func (w *Watcher) timelineByService() (*entries, error) {
	files := w.fileNames()
	sorted := &entries{limit: w.timeline.limit}
	for x, err := range w.timeline.all() {
		if err == nil {
			err = sorted.put(w.corrected(*x, files))
		}
		if err != nil {
			return sorted, err
		}
	}
	return sorted, nil
}

// fileNames returns the names of files by their numbers.
func (w *Watcher) fileNames() []string {
	names := make([]string, len(w.files))
	for name, n := range w.files {
		names[n] = name
	}
	return names
}
