package compare

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// turn is an exchange that may be the next one, at one of its times.
type turn struct {
	*Exchange
	at time.Time
}

// next replays the one of the candidates that is likeliest to have taken effect first, and returns it: one whose answer
// agrees, or else the first of all.
func (r *replay) next(ctx context.Context, list []*Exchange) (*Exchange, error) {
	chosen := turn{list[0], list[0].times[0]}
	isCertain := len(list) == 1 && (len(list[0].times) == 1 || r.known(list[0]) != nil)
	if !isCertain && r.subject.Fork != nil {
		agreeing, err := r.agreeing(ctx, list)
		if err != nil {
			return nil, err
		}
		if len(agreeing) > 0 && isRead(agreeing[0].Exchange) {
			r.adopt(agreeing[0])
			return agreeing[0].Exchange, nil
		}
		if len(agreeing) > 0 {
			chosen = earliest(agreeing)
		}
	}
	return chosen.Exchange, r.commit(ctx, chosen)
}

// agreedTurn is a turn whose answer agrees, as the trial shows.
type agreedTurn struct {
	turn
	trial *replay
	made  map[string]int64 // by kind, the lowest of the numbers that the answer shows for the first time, as recorded
}

// adopt takes the answer of a fork to a request that only reads, and changed nothing.
func (r *replay) adopt(t agreedTurn) {
	r.ids.addAll(t.trial.ids)
	r.masks = t.trial.masks
	r.effects.add(t.Exchange)
}

// agreeing returns the turns whose answers agree. One that only reads may be replayed at once, before what it read
// changes; then it is the only one.
func (r *replay) agreeing(ctx context.Context, list []*Exchange) (agreed []agreedTurn, err error) {
	readsFirst := slices.Clone(list)
	slices.SortStableFunc(readsFirst, func(a, b *Exchange) int { return order(isRead(b), isRead(a)) })
	for _, e := range readsFirst {
		for _, at := range e.times {
			t := turn{e, at}
			tried, err := r.try(ctx, t)
			switch {
			case err != nil:
				return nil, err
			case e.Agrees() && isRead(e):
				return []agreedTurn{tried}, nil
			case e.Agrees():
				agreed = append(agreed, tried)
			}
			if e.Agrees() {
				break
			}
		}
	}
	return agreed, nil
}

// order orders false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// earliest returns the first of the turns of which no other one made entities with lower numbers: servers count up.
func earliest(list []agreedTurn) turn {
	for _, t := range list {
		if !slices.ContainsFunc(list, func(other agreedTurn) bool { return other.isBefore(t) }) {
			return t.turn
		}
	}
	return list[0].turn
}

func (t agreedTurn) isBefore(other agreedTurn) bool {
	for kind, number := range t.made {
		if later, both := other.made[kind]; both && number < later {
			return true
		}
	}
	return false
}

// try replays an exchange to a fork.
func (r *replay) try(ctx context.Context, t turn) (tried agreedTurn, err error) {
	fork, err := r.subject.Fork()
	if err != nil {
		return tried, fmt.Errorf("fork the subject: %w", err)
	}
	defer fork.close()
	trial := *r
	fork.Keys, fork.Key = r.subject.Keys, r.subject.Key
	trial.subject, trial.ids = fork, newIDs(r.ids)
	trial.masks = &masks{slices.Clone(r.masks.list)}
	if err := trial.one(ctx, t); err != nil {
		return tried, err
	}
	made := map[string]int64{}
	for recorded := range trial.ids.to {
		number, err := strconv.ParseInt(recorded.text, 10, 64)
		if lowest, known := made[recorded.kind]; err == nil && (!known || number < lowest) {
			made[recorded.kind] = number
		}
	}
	return agreedTurn{t, &trial, made}, nil
}
