package compare

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs/recording"
)

// replay plays one session.
type replay struct {
	*Config
	subject Subject
	memory  *Memory
	masks   *masks
	ids     *ids
	refused map[string]bool // identities that were never let in
	now     time.Time
	effects *effects
	shown   map[string]*Exchange // by operation, the first whose answer differs
}

func newReplay(c *Config, subject Subject) *replay {
	return &replay{
		Config: c, subject: subject, memory: cmp.Or(c.Memory, NewMemory(0)), masks: &masks{slices.Clone(c.Masks)},
		ids: newIDs(nil), refused: map[string]bool{}, effects: newEffects(c.Documents), shown: map[string]*Exchange{},
	}
}

// maxCandidates bounds how many of the exchanges that overlapped are tried in the place of one.
const maxCandidates = 64

// Run replays a session. Each exchange then has its answer and the differences. It returns how often each mask was
// needed.
func Run(ctx context.Context, c *Config, subject Subject, list []*judge.Result) (
	done []*Exchange, used []Mask, err error,
) {
	r := newReplay(c, subject)
	clock := &ServerClock{}
	for _, one := range list {
		e := &Exchange{Result: one}
		done = append(done, e)
		e.Skipped = whyNot(one)
	}
	slices.SortStableFunc(done, func(a, b *Exchange) int { return a.Item.Start.Compare(b.Item.Start) })
	for _, e := range done {
		e.times = clock.Times(e.Result)
	}
	r.findRefused(done)
	err = r.all(ctx, done)
	return done, r.masks.list, err
}

// Session replays exchanges one by one, as they come.
type Session struct{ replay }

// NewSession begins a session with a subject.
func NewSession(c *Config, subject Subject) *Session { return &Session{*newReplay(c, subject)} }

// Next replays an exchange that ended after all earlier ones.
func (s *Session) Next(ctx context.Context, one *judge.Result) (*Exchange, error) {
	e := &Exchange{Result: one, Skipped: whyNot(one), times: []time.Time{one.Item.Start}}
	if e.Skipped != "" {
		return e, nil
	}
	s.findRefused([]*Exchange{e})
	return e, s.commit(ctx, turn{e, one.Item.Start})
}

// Masks lists the masks, with how often each was needed.
func (s *Session) Masks() []Mask { return s.masks.list }

// whyNot returns why a request cannot be replayed, or the empty string.
func whyNot(r *judge.Result) string {
	fault, _ := recording.ParseFault(r.Item.Fault)
	switch {
	case r.Operation() == nil:
		return "the interface documents no such operation"
	case r.IsInjected:
		return "its answer was injected by the fault " + fault.ID
	case fault.Effect == recording.EffectTwice:
		return "the fault " + fault.ID + " made it take effect twice"
	case r.Item.RequestDoubt != "" && r.Status() != http.StatusRequestEntityTooLarge:
		return "its request is not recorded as it was: " + r.Item.RequestDoubt
	case r.Status() == 0:
		return "no response was recorded"
	}
	for _, note := range r.Item.Notes {
		if strings.HasPrefix(note, "upstream") {
			return "its answer is not the service's own: " + note
		}
	}
	return ""
}

// findRefused finds the keys that were refused wherever they were sent.
func (r *replay) findRefused(list []*Exchange) {
	const unauthorized = 401
	accepted := map[string]bool{}
	for _, e := range list {
		identity := e.Credential().Identity
		if e.Status() == unauthorized {
			r.refused[identity] = true
		} else if e.Status() != 0 {
			accepted[identity] = true
		}
	}
	for identity := range accepted {
		delete(r.refused, identity)
	}
}

// all replays the exchanges. Each time it is the turn of one that began before any other one ended.
func (r *replay) all(ctx context.Context, list []*Exchange) error {
	left := slices.DeleteFunc(slices.Clone(list), func(e *Exchange) bool { return e.Skipped != "" })
	for len(left) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		chosen, err := r.next(ctx, candidates(left))
		if err != nil {
			return err
		}
		if r.Stop != nil && r.Stop(chosen) {
			return nil
		}
		at := slices.Index(left, chosen) // among the first ones
		copy(left[1:], left[:at])
		left = left[1:]
	}
	return nil
}

