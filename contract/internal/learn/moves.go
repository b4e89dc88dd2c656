package learn

import "strings"

// moves are the operations that give things other ids.
var moves = map[string]func(*things, *Exchange){
	"core.renameTable": func(s *things, e *Exchange) {
		database := param(e, "database_name")
		s.move("core.table", database+"/"+param(e, "current_table_name"), database+"/"+param(e, "new_table_name"))
	},
	"core.swapTables": func(s *things, e *Exchange) {
		database := param(e, "database_name")
		one, other := database+"/"+param(e, "table_name_1"), database+"/"+param(e, "table_name_2")
		a, b := s.get("core.table", one), s.get("core.table", other)
		s.current[nameOf("core.table", one)], s.current[nameOf("core.table", other)] = b, a
	},
	"core.changeTableDatabase": func(s *things, e *Exchange) {
		s.move("core.table", param(e, "database_name")+"/"+param(e, "table_name"),
			param(e, "new_database_name")+"/"+param(e, "table_name"))
	},
	"core.recoverTable": func(s *things, e *Exchange) {
		s.recovered[param(e, "table_id")] = true
		body, _ := e.JSONResponse()
		request, _ := e.JSONRequest()
		name, database := body.Get("name").String(), request.Get("database_name").String()
		if database == "" {
			database = body.Get("database_name").String()
		}
		if database == "" {
			return
		}
		if id := database + "/" + name; s.current[nameOf("core.table", id)] == nil {
			s.get("core.table", id).late = true
		}
	},
	"core.deleteDatabase": func(s *things, e *Exchange) {
		prefix := "core.table " + param(e, "database_name") + "/"
		for name, t := range s.current {
			if strings.HasPrefix(name, prefix) {
				s.remove(t, e)
				delete(s.current, name)
			}
		}
	},
}

// param returns a path parameter.
func param(e *Exchange, name string) string { return e.Owner.Match.Param(name) }
