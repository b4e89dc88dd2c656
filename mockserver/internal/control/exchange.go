package control

import (
	"strconv"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs/recording"
)

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
