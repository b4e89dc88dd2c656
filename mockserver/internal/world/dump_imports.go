package world

type importsDump struct {
	Done []Import `json:"done"`
	Last int64    `json:"last"`
}

func (x *Imports) dump() importsDump { return importsDump{Done: rowsOf(&x.Done), Last: x.Last} }

// imports may be into tables that are forgotten by now.
func (l *loader) imports(d *coreDump) {
	x := &l.w.Core.Imports
	x.Last = d.Imports.Last
	if x.Last < 0 || x.Last > maxID || len(d.Imports.Done) > maxImports {
		l.wrong("imports", "last", "%d: want 0 to %d, and %d imports at most", x.Last, maxID, maxImports)
		return
	}
	for _, i := range d.Imports.Done {
		_, twice := x.Find(i.Table, i.UniqueID)
		_, numbered := x.Done.Get(i.ID)
		if twice || numbered || i.UniqueID == "" || i.ID < 1 || i.ID > x.Last {
			l.wrong("import", i.ID, "want an id from 1 to %d and a uniqueId, both of its own", x.Last)
			continue
		}
		x.put(i)
	}
}
