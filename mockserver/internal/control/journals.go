package control

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strconv"

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
	}{w.ID, entries, w.Journal.Dropped()})
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
