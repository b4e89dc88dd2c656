package learn_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// svcTime is the form of times of databases, tables and jobs; a list of databases shows an offset instead.
const svcTime = "2006-01-02 15:04:05 UTC"

func (s *standIn) addTable(id int, database, name, schema string) {
	s.tables[id] = object{
		"database": database, "id": id, "name": name, "type": "log", "count": 0, "schema": schema, "expire_days": nil,
		"include_v": true, "delete_protected": false, "estimated_storage_size": 0, "last_log_timestamp": nil,
		"counter_updated_at": nil, "created_at": "2025-11-03 10:00:00 UTC", "updated_at": "2025-11-03 10:00:00 UTC",
	}
}

// table finds a table by its database and name.
func (s *standIn) table(database, name string) object {
	for _, t := range s.tables {
		if t["database"] == database && t["name"] == name {
			return t
		}
	}
	return nil
}

// shownTable returns a table as it is answered.
func shownTable(t object) object {
	t = maps.Clone(t)
	delete(t, "database")
	return t
}

// database returns a database as it is answered to a user.
func (s *standIn) database(c *standInCall, name string) object {
	permission := "administrator"
	if !c.user.isAdmin {
		permission = "query_only"
	}
	return object{
		"name": name, "count": 0, "created_at": s.databases[name]["at"], "updated_at": s.databases[name]["at"],
		"delete_protected": false, "organization": nil, "permission": permission,
	}
}

func (s *standIn) routeData() {
	s.handle("GET /core/v3/database/list", "core.listDatabases", false, func(c *standInCall) standInAnswer {
		list := []any{}
		for _, name := range slices.Sorted(maps.Keys(s.databases)) {
			d := s.database(c, name)
			for _, at := range []string{"created_at", "updated_at"} {
				if !s.isUTC {
					d[at] = strings.Replace(d[at].(string), "UTC", "+0000", 1)
				}
			}
			list = append(list, d)
		}
		return ok(object{"databases": list})
	})
	s.handle("GET /core/v3/database/show/{name}", "core.getDatabase", false, func(c *standInCall) standInAnswer {
		name := c.PathValue("name")
		if s.databases[name] == nil {
			return coreError(http.StatusNotFound, "there is no such database")
		}
		d := s.database(c, name)
		d["id"], d["datatank"] = s.databases[name]["id"], false
		return ok(d)
	})
	s.handle("POST /core/v3/database/create/{name}", "core.createDatabase", true, func(c *standInCall) standInAnswer {
		name := c.PathValue("name")
		if s.databases[name] != nil {
			return coreError(http.StatusConflict, "the name is in use")
		}
		s.databases[name] = object{"id": strconv.Itoa(s.newID()), "name": name, "at": s.now().Format(svcTime)}
		return ok(object{"database": name})
	})
	s.handle("POST /core/v3/database/delete/{name}", "core.deleteDatabase", true, func(c *standInCall) standInAnswer {
		name := c.PathValue("name")
		if s.databases[name] == nil {
			return coreError(http.StatusNotFound, "there is no such database")
		}
		if s.forget != "database deletion" {
			delete(s.databases, name)
			maps.DeleteFunc(s.tables, func(_ int, t object) bool { return t["database"] == name })
		}
		return ok(object{"database": name})
	})
	s.handle("GET /core/v3/table/list/{database}", "core.listTables", false, func(c *standInCall) standInAnswer {
		list := []any{}
		for _, t := range ordered(s.tables) {
			if t.(object)["database"] == c.PathValue("database") {
				list = append(list, shownTable(t.(object)))
			}
		}
		slices.SortFunc(list, func(a, b any) int {
			return strings.Compare(a.(object)["name"].(string), b.(object)["name"].(string))
		})
		if s.databases[c.PathValue("database")] == nil {
			return coreError(http.StatusNotFound, "there is no such database")
		}
		return ok(object{"database": c.PathValue("database"), "tables": list})
	})
	s.handle("POST /core/v3/table/create/{database}/{table}", "core.createTable", true,
		func(c *standInCall) standInAnswer {
			database, name := c.PathValue("database"), c.PathValue("table")
			switch {
			case s.databases[database] == nil:
				return coreError(http.StatusNotFound, "there is no such database")
			case s.table(database, name) != nil:
				return coreError(http.StatusConflict, "the name is in use")
			}
			id := s.newID()
			s.addTable(id, database, name, cmp.Or(fmt.Sprint(c.body["schema"]), "[]"))
			s.tables[id]["created_at"], s.tables[id]["updated_at"] = s.now().Format(svcTime), s.now().Format(svcTime)
			return ok(object{"database": database, "table": name, "type": "log"})
		})
	of := func(do func(c *standInCall, t object) standInAnswer) func(c *standInCall) standInAnswer {
		return func(c *standInCall) standInAnswer {
			if t := s.table(c.PathValue("database"), c.PathValue("table")); t != nil {
				return do(c, t)
			}
			return coreError(http.StatusNotFound, "there is no such table")
		}
	}
	reference := func(c *standInCall, name string) standInAnswer {
		return ok(object{"database": c.PathValue("database"), "table": name, "type": "log"})
	}
	s.handle("GET /core/v3/table/show/{database}/{table}", "core.getTable", false,
		of(func(_ *standInCall, t object) standInAnswer { return ok(shownTable(t)) }))
	s.handle("POST /core/v3/table/delete/{database}/{table}", "core.deleteTable", true,
		of(func(c *standInCall, t object) standInAnswer {
			delete(s.tables, t["id"].(int))
			return reference(c, c.PathValue("table"))
		}))
	s.handle("POST /core/v3/table/rename/{database}/{table}/{name}", "core.renameTable", true,
		of(func(c *standInCall, t object) standInAnswer {
			if s.forget != "table rename" {
				t["name"], t["updated_at"] = c.PathValue("name"), s.now().Format(svcTime)
			}
			return reference(c, c.PathValue("name"))
		}))
	s.handle("POST /core/v3/table/update-schema/{database}/{table}", "core.updateTableSchema", true,
		of(func(c *standInCall, t object) standInAnswer {
			if s.forget != "schema update" {
				t["schema"], t["updated_at"] = c.body["schema"], s.now().Format(svcTime)
			}
			return reference(c, c.PathValue("table"))
		}))
}

