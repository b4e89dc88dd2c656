package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// QueueTurn queues an answer for later inputs. If several fit an input, the first queued one is used.
func QueueTurn(w *world.State, t world.Turn) error {
	if err := checkTurn(t); err != nil {
		return err
	}
	w.LLM.Turns.Add(t)
	return nil
}

func checkTurn(t world.Turn) error {
	if err := op.CheckPattern("input", t.Input); err != nil {
		return err
	}
	switch {
	case t.Times < 0:
		return op.Invalid("times", "want 0, for always, or more, not %d", t.Times)
	case t.Status != 0 && !slices.Contains(refusals, t.Status):
		return op.Invalid("status", "want one of %s, or none, not %d", strings.Trim(fmt.Sprint(refusals), "[]"),
			t.Status)
	case (t.Status == 0) == (len(t.Events) == 0):
		return op.Invalid("", "want either events or a status: a turn succeeds or is refused")
	case t.Status == 0 && t.Message != "":
		return op.Invalid("message", "only a refused turn has one; want a status, or an event with an error")
	}
	return checkEvents(t.Events)
}

func checkEvents(events []json.RawMessage) error {
	var errs []error
	for i, raw := range events {
		at := fmt.Sprintf("events.%d", i)
		event, err := readEvent(raw)
		if err != nil {
			errs = append(errs, op.Invalid(at, "%v", err))
			continue
		}
		if event.Error != nil && i < len(events)-1 {
			errs = append(errs, op.Invalid(at, "an error ends the turn; want no events after it"))
		}
	}
	return errors.Join(errs...)
}

// takeTurn returns the first queued turn that fits an input, and counts it down. If none fits, the agent repeats the
// input (assumed).
func takeTurn(w *world.State, input, chat string, agent world.Resource[world.Agent]) world.Turn {
	fits := func(t *world.Turn) bool { return answersTo(*t, input, chat, agent) }
	taken := world.TakeFirst(&w.LLM.Turns, fits, func(t *world.Turn) *int { return &t.Times })
	if taken == nil {
		event, _ := json.Marshal(map[string]string{"content": "You said: " + input}) // texts are written always
		return world.Turn{Events: []json.RawMessage{event}}
	}
	return *taken
}

func answersTo(t world.Turn, input, chat string, agent world.Resource[world.Agent]) bool {
	switch {
	case t.Agent != "" && t.Agent != agent.Attributes.Name && !strings.EqualFold(t.Agent, agent.UUID),
		t.Chat != "" && !strings.EqualFold(t.Chat, chat):
		return false
	}
	pattern, err := regexp.Compile(t.Input)
	return err == nil && pattern.MatchString(input)
}
