package worlds

import (
	"math"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
)

// hasExpired reports whether a world was unused for longer than the limit. The world Default never expires.
func (ws *Worlds) hasExpired(w *World, now time.Time) bool {
	return ws.limits.Idle > 0 && w.ID != Default && now.Sub(time.Unix(0, w.used.Load())) > ws.limits.Idle
}

// Expires returns when a world is deleted unless it is used before, by the wall clock; nil if never.
func (ws *Worlds) Expires(w *World) *time.Time {
	if ws.limits.Idle <= 0 || w.ID == Default {
		return nil
	}
	return new(time.Unix(0, w.used.Load()).Add(ws.limits.Idle).UTC())
}

// markUsed marks a world as used now, if it can expire, and returns it, or returns nil if it has expired.
func (ws *Worlds) markUsed(w *World) *World {
	if w == nil || ws.limits.Idle <= 0 || w.ID == Default {
		return w
	}
	now := clock.Wall()
	if ws.hasExpired(w, now) {
		_ = ws.Delete(w.ID) // or another request does
		return nil
	}
	w.used.Store(now.UnixNano())
	return w
}

// expire deletes the worlds that were unused for too long.
func (ws *Worlds) expire() {
	if ws.limits.Idle <= 0 {
		return
	}
	now := clock.Wall()
	for _, w := range ws.all() {
		if ws.hasExpired(w, now) {
			_ = ws.Delete(w.ID)
		}
	}
}

// Usage counts the worlds of a server and their bytes, with their limits. A limit of zero means none.
type Usage struct {
	Worlds, MaxWorlds int
	Bytes, MaxBytes   int64
}

// Usage returns what the worlds take.
func (ws *Worlds) Usage() Usage {
	return Usage{len(ws.List()), ws.limits.Worlds, ws.budget.used.Load(), ws.limits.Server}
}

// minJournal is the size in bytes below which no journal is shortened.
const minJournal = 64 << 10

// shortenJournals makes room by emptying the largest histories, and then by forgetting the older halves of the longest
// journals.
func (ws *Worlds) shortenJournals(need int64) {
	for need = ws.forgetHistories(need); need > 0; {
		var longest *World
		size := math.MinInt
		for _, w := range ws.all() {
			if n := w.Journal.Size(); n > size {
				longest, size = w, n
			}
		}
		if size <= minJournal {
			return
		}
		need -= int64(longest.Journal.Halve())
	}
}