// policy returns a policy as it is answered.
func (s *standIn) policy(id int) object {
	p := maps.Clone(s.policies[id])
	p["user_count"] = len(s.attached[id])
	return p
}

func (s *standIn) routeAccess() {
	const policies, policy = "/core/v3/access_control/policies", "/core/v3/access_control/policies/{id}"
	s.handle("GET "+policies, "core.listPolicies", true, func(*standInCall) standInAnswer {
		list := []any{}
		for _, id := range slices.Sorted(maps.Keys(s.policies)) {
			list = append(list, s.policy(id))
		}
		return ok(list)
	})
	s.handle("POST "+policies, "core.createPolicy", true, func(c *standInCall) standInAnswer {
		id, given := s.newID(), c.body["policy"].(object)
		s.policies[id] = object{
			"id": id, "account_id": 88, "name": given["name"], "description": cmp.Or[any](given["description"], ""),
		}
		return ok(s.policy(id))
	})
	of := func(do func(c *standInCall, id int) standInAnswer) func(c *standInCall) standInAnswer {
		return func(c *standInCall) standInAnswer {
			if s.policies[c.id("id")] != nil {
				return do(c, c.id("id"))
			}
			return coreError(http.StatusNotFound, "there is no such policy")
		}
	}
	s.handle("GET "+policy, "core.getPolicy", true,
		of(func(_ *standInCall, id int) standInAnswer { return ok(s.policy(id)) }))
	s.handle("PATCH "+policy, "core.updatePolicy", true, of(func(c *standInCall, id int) standInAnswer {
		after := s.policy(id)
		maps.Copy(after, c.body["policy"].(object))
		if s.forget != "policy update" {
			maps.Copy(s.policies[id], c.body["policy"].(object))
		}
		return ok(after)
	}))
	s.handle("DELETE "+policy, "core.deletePolicy", true, of(func(_ *standInCall, id int) standInAnswer {
		p := s.policy(id)
		if s.forget != "policy deletion" {
			delete(s.policies, id)
			delete(s.attached, id)
		}
		return ok(p)
	}))
	s.handle("GET "+policy+"/users", "core.listPolicyUsers", true, of(func(_ *standInCall, id int) standInAnswer {
		list := []any{}
		for _, user := range s.attached[id] {
			for _, u := range standInUsers {
				if u.id == user {
					email := strings.ToLower(u.name) + "@example.com"
					list = append(list, object{"user_id": user, "account_id": 88, "email": email, "name": u.name})
				}
			}
		}
		return ok(list)
	}))
	s.handle("POST "+policy+"/users/{user}", "core.attachUserToPolicy", true,
		of(func(c *standInCall, id int) standInAnswer {
			if !slices.Contains(s.attached[id], c.id("user")) && s.forget != "attachment" {
				s.attached[id] = append(s.attached[id], c.id("user"))
				slices.Sort(s.attached[id])
			}
			return ok(s.policy(id))
		}))
	s.handle("DELETE "+policy+"/users/{user}", "core.detachUserFromPolicy", true,
		of(func(c *standInCall, id int) standInAnswer {
			s.attached[id] = slices.DeleteFunc(s.attached[id], func(user int) bool { return user == c.id("user") })
			return ok(s.policy(id))
		}))
	s.handle("GET /core/v3/result/list", "core.listConnections", true, func(*standInCall) standInAnswer {
		list := []any{}
		for _, name := range slices.Sorted(maps.Keys(s.connections)) {
			list = append(list, s.connections[name])
		}
		return ok(object{"results": list})
	})
	s.handle("POST /core/v3/result/create/{name}", "core.createConnection", true, func(c *standInCall) standInAnswer {
		name := c.PathValue("name")
		if s.connections[name] != nil {
			return coreError(http.StatusConflict, "the name is in use")
		}
		s.connections[name] = object{"name": name, "url": c.body["url"], "organization": nil}
		return ok(object{"name": name, "result": name})
	})
	s.handle("POST /core/v3/result/delete/{name}", "core.deleteConnection", true, func(c *standInCall) standInAnswer {
		name := c.PathValue("name")
		if s.connections[name] == nil {
			return coreError(http.StatusNotFound, "there is no such connection")
		}
		if s.forget != "connection deletion" {
			delete(s.connections, name)
		}
		return ok(object{"name": name, "result": name})
	})
}

