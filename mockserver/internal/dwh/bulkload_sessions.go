package dwh

import (
	"slices"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

type sessionForm struct {
	Name   string `json:"name"`
	ID     int64  `json:"bulkload_session_id"`
	Table  string `json:"target_table"`
	Digest string `json:"configs_digest"`
}

// listDwhBulkloadSessions: an integration that loads nothing has none.
func listDwhBulkloadSessions(c *op.Call) (op.Reply, error) {
	id, err := c.ID(integrations.Noun, integrations.Key)
	if err != nil {
		return op.Reply{}, err
	}
	sessions, ok := c.World.DWH.Sessions.Get(id)
	if !ok {
		return op.Reply{}, op.NotFound(integrations.Noun, "id", id)
	}
	i, _ := c.World.DWH.Integrations.Get(id)
	if err := requireOwn(c, i); err != nil {
		return op.Reply{}, err
	}
	forms := make([]sessionForm, len(sessions))
	for n, s := range sessions {
		forms[n] = sessionForm{s.Name, s.ID, s.Table, s.Digest}
	}
	return op.OK(forms)
}

// sessions returns the bulk load sessions that the configurations want, one for each target table. A table that had one
// before keeps it.
func (p configs) sessions(w *world.State, i world.Warehouse, before []world.BulkloadSession) []world.BulkloadSession {
	sessions := make([]world.BulkloadSession, len(p.Advanced))
	for n, entry := range p.Advanced {
		s := world.BulkloadSession{Name: i.Name + "_" + entry.Table, Table: entry.Table, Digest: p.digest(n)}
		at := slices.IndexFunc(before, func(b world.BulkloadSession) bool { return b.Table == entry.Table })
		if at >= 0 {
			s.ID = before[at].ID
		} else {
			s.ID = w.NewID("dwh.session")
		}
		sessions[n] = s
	}
	return sessions
}
