package control

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/mockserver/internal/worlds"
)

func (h Host) listIngestionFailures(_ *op.Call, w *worlds.World) (op.Reply, error) {
	state := w.Read().Ingestion
	failures := []world.IngestionFailure{}
	for _, failure := range table.All(&state.Failures) {
		failures = append(failures, failure)
	}
	return op.OK(struct {
		World    string                   `json:"world"`
		Total    int64                    `json:"total"`
		Failures []world.IngestionFailure `json:"failures"`
	}{w.ID, state.Failed, failures})
}
