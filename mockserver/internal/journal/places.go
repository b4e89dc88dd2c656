package journal

import "slices"

// Extent holds what a journal has: exchanges with all the numbers from First to Last.
type Extent struct {
	Total   int
	First   int64 // the number of the oldest exchange that it has; the next number while it has none
	Last    int64 // the number of the last exchange that was entered, which it may have forgotten
	Dropped Dropped
}

// Extent returns what the journal has now.
func (j *Journal) Extent() Extent {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Extent{Total: len(j.entries), First: j.first(), Last: j.seq.Load(), Dropped: j.dropped}
}

// first returns the number of the first exchange that the journal has, or will have. The journal is locked.
func (j *Journal) first() int64 { return j.seq.Load() + 1 - int64(len(j.entries)) }

// Find returns the exchanges with some numbers, as far as the journal has them.
func (j *Journal) Find(numbers ...int64) []*Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := make([]*Entry, 0, len(numbers))
	for _, number := range numbers {
		if i := number - j.first(); i >= 0 && i < int64(len(j.entries)) {
			found = append(found, j.entries[i])
		}
	}
	return found
}

// Next returns at most limit exchanges after the one with a number, oldest first.
func (j *Journal) Next(number int64, limit int) []*Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.next(number, limit)
}

// next is Next while the journal is locked.
func (j *Journal) next(number int64, limit int) []*Entry {
	skip := min(max(0, number+1-j.first()), int64(len(j.entries)))
	rest := j.entries[skip:]
	return slices.Clone(rest[:min(limit, len(rest))])
}