// candidates are the exchanges that may be the next one to have taken effect, that which ended first before the others.
func candidates(left []*Exchange) []*Exchange {
	list := []*Exchange{left[0]}
	end := left[0].Item.End
	for _, e := range left[1:] {
		isUnder := e.Item.Start.Before(end) || e.Item.Start.Equal(end) && e.Item.Seq-e.Item.Overlaps <= left[0].Item.Seq &&
			e.Item.Overlaps > 0
		if len(list) == maxCandidates || !isUnder {
			break
		}
		list = append(list, e)
		if e.Item.End.Before(end) {
			end = e.Item.End
		}
	}
	slices.SortStableFunc(list, compareEnds)
	return list
}

func compareEnds(a, b *Exchange) int {
	if n := a.Item.End.Compare(b.Item.End); n != 0 {
		return n
	}
	return a.Item.Number - b.Item.Number
}

// commit replays an exchange for good.
func (r *replay) commit(ctx context.Context, t turn) error {
	if err := r.one(ctx, t); err != nil {
		return err
	}
	r.settle(t.Exchange)
	return nil
}

// settle notes what an exchange that was replayed for good changed and showed.
func (r *replay) settle(e *Exchange) {
	r.effects.take(e)
	if !r.IsBrief {
		r.release(e)
	}
}

// release lets go of what nothing needs of an exchange once its effects are noted: the answer, unless it is the first
// of its operation that differs.
func (r *replay) release(e *Exchange) {
	e.alike, e.abouts = nil, nil
	if name := e.Operation().Name(); !e.Agrees() {
		shown := r.shown[name]
		if shown == nil || e.Item.Number < shown.Item.Number {
			r.shown[name], e = e, shown
		}
	}
	if e != nil {
		e.Answer = &Answer{Status: e.Answer.Status, Size: e.Answer.Size}
	}
}

// one replays one exchange, and compares the answers.
func (r *replay) one(ctx context.Context, t turn) error {
	e, why := t.Exchange, ""
	if e.Answer = r.known(e); e.Answer == nil {
		var err error
		if why, err = r.send(ctx, t); err != nil {
			return err
		}
	}
	found := r.compared(e, why)
	e.Differences, e.abouts, e.alike, e.Omitted = nil, nil, found.alike, found.omitted
	for i := range found.list {
		e.abouts = append(e.abouts, about{found.list[i].trait(), found.list[i].refers})
		e.Differences = append(e.Differences, r.effects.explain(e, &found.list[i]))
	}
	return nil
}

// known returns the answer to an exchange if its request need not be sent, or nil.
func (r *replay) known(e *Exchange) *Answer {
	if r.Known == nil {
		return nil
	}
	return r.Known(e.Result)
}

// send sends the request of an exchange at its time, for the answer. If there is none, it returns why.
func (r *replay) send(ctx context.Context, t turn) (why string, err error) {
	if t.at.After(r.now) {
		r.now = t.at
		if r.subject.Clock != nil {
			if err := r.subject.Clock(t.at); err != nil {
				return "", fmt.Errorf("set the clock to %s: %w", t.at.Format(time.RFC3339Nano), err)
			}
		}
	}
	request, err := r.request(ctx, t.Exchange)
	if err != nil {
		return "", fmt.Errorf("replay exchange %d: %w", t.Item.Number, err)
	}
	t.Answer, why, err = r.ask(request)
	return why, err
}

// compared compares the answer to an exchange with the recorded one, unless an earlier replay has done so.
func (r *replay) compared(e *Exchange, why string) *compared {
	at := remembered{e.Result, e.Answer.digest()}
	if known := r.memory.answers[at]; known != nil && r.ids.holds(known.taught.read) {
		r.ids.take(known.taught)
		return known
	}
	c := &comparison{
		Config: r.Config, sites: r.memory.sitesOf(e.Owner.Document), ids: r.memory.layer(r.ids), exchange: e,
		masks: r.masks, effects: r.effects,
	}
	if why == "" {
		c.compare()
	} else {
		c.unanswered(why)
	}
	r.ids.take(c.ids)
	c.ids.below = nil
	done := &compared{list: c.list, alike: c.alike, omitted: c.omitted, taught: c.ids}
	if why == "" && !c.isPassing {
		r.memory.keep(at, done)
	}
	return done
}
