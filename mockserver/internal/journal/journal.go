// Package journal remembers the exchanges of one world, in the order in which their answers were committed, within a
// bound of bytes. An entry is committed before the first byte of its answer leaves, so that a client that has an
// answer always finds it counted.
package journal

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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
// Nothing of it changes once it is in a journal.
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
	Fault          string // as recording.Fault writes it
	Before         Moment // moves into the history, so that an exchange of the journal has none

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
	j.announce()
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
	j.history.add(e.Before)
	e.Before = Moment{}
	if j.counts == nil {
		j.counts = map[Count]int{}
	}
	j.counts[Count{e.name(), e.Status}]++
	j.entries = append(j.entries, e)
	e.bytes = e.size()
	j.size += e.bytes
	j.shrink(j.limit)
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

// Dropped returns the counts of what was forgotten.
func (j *Journal) Dropped() Dropped {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.dropped
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
		if isMockHeader(name) {
			continue
		}
		for _, value := range values {
			list = append(list, [2]string{name, value})
		}
	}
	slices.SortStableFunc(list[1:], func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return list
}

// isMockHeader reports whether a header is meant for the mock. The platform does not know these, so recordings leave
// them out.
func isMockHeader(name string) bool { return strings.HasPrefix(name, "X-Understudy-") }
