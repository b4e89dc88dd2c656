package pipeline

import (
	"context"
	"encoding/json"

	"svc.example/understudy/contract"
)

// judgeFn judges the exchanges of pieces, each alone.
type judgeFn struct {
	Options Options

	checker *contract.Checker
}

// Setup makes the checker, once per process.
func (fn *judgeFn) Setup() (err error) {
	fn.checker, err = shared(&fn.Options)
	return err
}

// ProcessElement emits what is known of a piece, its events by their keys, those of no key, and as dead letters what
// could not be read.
func (fn *judgeFn) ProcessElement(ctx context.Context, p Piece,
	emitPart func([]byte), emitEvent func(string, []byte), emitEverywhere func([]byte), emitLetter func(string),
) error {
	var lines *lineRange
	if p.IsLines {
		var err error
		if lines, _, err = p.lines(ctx); err != nil {
			return err
		}
		defer func() { _ = lines.Close() }() // it was read
	}
	part := fn.checker.Part(p.Before.Exchanges)
	events := 0
	for r, err := range p.read(ctx, lines, p.Before) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		event, isEvent := part.Judge(r, err)
		if problem := part.Problem(); problem != nil {
			letter, err := json.Marshal(problem)
			if err != nil {
				return err
			}
			emitLetter(string(letter))
		}
		if !isEvent {
			continue
		}
		events++
		text, err := event.MarshalBinary()
		if err != nil {
			return err
		}
		if key := event.Key(); key != "" {
			emitEvent(key, text)
		} else {
			emitEverywhere(text)
		}
	}
	countJudged(ctx, part, events)
	text, err := part.MarshalBinary()
	emitPart(text)
	return err
}
