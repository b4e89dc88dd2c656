package llm

import (
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// set is some resources, by their ids on the wire.
type set map[string]bool

// drop removes the resources of a table for which a test holds.
func drop[A any](w *world.World, rows *table.Table[world.Resource[A]], goes func(A) bool) set {
	gone := set{}
	for id, row := range table.All(rows) {
		if goes(row.Attributes) {
			table.Delete(rows, id)
			w.LLM.UUIDs.Delete(row.UUID)
			gone[row.UUID] = true
		}
	}
	return gone
}

// change puts back the resources of a table that a function changes, as it reports.
func change[A any](rows *table.Table[world.Resource[A]], apply func(*A) bool) {
	for id, row := range table.All(rows) {
		if apply(&row.Attributes) {
			rows.Put(id, row)
		}
	}
}

// identify are the resources of a table for which a test holds.
func identify[A any](kind string, rows *table.Table[world.Resource[A]], holds func(A) bool) []identifier {
	list := []identifier{}
	for _, row := range table.All(rows) {
		if holds(row.Attributes) {
			list = append(list, identifier{kind, row.UUID})
		}
	}
	return list
}
