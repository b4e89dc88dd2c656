// Package journal remembers the exchanges of one world, in the order in which their answers were committed, within a
// bound of bytes. An entry is committed before the first byte of its answer leaves, so that a client that has an
// answer always finds it counted.
package journal

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// DefaultLimit is the default number of bytes of exchanges that a journal keeps.
const DefaultLimit = 8 << 20

// overhead is the assumed cost of an entry beside its bodies, its address and its headers; headerCost is the cost of
// the name of a header, of a value of it, and of a note beside their texts.
const (
	overhead   = 1 << 10
	headerCost = 48
)

// Entry is an exchange as the serving path knows it. It is rendered as a recording.Exchange only on request.
// Nothing of it changes once it is in a journal; Note puts another one in its place.
type Entry struct {
	Seq            int64
	After          int64         // the number of the last exchange that was over when this one began
	Start, End     time.Time     // by the clock of the world
	Received       time.Time     // by the wall clock
	Took           time.Duration // from then until the answer was committed, and a planned delay
	World          string
	Epoch          int64            // how often the world had been reset, restored or replaced
	Seed           uint64           // of the world, the salt of what is redacted
	Operation      *specs.Operation // nil where none fits
	Method, URL    string
	Path           string // below the base path of the interface's document, escaped
	Key            string // the API key that the request shows
	RequestHeader  http.Header
	Host           string
	RequestBody    []byte
	Truncated      bool // the request's body was not read to its end
	Status         int  // 0 without a response
	ResponseHeader recording.Headers
	ResponseBody   []byte
	ResponseCut    bool // the response's body is only the beginning of what was announced
	Notes          []string
	Fault          string  // as recording.Fault writes it
	Before         *Moment // moves into the history, so that an exchange of the journal has none; nil if none is kept

	bytes int // that it takes in a journal
}

// Journal is the memory of one world. It is safe for concurrent use.
type Journal struct {
	mu      sync.Mutex
	limit   int
	charge  func(bytes int64) // counts what the journal takes
	seq     atomic.Int64
	entries []*Entry
	size    int
	dropped Dropped
	history history
	counts  map[Count]int
	last    chan struct{} // of the turn of the last exchange that has one
	changed chan struct{} // closed by the next change; nil while no client waits for one
}

// Count is the key by which calls are counted. Operation is empty where none fits.
type Count struct {
	Operation string
	Status    int
}

// Dropped counts what a journal forgot to stay within its bound.
type Dropped struct {
	Entries int `json:"entries"`
	Bytes   int `json:"bytes"`
}

// New makes a journal that keeps at most limit bytes; DefaultLimit when it is 0. Charge is called with the bytes that
// it takes more, or less, while the journal is not locked.
func New(limit int, charge func(bytes int64)) *Journal {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Journal{limit: limit, charge: charge}
}

// Last returns the number of the last exchange that was entered.
func (j *Journal) Last() int64 { return j.seq.Load() }

// Commit enters an exchange and gives it its number.
func (j *Journal) Commit(e *Entry) int64 {
	j.change(func() { j.commit(e) })
	return e.Seq
}

// change changes the journal, and charges the difference in size.
func (j *Journal) change(change func()) {
	j.mu.Lock()
	before := j.size + j.history.size()
	change()
	if j.changed != nil { // wake those who wait for more
		close(j.changed)
		j.changed = nil
	}
	more := j.size + j.history.size() - before
	j.mu.Unlock()
	j.charge(int64(more))
}

// CommitInTurn enters an exchange like Commit, and returns its turn, by which what is done with exchanges afterwards is
// done in their order, without holding the journal meanwhile.
func (j *Journal) CommitInTurn(e *Entry) (int64, *Turn) {
	t := &Turn{over: make(chan struct{})}
	j.change(func() {
		t.before, j.last = j.last, t.over
		j.commit(e)
	})
	return e.Seq, t
}

func (j *Journal) commit(e *Entry) {
	e.Seq = j.seq.Add(1)
	if e.Before != nil {
		j.history.add(*e.Before)
		e.Before = nil
	}
	if j.counts == nil {
		j.counts = map[Count]int{}
	}
	j.counts[Count{e.name(), e.Status}]++
	j.entries = append(j.entries, e)
	e.bytes = e.size()
	j.size += e.bytes
	j.shrink(j.limit)
}

// Note adds notes to an exchange, if the journal has it still.
func (j *Journal) Note(number int64, notes []string) {
	if len(notes) == 0 {
		return
	}
	j.change(func() {
		i := number - j.first()
		if i < 0 || i >= int64(len(j.entries)) {
			return
		}
		noted := *j.entries[i]
		noted.Notes = slices.Concat(noted.Notes, notes)
		noted.bytes = noted.size()
		j.size += noted.bytes - j.entries[i].bytes
		j.entries[i] = &noted
		j.shrink(j.limit)
	})
}

// shrink drops the oldest entries until the rest fits. An entry that is too large by itself is dropped, too.
func (j *Journal) shrink(limit int) {
	n := 0
	for ; j.size > limit && n < len(j.entries); n++ {
		size := j.entries[n].bytes
		j.size -= size
		j.dropped.Entries++
		j.dropped.Bytes += size
		j.entries[n] = nil
	}
	j.entries = j.entries[n:]
}

func (e *Entry) size() int {
	n := overhead + len(e.URL) + len(e.Host) + len(e.RequestBody) + len(e.ResponseBody) + len(e.Fault)
	for name, values := range e.RequestHeader {
		n += headerCost + len(name)
		for _, value := range values {
			n += headerCost + len(value)
		}
	}
	for _, line := range e.ResponseHeader {
		n += headerCost + len(line[1])
	}
	for _, note := range e.Notes {
		n += headerCost + len(note)
	}
	return n
}

