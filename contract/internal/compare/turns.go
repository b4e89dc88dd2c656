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
	if isCertain := len(list) == 1 && len(list[0].times) == 1; !isCertain && r.subject.Fork != nil {
		agreeing, err := r.agreeing(ctx, list)
		if err != nil {
			return nil, err
		}
		if len(agreeing) > 0 {
			chosen = earliest(agreeing)
		}
	}
	return chosen.Exchange, r.commit(ctx, chosen)
}

// agreedTurn is a turn whose answer agrees.
type agreedTurn struct {
	turn
	made map[string]int64 // by kind, the lowest of the numbers that the answer shows for the first time, as recorded
}

// agreeing returns the turns whose answers agree. One that only reads may be replayed at once, before what it read
// changes; then it is the only one.
func (r *replay) agreeing(ctx context.Context, list []*Exchange) (agreed []agreedTurn, err error) {
	readsFirst := slices.Clone(list)
	slices.SortStableFunc(readsFirst, func(a, b *Exchange) int { return order(isRead(b), isRead(a)) })
	for _, e := range readsFirst {
		for _, at := range e.times {
			t := turn{e, at}
			made, agrees, err := r.try(ctx, t)
			switch {
			case err != nil:
				return nil, err
			case agrees && isRead(e):
				return []agreedTurn{{turn: t}}, nil
			case agrees:
				agreed = append(agreed, agreedTurn{t, made})
			}
			if agrees {
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

// earliest returns the first of the turns of which no other one made things with lower numbers: servers count up.
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

// try replays an exchange to a fork, and reports whether the answer agrees, and what it made.
func (r *replay) try(ctx context.Context, t turn) (made map[string]int64, agrees bool, err error) {
	fork, err := r.subject.Fork()
	if err != nil {
		return nil, false, fmt.Errorf("fork the subject: %w", err)
	}
	defer fork.close()
	trial := *r
	fork.Keys, fork.Key = r.subject.Keys, r.subject.Key
	trial.subject, trial.ids = fork, newIDs(r.ids)
	trial.masks = &masks{slices.Clone(r.masks.list)}
	if err := trial.one(ctx, t); err != nil {
		return nil, false, err
	}
	made = map[string]int64{}
	for recorded := range trial.ids.to {
		number, err := strconv.ParseInt(recorded.text, 10, 64)
		if lowest, known := made[recorded.kind]; err == nil && (!known || number < lowest) {
			made[recorded.kind] = number
		}
	}
	return made, t.Agrees(), nil
}
