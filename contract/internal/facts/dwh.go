package facts

import (
	"net/http"
	"strings"

	"svc.example/understudy/internal/jsontree"
)

// DWHContent hold what exchanges of the data warehouse integration interface say.
type DWHContent struct {
	Targets *LoadTarget
}

// LoadTarget names the target of an integration's data.
type LoadTarget struct {
	Database string
	Tables   []string
}

func readTargets(e *Exchange, body jsontree.Value) {
	e.Targets = &LoadTarget{Database: visible(body.Get("output_config", "database"))}
	for entry := range body.Get("advanced_configs").List {
		if table := visible(entry.Get("target_table")); table != "" {
			e.Targets.Tables = append(e.Targets.Tables, table)
		}
	}
}

// Absent returns the entity that an answer shows not to be there.
func (e *Exchange) Absent() Entity {
	switch {
	case e.Status != http.StatusNotFound:
	case e.Operation == "core.getTable", e.Operation == "core.getDatabase", e.Verb == Reads && e.Kind.Interface().IsOwn():
		return e.Target
	case e.Operation == "core.listTables":
		return e.Parent
	}
	return Entity{}
}

// Lacks reports whether an answer shows that a target is not there.
func (e *Exchange) Lacks(t Entity) bool {
	if !e.ListsTargets() {
		return e.Absent() == t
	}
	return e.Kind == t.Kind && e.Parent == DatabaseOf(t) && !e.ShowsEntity(t)
}

// ListsTargets reports whether an answer lists databases, or the tables of one, all that the caller may see.
func (e *Exchange) ListsTargets() bool {
	isList := e.Operation == "core.listTables" || e.Operation == "core.listDatabases"
	return isList && e.OK() && e.Listed && !e.Opaque
}

// DatabaseOf is the database that a table is in, or none.
func DatabaseOf(t Entity) Entity {
	if t.Kind != Tables {
		return Entity{}
	}
	database, _, _ := strings.Cut(t.ID, "/")
	return Entity{Databases, database}
}