// job returns a job as it is now.
func (s *standIn) job(id int) object {
	j := maps.Clone(s.jobs[id])
	over := s.started[id].Add(s.runTime)
	j["start_at"], j["status"] = j["created_at"], "running"
	if killed, ok := j["killed"]; ok {
		delete(j, "killed")
		took := killed.(time.Time).Sub(s.started[id])
		end := killed.(time.Time).Format(svcTime)
		j["status"], j["end_at"], j["updated_at"] = "killed", end, end
		j["duration"], j["cpu_time"] = int(took.Seconds()), nil
	} else if !s.now().Before(over) {
		end := over.Format(svcTime)
		j["status"], j["end_at"], j["updated_at"] = "success", end, end
		j["duration"], j["cpu_time"] = int(s.runTime.Seconds()), s.runTime.Milliseconds()
		j["num_records"], j["result_size"], j["hive_result_schema"] = 1, 22, `[["one","bigint"]]`
	}
	return j
}

func (s *standIn) routeJobs() {
	s.handle("POST /core/v3/job/issue/{type}/{database}", "core.issueJob", false, func(c *standInCall) standInAnswer {
		if s.databases[c.PathValue("database")] == nil {
			return coreError(http.StatusNotFound, "there is no such database")
		}
		id, now := s.newID(), s.now().Format(svcTime)
		s.started[id] = s.now()
		text := strconv.Itoa(id)
		s.jobs[id] = object{
			"job_id": text, "type": c.PathValue("type"), "database": c.PathValue("database"), "query": c.body["query"],
			"created_at": now, "updated_at": now, "start_at": "", "end_at": "", "duration": nil, "cpu_time": nil,
			"hive_result_schema": nil, "linked_result_export_job_id": nil, "num_records": nil, "organization": nil,
			"priority": 0, "result": "", "result_export_target_job_id": nil, "result_size": nil, "retry_limit": 0,
			"url": "https://console.example.com/jobs/" + text, "user_name": c.user.name,
		}
		return ok(object{"job": text, "job_id": text, "database": c.PathValue("database")})
	})
	of := func(do func(id int) standInAnswer) func(c *standInCall) standInAnswer {
		return func(c *standInCall) standInAnswer {
			if s.jobs[c.id("id")] != nil {
				return do(c.id("id"))
			}
			return coreError(http.StatusNotFound, "there is no such job")
		}
	}
	s.handle("GET /core/v3/job/show/{id}", "core.getJob", false, of(func(id int) standInAnswer {
		j := s.job(id)
		j["debug"] = object{"cmdout": nil, "stderr": nil}
		return ok(j)
	}))
	s.handle("GET /core/v3/job/status/{id}", "core.getJobStatus", false, of(func(id int) standInAnswer {
		j, shown := s.job(id), object{}
		for _, name := range []string{
			"job_id", "cpu_time", "created_at", "duration", "end_at", "num_records", "result_size", "start_at", "status",
			"updated_at",
		} {
			shown[name] = j[name]
		}
		return ok(shown)
	}))
	s.handle("GET /core/v3/job/list", "core.listJobs", false, func(*standInCall) standInAnswer {
		list := []any{}
		for _, id := range slices.Backward(slices.Sorted(maps.Keys(s.jobs))) {
			list = append(list, s.job(id))
		}
		return ok(object{"jobs": list, "count": len(list), "from": nil, "to": nil})
	})
	s.handle("GET /core/v3/job/result/{id}", "core.getJobResult", false, of(func(id int) standInAnswer {
		a := ok([]any{1})
		a.header = http.Header{"Etag": {fmt.Sprintf("%q", s.jobs[id]["job_id"])}, "Accept-Ranges": {"bytes"}}
		return a
	}))
	s.handle("POST /core/v3/job/kill/{id}", "core.killJob", false, of(func(id int) standInAnswer {
		former := s.job(id)["status"]
		if former == "running" && s.forget != "job kill" {
			s.jobs[id]["killed"] = s.now()
		}
		return ok(object{"job_id": strconv.Itoa(id), "former_status": former})
	}))
}
