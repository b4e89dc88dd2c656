package journal

import (
	"time"

	"svc.example/understudy/mockserver/internal/world"
)

// momentCost is the assumed cost of a moment beside its world.
const momentCost = 64

// Moment is a world as it was before an exchange.
type Moment struct {
	World   *world.State
	At      time.Time // by its clock
	Bytes   int64     // that it takes
	Written int64     // that had ever been written into the world
}

// history holds the moments of the last exchanges, oldest first, without a gap between their numbers.
type history struct {
	limit   int // how many it holds; 0: none
	bytes   int // bound of what it takes, beside the last moment
	moments []Moment
}

// size returns about how many bytes only the history holds: what was written since its first moment, which has replaced
// as much at most, and by how much the world has shrunk.
func (h *history) size() int {
	if len(h.moments) == 0 {
		return 0
	}
	first, last := h.moments[0], h.moments[len(h.moments)-1]
	return momentCost*len(h.moments) + int(max(0, last.Written-first.Written)+max(0, first.Bytes-last.Bytes))
}

func (h *history) add(m Moment) {
	if h.limit == 0 {
		return
	}
	h.moments = append(h.moments, m)
	for len(h.moments) > h.limit || len(h.moments) > 1 && h.size() > h.bytes {
		h.moments[0] = Moment{}
		h.moments = h.moments[1:]
	}
}

// KeepHistory lets the journal hold the world as it was before each of its last exchanges, so many of them at most, in
// about so many bytes.
func (j *Journal) KeepHistory(exchanges, bytes int) {
	j.history.limit, j.history.bytes = exchanges, bytes
}

// Before returns the world as it was before an exchange, if the history has it.
func (j *Journal) Before(number int64) (Moment, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := number - j.firstInHistory()
	if i < 0 || i >= int64(len(j.history.moments)) {
		return Moment{}, false
	}
	return j.history.moments[i], true
}

// History returns how many exchanges the history may hold, 0 if it is off, and the number of the first that it holds;
// the next number if it holds none.
func (j *Journal) History() (limit int, first int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.history.limit, j.firstInHistory()
}

func (j *Journal) firstInHistory() int64 { return j.seq.Load() + 1 - int64(len(j.history.moments)) }

// HistorySize returns about how many bytes the history takes.
func (j *Journal) HistorySize() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.history.size()
}

// ForgetHistory empties the history, and returns its size in bytes.
func (j *Journal) ForgetHistory() (freed int) {
	j.change(func() {
		freed = j.history.size()
		j.history.moments = nil
	})
	return freed
}
