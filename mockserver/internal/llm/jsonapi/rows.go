package jsonapi

import (
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// IDSet holds resources by their ids on the wire.
type IDSet map[string]bool

// DeleteWhere deletes the resources of a table for which a test holds, and returns their ids.
func DeleteWhere[A any](w *world.State, rows *table.Table[world.Resource[A]], goes func(A) bool) IDSet {
	gone := IDSet{}
	for id, row := range table.All(rows) {
		if goes(row.Attributes) {
			table.Delete(rows, id)
			w.LLM.UUIDs.Delete(row.UUID)
			gone[row.UUID] = true
		}
	}
	return gone
}

// UpdateWhere stores the resources of a table for which apply reports a change.
func UpdateWhere[A any](rows *table.Table[world.Resource[A]], apply func(*A) bool) {
	for id, row := range table.All(rows) {
		if apply(&row.Attributes) {
			rows.Put(id, row)
		}
	}
}

// IdentifiersWhere returns the identifiers of the resources of a table for which a test holds.
func IdentifiersWhere[A any](kind string, rows *table.Table[world.Resource[A]], holds func(A) bool) []Identifier {
	list := []Identifier{}
	for _, row := range table.All(rows) {
		if holds(row.Attributes) {
			list = append(list, Identifier{kind, row.UUID})
		}
	}
	return list
}