func (e *Entry) name() string {
	if e.Operation == nil {
		return ""
	}
	return e.Operation.Name()
}

// Entries lists what the journal still has, oldest first; only the named operations, if any are named.
func (j *Journal) Entries(operations ...string) []*Entry {
	j.mu.Lock()
	entries := slices.Clone(j.entries)
	j.mu.Unlock()
	if len(operations) == 0 {
		return entries
	}
	return slices.DeleteFunc(entries, func(e *Entry) bool { return !slices.Contains(operations, e.name()) })
}

// Counts returns how often each operation answered with each status, forgotten entries included.
func (j *Journal) Counts() map[Count]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	counts := make(map[Count]int, len(j.counts))
	maps.Copy(counts, j.counts)
	return counts
}

// Clear drops everything, the counts and the history included. Numbers go on.
func (j *Journal) Clear() {
	j.change(func() {
		j.entries, j.size, j.dropped, j.counts = nil, 0, Dropped{}, nil
		j.history.moments = nil
	})
}

// Size returns how many bytes the entries take.
func (j *Journal) Size() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Halve drops the older half, and returns its size in bytes.
func (j *Journal) Halve() (freed int) {
	j.change(func() {
		before := j.size
		j.shrink(before / 2)
		freed = before - j.size
	})
	return freed
}

// Close drops everything, and what is committed from then on.
func (j *Journal) Close() {
	j.change(func() {
		j.limit = 0
		j.shrink(0)
		j.history = history{}
	})
}

// Exchange renders an entry with its secrets.
func (e *Entry) Exchange() *recording.Exchange {
	x := &recording.Exchange{
		Seq: e.Seq, Overlaps: max(0, e.Seq-1-e.After), Start: e.Start, End: e.End, World: e.World, Epoch: e.Epoch,
		Operation: e.name(), Notes: e.Notes, Fault: e.Fault,
		Request: recording.Request{
			Method: e.Method, URL: e.URL, Headers: headers(e.Host, e.RequestHeader), Body: body(e.RequestBody),
		},
	}
	if e.Status != 0 {
		x.Response = &recording.Response{Status: e.Status, Headers: e.ResponseHeader, Body: body(e.ResponseBody)}
	}
	if e.ResponseCut {
		x.Response.Body = &recording.Body{Bytes: e.ResponseBody, Truncated: true}
	}
	if e.Truncated {
		x.Request.Body = &recording.Body{Bytes: e.RequestBody, Truncated: true}
	}
	return x
}

func body(b []byte) *recording.Body {
	if len(b) == 0 {
		return nil
	}
	return &recording.Body{Bytes: b}
}

// headers lists a header map sorted by name, so that the same request always gives the same bytes.
func headers(host string, header http.Header) recording.Headers {
	list := recording.Headers{{"Host", host}}
	for name, values := range header {
		if strings.HasPrefix(name, "X-Understudy-") { // meant for the mock: the platform does not know it
			continue
		}
		for _, value := range values {
			list = append(list, [2]string{name, value})
		}
	}
	slices.SortStableFunc(list[1:], func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return list
}

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

// Turn is the place of an exchange in the order of its journal.
type Turn struct {
	before <-chan struct{} // closed when the turn of the exchange before is over; nil for the first
	over   chan struct{}
	once   sync.Once
}

// Wait waits until the turns of all exchanges before are over, at most for some time.
func (t *Turn) Wait(limit time.Duration) {
	if t.before == nil {
		return
	}
	select {
	case <-t.before:
		return
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-t.before:
	case <-timer.C:
	}
}

// End ends the turn. Whoever has a turn ends it, once or more.
func (t *Turn) End() { t.once.Do(func() { close(t.over) }) }

// News holds what a journal has entered after some exchange.
type News struct {
	Entries []*Entry // oldest first
	Lost    int64    // how many came before these that the journal no longer has
	// More is closed by the next change, if Entries is empty.
	More     <-chan struct{}
	IsClosed bool // the journal takes no more, because its world was deleted
}

// After returns at most limit exchanges that were entered after the one with a number. The journal itself is the
// buffer of those who follow it: one who is slow finds that some are lost, and does not hold up others.
func (j *Journal) After(number int64, limit int) News {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := j.first()
	news := News{IsClosed: j.limit == 0, Lost: max(0, first-number-1)}
	if news.Entries = j.next(number, limit); len(news.Entries) > 0 {
		return news
	}
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	news.More = j.changed
	return news
}

// ErrClosed is the error of waiting for exchanges in a world that was deleted.
var ErrClosed = errors.New("the world was deleted")

// batch is the number of exchanges that are looked at, at a time.
const batch = 64

// WaitFor waits until n exchanges after the one with a number fit, and returns them, oldest first. With the error of
// the context, or ErrClosed, it returns those that came until then. Lost is the number of exchanges that the journal
// had dropped before they could be looked at.
func (j *Journal) WaitFor(
	ctx context.Context, number int64, n int, fits func(*Entry) bool,
) (found []*Entry, lost int64, err error) {
	for {
		news := j.After(number, batch)
		number, lost = number+news.Lost, lost+news.Lost
		for _, e := range news.Entries {
			number = e.Seq
			if !fits(e) {
				continue
			}
			if found = append(found, e); len(found) == n {
				return found, lost, nil
			}
		}
		if len(news.Entries) > 0 {
			continue
		}
		if news.IsClosed {
			return found, lost, ErrClosed
		}
		select {
		case <-news.More:
		case <-ctx.Done():
			return found, lost, ctx.Err()
		}
	}
}
