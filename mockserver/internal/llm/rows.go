package llm

import (
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// idSet is some resources, by their ids on the wire.
type idSet map[string]bool

// deleteWhere removes the resources of a table for which a test holds.
func deleteWhere[A any](w *world.World, rows *table.Table[world.Resource[A]], goes func(A) bool) idSet {
	gone := idSet{}
	for id, row := range table.All(rows) {
		if goes(row.Attributes) {
			table.Delete(rows, id)
			w.LLM.UUIDs.Delete(row.UUID)
			gone[row.UUID] = true
		}
	}
	return gone
}

// updateWhere puts back the resources of a table that a function changes, as it reports.
func updateWhere[A any](rows *table.Table[world.Resource[A]], apply func(*A) bool) {
	for id, row := range table.All(rows) {
		if apply(&row.Attributes) {
			rows.Put(id, row)
		}
	}
}

// identifiersWhere are the resources of a table for which a test holds.
func identifiersWhere[A any](kind string, rows *table.Table[world.Resource[A]], holds func(A) bool) []identifier {
	list := []identifier{}
	for _, row := range table.All(rows) {
		if holds(row.Attributes) {
			list = append(list, identifier{kind, row.UUID})
		}
	}
	return list
}
