package control

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs/recording"
)

// exchanges returns the exchanges that the journal still has, rendered one at a time, of the operations that the call
// asks for.
func (h Host) exchanges(c *op.Call, w *worlds.World) iter.Seq[*recording.Exchange] {
	entries := w.Journal.Entries(c.Query["operation"]...)
	return func(yield func(*recording.Exchange) bool) {
		for _, e := range entries {
			if !yield(h.Render(e)) {
				return
			}
		}
	}
}

func (h Host) getJournal(c *op.Call, w *worlds.World) (op.Reply, error) {
	entries := slices.AppendSeq([]*recording.Exchange{}, h.exchanges(c, w))
	return op.OK(struct {
		World   string                `json:"world"`
		Entries []*recording.Exchange `json:"entries"`
		Dropped journal.Dropped       `json:"dropped"`
	}{w.ID, entries, w.Journal.Extent().Dropped})
}

func (h Host) clearJournal(_ *op.Call, w *worlds.World) (op.Reply, error) {
	w.Journal.Clear()
	return op.None()
}

func (h Host) getJournalHAR(c *op.Call, w *worlds.World) (op.Reply, error) {
	var b bytes.Buffer
	err := recording.WriteHAR(&b, h.exchanges(c, w))
	return op.Reply{Bytes: b.Bytes(), Type: "application/json"}, err
}

func (h Host) getJournalNDJSON(c *op.Call, w *worlds.World) (op.Reply, error) {
	var b bytes.Buffer
	for e := range h.exchanges(c, w) {
		if err := recording.Write(&b, e); err != nil {
			return op.Reply{}, err
		}
	}
	return op.Reply{Bytes: b.Bytes(), Type: "application/x-ndjson"}, nil
}

func (h Host) getJournalCounts(c *op.Call, w *worlds.World) (op.Reply, error) {
	wanted := c.Query["operation"]
	total, operations := 0, map[string]int{}
	for count, n := range w.Journal.Counts() {
		if len(wanted) > 0 && !slices.Contains(wanted, count.Operation) {
			continue
		}
		total += n
		operations[cmp.Or(count.Operation, unknown)] += n
	}
	return op.OK(map[string]any{"world": w.ID, "total": total, "operations": operations})
}

type operationCoverage struct {
	Calls    int            `json:"calls"`
	Statuses map[string]int `json:"statuses"`
}

// getCoverage adds the counts of all worlds up, and lists uncalled operations, too.
func (h Host) getCoverage(*op.Call) (op.Reply, error) {
	names := h.Operations()
	operations := make(map[string]*operationCoverage, len(names))
	for _, name := range names {
		operations[name] = &operationCoverage{Statuses: map[string]int{}}
	}
	covered := 0
	for _, w := range h.Worlds.List() {
		for count, n := range w.Journal.Counts() {
			o := operations[count.Operation]
			if o == nil {
				continue
			}
			if o.Calls == 0 {
				covered++
			}
			o.Calls += n
			if count.Status != 0 { // there was a response
				o.Statuses[strconv.Itoa(count.Status)] += n
			}
		}
	}
	return op.OK(map[string]any{"operations": operations, "covered": covered, "documented": len(names)})
}

// maxSearches bounds how many searches are remembered.
const maxSearches = 16

// searches remembers which exchanges the last searches have found, so that each looks at an exchange once, however
// often its client pages through them or asks whether there are more.
type searches struct {
	mu   sync.Mutex
	last []*search // the one that was used last comes last
}

// search is the search for exchanges of a journal that fit. What is true of an exchange once stays true.
type search struct {
	journal *journal.Journal
	words   string // what is searched for, in one spelling

	mu     sync.Mutex
	number int64 // of the last exchange that was looked at
	found  []int64
}

// of returns the search for some words in a journal.
func (s *searches) of(j *journal.Journal, words string) *search {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := &search{journal: j, words: words}
	if i := slices.IndexFunc(s.last, func(x *search) bool { return x.journal == j && x.words == words }); i >= 0 {
		found = s.last[i]
		s.last = slices.Delete(s.last, i, i+1)
	} else if len(s.last) == maxSearches {
		s.last = slices.Delete(s.last, 0, 1)
	}
	s.last = append(s.last, found)
	return found
}

// run looks at the exchanges that came since it was run last, and returns the numbers of all that fit and that the
// journal still has. The list must not be changed.
func (s *search) run(ctx context.Context, fits func(*journal.Entry) bool) ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		entries := s.journal.Next(s.number, batch)
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			if fits(e) {
				s.found = append(s.found, e.Seq)
			}
			s.number = e.Seq
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	gone, _ := slices.BinarySearch(s.found, s.journal.Extent().First)
	s.found = s.found[gone:]
	return s.found, nil
}

// containsText returns a function that reports whether a text occurs in an exchange, in whatever case: in its address,
// its bodies, its notes or its fault.
func containsText(text string) func(*journal.Entry) bool {
	fold := foldOf(text)
	want := fold(nil, []byte(text))
	var room []byte
	has := func(b []byte) bool {
		room = fold(room[:0], b)
		return bytes.Contains(room, want)
	}
	return func(e *journal.Entry) bool {
		return has([]byte(e.URL)) || has(e.RequestBody) || has(e.ResponseBody) || has([]byte(e.Fault)) ||
			slices.ContainsFunc(e.Notes, func(note string) bool { return has([]byte(note)) })
	}
}

// foldOf returns what appends a text in lower case. For the sake of speed it leaves letters beyond ASCII as they are,
// unless there are such in the text that is searched for.
func foldOf(text string) func(room, b []byte) []byte {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return func(_, b []byte) []byte { return bytes.ToLower(b) }
	}
	return func(room, b []byte) []byte {
		room = append(room, b...)
		for i, c := range room {
			if 'A' <= c && c <= 'Z' {
				room[i] = c + ('a' - 'A')
			}
		}
		return room
	}
}

