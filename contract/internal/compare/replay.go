package compare

import (
	"cmp"
	"context"
	"fmt"
	"iter"
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
	keys    *Keys
	now     time.Time
	effects *effects
}

func newReplay(c *Config, subject Subject) *replay {
	return &replay{
		Config: c, subject: subject, memory: cmp.Or(c.Memory, NewMemory(0)), masks: &masks{slices.Clone(c.Masks)},
		ids: newIDs(nil), keys: &Keys{}, effects: newEffects(c.Documents),
	}
}

// maxCandidates bounds how many of the exchanges that overlapped are tried in the place of one.
const maxCandidates = 64

// Run replays the exchanges of a session, which come in the order in which they began, with the keys of all of them.
// It passes each on when it has its answer and the differences, or when it is skipped; what nothing needs of it any
// more is released then, unless the configuration is brief. It returns how often each mask was needed.
func Run(ctx context.Context, c *Config, subject Subject, keys *Keys, list iter.Seq2[*judge.Result, error],
	done func(*Exchange),
) (used []Mask, err error) {
	r := newReplay(c, subject)
	r.keys = keys
	next, stop := iter.Pull2(list)
	defer stop()
	err = r.all(ctx, next, done)
	return r.masks.list, err
}

// Session replays exchanges one by one, as they come.
type Session struct {
	replay
	last *Exchange // until the next one comes
}

// NewSession begins a session with a subject.
func NewSession(c *Config, subject Subject) *Session { return &Session{replay: *newReplay(c, subject)} }

// Next replays an exchange that ended after all earlier ones. What nothing needs of the one before is released.
func (s *Session) Next(ctx context.Context, one *judge.Result) (*Exchange, error) {
	if s.last != nil {
		s.release(s.last)
		s.last = nil
	}
	e := &Exchange{Result: one, Skipped: whyNot(one), times: []time.Time{one.Item.Start}, ids: s.ids}
	if e.Skipped != "" {
		return e, nil
	}
	s.keys = &Keys{}
	s.keys.See(one)
	if err := s.commit(ctx, turn{e, one.Item.Start}); err != nil {
		return e, err
	}
	s.last = e
	return e, nil
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

// Keys knows which keys were refused wherever they were sent, by their identities.
type Keys struct{ refused, accepted map[string]bool }

// See notes whether the key of an exchange was refused.
func (k *Keys) See(r *judge.Result) {
	if k.refused == nil {
		k.refused, k.accepted = map[string]bool{}, map[string]bool{}
	}
	switch r.Status() {
	case http.StatusUnauthorized:
		k.refused[r.Credential().Identity] = true
	case 0:
	default:
		k.accepted[r.Credential().Identity] = true
	}
}

// all replays the exchanges. Each time it is the turn of one that began before any other one ended.
func (r *replay) all(ctx context.Context, next func() (*judge.Result, error, bool), done func(*Exchange)) error {
	clock, left, isMore := &ServerClock{}, []*Exchange(nil), true
	for {
		for isMore && len(left) <= maxCandidates {
			one, err, isOne := next()
			if isMore = isOne; err != nil {
				return err
			}
			if !isMore {
				break
			}
			e := &Exchange{Result: one, Skipped: whyNot(one), times: clock.Times(one), ids: r.ids}
			if e.Skipped != "" {
				done(e)
			} else {
				left = append(left, e)
			}
		}
		if err := ctx.Err(); err != nil || len(left) == 0 {
			return err
		}
		chosen, err := r.next(ctx, candidates(left))
		if err != nil {
			return err
		}
		done(chosen)
		if !r.IsBrief {
			r.release(chosen)
		}
		if r.Stop != nil && r.Stop(chosen) {
			return nil
		}
		left = slices.DeleteFunc(left, func(e *Exchange) bool { return e == chosen })
	}
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
	r.effects.add(t.Exchange)
	return nil
}

// release lets go of what no later exchange needs of one: the messages, and the differences but for what is behind
// them.
func (r *replay) release(e *Exchange) {
	e.alike, e.abouts, e.times, e.ids, e.Result = nil, nil, nil, nil, e.Lean()
	e.Item.Request.Headers = nil
	e.Answer = &Answer{Status: e.Answer.Status, Size: e.Answer.Size}
	if len(e.Differences) > 0 {
		e.Differences = []Difference{{Since: e.Differences[0].Since}}
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
	n := len(found.list)
	e.Differences, e.abouts = slices.Grow([]Difference(nil), n), slices.Grow([]about(nil), n)
	e.alike, e.Omitted = found.alike, found.omitted
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
		r.ids.addAll(known.taught)
		return known
	}
	c := &comparison{
		Config: r.Config, nodes: r.memory.nodesOf(e.Owner.Document), ids: r.memory.layer(r.ids), exchange: e,
		masks: r.masks, effects: r.effects,
	}
	if why == "" {
		c.compare()
	} else {
		c.unanswered(why)
	}
	r.ids.addAll(c.ids)
	c.ids.below = nil
	done := &compared{list: slices.Clone(c.list), alike: c.alike, omitted: c.omitted, taught: c.ids}
	if why == "" && !c.isPassing {
		r.memory.keep(at, done)
	}
	return done
}
