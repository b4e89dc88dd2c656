package world

import "svc.example/understudy/mockserver/internal/table"

// Imports are the imports with an id of the client's choice, so that a repetition is known for one.
type Imports struct {
	Done table.Table[Import] // the last maxImports, counted from 1
	Last int64               // how many there ever were

	IDs table.Index[ImportKey, int64] // of those done
}

// maxImports is the number of imports that a world remembers: clients repeat one soon, or never.
const maxImports = 10_000

// ImportKey identifies an import that is repeated.
type ImportKey struct {
	Table int64
	ID    string
}

// Import is an import of rows into a table.
type Import struct {
	ID       int64  `json:"id"`
	Table    int64  `json:"table"`
	UniqueID string `json:"uniqueId"`
	MD5      string `json:"md5"` // of the body, in hex digits
}

// Find finds the import into a table with an id of the client's.
func (x *Imports) Find(table int64, uniqueID string) (Import, bool) {
	id, ok := x.IDs.Get(ImportKey{table, uniqueID})
	if !ok {
		return Import{}, false
	}
	return x.Done.Get(id)
}

// Add adds an import, and drops the oldest one when there are too many.
func (x *Imports) Add(i Import) {
	x.Last++
	i.ID = x.Last
	x.put(i)
	if oldest, ok := x.Done.Get(i.ID - maxImports); ok {
		table.Delete(&x.Done, oldest.ID)
		x.IDs.Delete(ImportKey{oldest.Table, oldest.UniqueID})
	}
}

func (x *Imports) put(i Import) {
	x.Done.Put(i.ID, i)
	x.IDs.Put(ImportKey{i.Table, i.UniqueID}, i.ID)
}