// heartbeat is the time after which a stream without events sends a comment, so that no proxy takes it for dead.
const heartbeat = 15 * time.Second

// batch is the number of exchanges that a stream takes out of the journal at a time.
const batch = 64

// streamJournal sends exchanges as server-sent events while they are entered into the journal.
func (h Host) streamJournal(c *op.Call, w *worlds.World) (op.Reply, error) {
	after, err := h.streamFrom(c, w)
	if err != nil {
		return op.Reply{}, err
	}
	if !h.admitWatcher(c.Context) {
		return tooManyWatchers(), nil
	}
	s := &stream{host: h, world: w, wanted: c.Query["operation"], number: after, sent: after}
	return op.Reply{
		Type: "text/event-stream", Header: [][2]string{{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}},
		Stream: func(send func([]byte) error, isLive bool) error {
			s.send = send
			return s.run(c.Context, isLive)
		},
	}, nil
}

// streamFrom returns the number of the exchange after which a stream begins: of the last one that the client has, or
// of the last one that there was. A number that is still to come is one of another server, whose numbers ended higher.
func (h Host) streamFrom(c *op.Call, w *worlds.World) (int64, error) {
	last := w.Journal.Last()
	after, err := c.Int("after", last)
	if err != nil {
		return 0, err
	}
	if id := c.Header("Last-Event-ID"); id != "" {
		if after, err = strconv.ParseInt(id, 10, 64); err != nil || after < 0 {
			return 0, op.Invalid("Last-Event-ID", "want the number of an exchange, not %q", id)
		}
	}
	if after > last {
		return 0, nil
	}
	return after, nil
}

type stream struct {
	host   Host
	world  *worlds.World
	wanted []string // names of operations; none: all
	number int64    // of the last exchange that was looked at
	sent   int64    // the number that the client knows of
	send   func([]byte) error
}

// run sends events until the client leaves, the context ends or the world is deleted; to a client that gets nothing
// before the end of the answer, it sends what there is.
func (s *stream) run(ctx context.Context, isLive bool) error {
	if err := s.send(fmt.Appendf(nil, ": exchanges of the world %s\n\n", s.world.ID)); err != nil {
		return err
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for ctx.Err() == nil {
		news := s.world.Journal.After(s.number, batch)
		if err := s.sendNews(news); err != nil {
			return err
		}
		if len(news.Entries) > 0 {
			continue
		}
		if news.IsClosed || !isLive {
			return nil
		}
		select {
		case <-news.More:
		case <-ctx.Done():
		case <-beat.C:
			if err := s.beat(); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendNews sends what the journal has lost, and what it has, in one part.
func (s *stream) sendNews(news journal.News) error {
	var b bytes.Buffer
	if news.Lost > 0 {
		fmt.Fprintf(&b, "id: %d\nevent: gap\ndata: {\"world\":%q,\"after\":%d,\"lost\":%d}\n\n",
			s.number+news.Lost, s.world.ID, s.number, news.Lost)
		s.number += news.Lost
		s.sent = s.number
	}
	for _, e := range news.Entries {
		s.number = e.Seq
		if !s.wants(e) {
			continue
		}
		line, err := recording.Line(s.host.Render(e)) // one line, with its end
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "id: %d\nevent: exchange\ndata: %s\n", e.Seq, line)
		s.sent = e.Seq
	}
	if b.Len() == 0 {
		return nil
	}
	return s.send(b.Bytes())
}

func (s *stream) wants(e *journal.Entry) bool {
	return len(s.wanted) == 0 || e.Operation != nil && slices.Contains(s.wanted, e.Operation.Name())
}

// beat sends a comment and, if the client does not know it, the number of the last exchange that it did not want: what
// it resumes from without missing any.
func (s *stream) beat() error {
	b := []byte(": still here\n")
	if s.number > s.sent {
		b = fmt.Appendf(b, "id: %d\n", s.number)
		s.sent = s.number
	}
	return s.send(append(b, '\n'))
}

type exchangeView struct {
	*recording.Exchange
	walled
	Before *int64 `json:"before"` // the number of the exchange before, if the journal has one
	After  *int64 `json:"after"`
}

// getExchange returns an exchange of the journal in full.
func (h Host) getExchange(c *op.Call, w *worlds.World) (op.Reply, error) {
	number, err := strconv.ParseInt(c.Param("seq"), 10, 64)
	if err != nil || number < 1 {
		return op.Reply{}, op.Invalid("seq", "want the number of an exchange, not %q", c.Param("seq"))
	}
	extent := w.Journal.Extent()
	found := w.Journal.Find(number)
	if len(found) == 0 {
		return op.Reply{}, missingExchange(w, number)
	}
	view := exchangeView{Exchange: h.Render(found[0]), walled: walledOf(found[0])}
	if before := number - 1; before >= extent.First {
		view.Before = &before
	}
	if after := number + 1; after <= extent.Last {
		view.After = &after
	}
	return op.OK(view)
}

// missingExchange returns the error that says why the journal of a world does not have an exchange.
func missingExchange(w *worlds.World, number int64) error {
	extent := w.Journal.Extent()
	switch {
	case number > extent.Last:
		return notFound("exchange %d has not been served in world %s; the last one is %d", number, w.ID, extent.Last)
	case extent.Total == 0:
		return notFound("exchange %d is not in the journal of world %s any more, which is empty; the last one was %d",
			number, w.ID, extent.Last)
	}
	return notFound("exchange %d was dropped from the journal of world %s, which has %d to %d; --journal-limit or "+
		"WithJournalLimit sets how much it keeps", number, w.ID, extent.First, extent.Last)
}
