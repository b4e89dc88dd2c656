package control

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

func (h Host) listIngestionFailures(c *op.Call) (op.Reply, error) {
	w, err := h.world(c)
	if err != nil {
		return op.Reply{}, err
	}
	state := w.Read().Ingestion
	return op.OK(struct {
		World    string                              `json:"world"`
		Total    int64                               `json:"total"`
		Failures table.Table[world.IngestionFailure] `json:"failures"`
	}{w.ID, state.Failed, state.Failures})
}
