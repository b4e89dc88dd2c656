package learn_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// object is a JSON object of the stand-in.
type object = map[string]any

// standIn is a service of the tests' own: some fifty operations of the workflow and core interfaces, written by hand
// from what is known of the platform. It shares no code and no document with the mock, so that what learn and compare
// do with its recordings is what they do with those of the service.
type standIn struct {
	mu     sync.Mutex
	mux    *http.ServeMux
	time   time.Time   // the service has a clock of its own, so that answers do not depend on how busy the machine is
	last   string      // the last request
	taken  []time.Time // when it took each request
	lastID int

	runTime time.Duration // of attempts and jobs
	started map[int]time.Time

	pools, rules, projects, workflows, schedules, attempts map[int]object // workflow
	policies, tables, jobs                                 map[int]object // core
	databases, connections                                 map[string]object
	secrets                                                map[int][]string
	attached                                               map[int][]int // users by policy

	isUTC bool // it also lists databases with times in UTC

	// A deviation from what the platform does: change changes the answer of an operation, and forget names what is
	// answered and not done.
	operation string
	change    func(*standInAnswer)
	forget    string
}

// standInUser holds a user of the stand-in. Users without administration may read workflows and query databases.
type standInUser struct {
	id      int
	name    string
	isAdmin bool
}

// Keys of the three users of the stand-in.
const (
	adaKey = "88/00000000000000000000000000000000000000a1"
	benKey = "88/00000000000000000000000000000000000000b2"
	cyKey  = "88/00000000000000000000000000000000000000c3"
)

var standInUsers = map[string]*standInUser{
	adaKey: {501, "Ada", true}, benKey: {502, "Ben", true}, cyKey: {503, "Cy", false},
}

// standInAnswer is an answer before it is written.
type standInAnswer struct {
	status int
	body   any // nil for none
	header http.Header
}

// member returns the body as an object.
func (a *standInAnswer) member() object { return a.body.(object) }

// standInCall is a request with what every operation needs of it.
type standInCall struct {
	*http.Request

	user *standInUser
	body object
}

func (c *standInCall) id(name string) int {
	n, _ := strconv.Atoi(c.PathValue(name))
	return n
}

func (c *standInCall) number(name string, fallback int) int {
	if n, err := strconv.Atoi(c.URL.Query().Get(name)); err == nil {
		return n
	}
	return fallback
}

func newStandIn() *standIn {
	s := &standIn{
		mux: http.NewServeMux(), runTime: time.Second, lastID: 900,
		time:  time.Date(2026, 3, 2, 9, 30, 0, 750e6, time.UTC),
		pools: map[int]object{}, rules: map[int]object{}, projects: map[int]object{}, workflows: map[int]object{},
		schedules: map[int]object{}, attempts: map[int]object{}, policies: map[int]object{}, tables: map[int]object{},
		jobs: map[int]object{}, databases: map[string]object{},
		connections: map[string]object{}, started: map[int]time.Time{}, secrets: map[int][]string{},
		attached: map[int][]int{},
	}
	s.begin()
	s.routeWorkflow()
	s.routeWorkflowRuns()
	s.routeData()
	s.routeAccess()
	s.routeJobs()
	return s
}

// begin makes what is there before the first request.
func (s *standIn) begin() {
	s.pools[11] = object{"id": "11", "name": "default", "concurrencyLimit": 90, "default": true}
	s.pools[12] = object{"id": "12", "name": "nightly", "concurrencyLimit": 10, "default": false}
	s.rules[21] = object{"id": "21", "poolId": "12", "priority": 5, "conditions": []any{
		object{"type": "project_name", "operator": "starts_with", "values": []any{"night"}},
	}}
	for i, name := range []string{"billing", "churn", "nightly_load"} {
		id := 31 + i
		s.projects[id] = object{
			"id": strconv.Itoa(id), "name": name, "revision": "r1", "archiveType": "db",
			"archiveMd5": "1B2M2Y8AsgTpgAmY7PhCfg==",
			"createdAt":  "2026-01-05T08:00:00Z", "updatedAt": "2026-01-05T08:00:00Z", "deletedAt": nil, "metadata": []any{},
		}
		project := object{"id": strconv.Itoa(id), "name": name}
		s.workflows[41+i] = object{
			"id": strconv.Itoa(41 + i), "name": "main", "project": project, "revision": "r1", "timezone": "UTC",
			"config": object{"+step": object{"echo>": name}},
		}
	}
	s.workflows[43]["config"].(object)["schedule"] = object{"cron>": "0 0 1 1 *"}
	newYear := strconv.Itoa(s.now().Year()+1) + "-01-01T00:00:00"
	s.schedules[51] = object{
		"id": "51", "project": object{"id": "33", "name": "nightly_load"}, "workflow": object{"id": "43", "name": "main"},
		"nextRunTime": newYear + "Z", "nextScheduleTime": newYear + "+00:00", "disabledAt": nil,
	}
	s.secrets[31] = []string{"api.token"}
	for i, name := range []string{"sales", "web"} {
		s.databases[name] = object{"id": strconv.Itoa(71 + i), "name": name, "at": "2025-11-03 10:00:00 UTC"}
	}
	s.addTable(81, "sales", "orders", `[["id","long"],["total","double"]]`)
	s.addTable(82, "sales", "customers", `[["id","long"],["email","string"]]`)
	s.addTable(83, "web", "visits", `[["path","string"]]`)
	s.policies[61] = object{"id": 61, "account_id": 88, "name": "analysts", "description": "Who may query."}
	s.policies[62] = object{"id": 62, "account_id": 88, "name": "auditors", "description": "Who may look."}
	s.attached[61] = []int{503}
	s.connections["lake"] = object{"name": "lake", "url": "s3://bucket/path", "organization": nil}
}

// How long after the request before it the stand-in takes one, and how much longer if a client asks the same again, as
// clients do that wait.
const (
	requestTime = 4 * time.Millisecond
	pollTime    = 700 * time.Millisecond
)

// take moves the clock to when a request is taken.
func (s *standIn) take(r *http.Request) {
	s.time = s.time.Add(requestTime)
	request := r.Method + " " + r.URL.String()
	if r.Method == http.MethodGet && request == s.last {
		s.time = s.time.Add(pollTime)
	}
	s.last, s.taken = request, append(s.taken, s.time)
}

func (s *standIn) now() time.Time { return s.time }

func (s *standIn) newID() int { s.lastID++; return s.lastID }

// handle registers an operation. Only administrators may do what needs an administrator.
func (s *standIn) handle(pattern, operation string, needsAdmin bool, do func(c *standInCall) standInAnswer) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.take(r)
		fail := workflowError
		if strings.HasPrefix(operation, "core.") {
			fail = coreError
		}
		c := &standInCall{Request: r, user: standInUsers[strings.TrimPrefix(r.Header.Get("Authorization"), "SVC1 ")]}
		_ = json.NewDecoder(r.Body).Decode(&c.body) // there may be none
		var a standInAnswer
		switch {
		case c.user == nil:
			a = fail(http.StatusUnauthorized, "unknown key")
		case needsAdmin && !c.user.isAdmin && (operation != "core.createDatabase" || s.forget != "refusal"):
			a = fail(http.StatusForbidden, "only administrators may do this")
		default:
			a = do(c)
		}
		if a.header == nil {
			a.header = http.Header{}
		}
		a.header.Set("Content-Type", "application/json")
		a.header.Set("Date", s.time.Format(http.TimeFormat))
		if operation == s.operation && s.change != nil {
			s.change(&a)
		}
		maps.Copy(w.Header(), a.header)
		w.WriteHeader(a.status)
		if a.body != nil {
			_ = json.NewEncoder(w).Encode(a.body)
		}
	})
}

func ok(body any) standInAnswer { return standInAnswer{status: http.StatusOK, body: body} }

func workflowError(status int, message string) standInAnswer {
	return standInAnswer{status: status, body: object{"message": message, "status": status}}
}

func coreError(status int, message string) standInAnswer {
	return standInAnswer{status: status, body: object{
		"error": message, "message": message, "text": message, "severity": "error", "status_code": status,
	}}
}

// ordered returns the objects by their ids.
func ordered(of map[int]object) []any {
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		list = append(list, of[id])
	}
	return list
}

// answerOne registers the operation that reads one entity.
func (s *standIn) answerOne(pattern, operation, param string, needsAdmin bool, of map[int]object,
	fail func(int, string) standInAnswer,
) {
	s.handle(pattern, operation, needsAdmin, func(c *standInCall) standInAnswer {
		if one := of[c.id(param)]; one != nil {
			return ok(maps.Clone(one))
		}
		return fail(http.StatusNotFound, "there is none of this id")
	})
}

func (s *standIn) routeWorkflow() {
	const pools, pool = "/workflow/api/pools", "/workflow/api/pools/{id}"
	s.handle("GET "+pools, "workflow.listPools", true, func(*standInCall) standInAnswer {
		return ok(object{"pools": ordered(s.pools)})
	})
	s.answerOne("GET "+pool, "workflow.getPool", "id", true, s.pools, workflowError)
	s.handle("POST "+pools, "workflow.createPool", true, func(c *standInCall) standInAnswer {
		for _, p := range s.pools {
			if p["name"] == c.body["name"] && s.forget != "conflict" {
				return workflowError(http.StatusConflict, "the name is in use")
			}
		}
		id := s.newID()
		limit := int(c.body["concurrencyLimit"].(float64))
		s.pools[id] = object{"id": strconv.Itoa(id), "name": c.body["name"], "concurrencyLimit": limit, "default": false}
		s.spare(-limit)
		return standInAnswer{status: http.StatusCreated, body: s.pools[id]}
	})
	s.handle("PATCH "+pool, "workflow.updatePool", true, func(c *standInCall) standInAnswer {
		before := s.pools[c.id("id")]
		if before == nil {
			return workflowError(http.StatusNotFound, "there is no such pool")
		}
		p := maps.Clone(before)
		if limit, given := c.body["concurrencyLimit"].(float64); given {
			p["concurrencyLimit"] = int(limit)
		}
		if name, given := c.body["name"]; given {
			p["name"] = name
		}
		if s.forget != "pool update" {
			s.spare(before["concurrencyLimit"].(int) - p["concurrencyLimit"].(int))
			s.pools[c.id("id")] = p
		}
		return ok(p)
	})
	s.handle("DELETE "+pool, "workflow.deletePool", true, func(c *standInCall) standInAnswer {
		p := s.pools[c.id("id")]
		if p == nil {
			return workflowError(http.StatusNotFound, "there is no such pool")
		}
		for _, rule := range s.rules {
			if rule["poolId"] == p["id"] {
				return workflowError(http.StatusBadRequest, "a rule names the pool")
			}
		}
		if s.forget != "pool deletion" {
			delete(s.pools, c.id("id"))
			s.spare(p["concurrencyLimit"].(int))
		}
		return ok(p)
	})
	const rules, rule = "/workflow/api/pool_rules", "/workflow/api/pool_rules/{id}"
	s.handle("GET "+rules, "workflow.listPoolRules", true, func(*standInCall) standInAnswer {
		list := ordered(s.rules)
		slices.SortStableFunc(list, func(a, b any) int {
			return cmp.Compare(a.(object)["priority"].(int), b.(object)["priority"].(int))
		})
		return ok(object{"poolRules": list})
	})
	s.answerOne("GET "+rule, "workflow.getPoolRule", "id", true, s.rules, workflowError)
	s.handle("POST "+rules, "workflow.createPoolRule", true, func(c *standInCall) standInAnswer {
		id := s.newID()
		r := maps.Clone(c.body)
		r["id"], r["priority"] = strconv.Itoa(id), int(c.body["priority"].(float64))
		s.rules[id] = r
		return standInAnswer{status: http.StatusCreated, body: r}
	})
	s.handle("PATCH "+rule, "workflow.updatePoolRule", true, func(c *standInCall) standInAnswer {
		r := maps.Clone(s.rules[c.id("id")])
		if r == nil {
			return workflowError(http.StatusNotFound, "there is no such rule")
		}
		if priority, given := c.body["priority"].(float64); given {
			r["priority"] = int(priority)
		}
		s.rules[c.id("id")] = r
		return ok(r)
	})
	s.handle("DELETE "+rule, "workflow.deletePoolRule", true, func(c *standInCall) standInAnswer {
		r := s.rules[c.id("id")]
		if r == nil {
			return workflowError(http.StatusNotFound, "there is no such rule")
		}
		if s.forget != "rule deletion" {
			delete(s.rules, c.id("id"))
		}
		return ok(r)
	})
}

// spare gives slots back to the default pool.
func (s *standIn) spare(slots int) {
	p := maps.Clone(s.pools[11])
	p["concurrencyLimit"] = p["concurrencyLimit"].(int) + slots
	s.pools[11] = p
}

// page returns the items above last_id, as many as are asked for.
func page(c *standInCall, list []any, size string) []any {
	var kept []any
	for _, item := range list {
		if id, _ := strconv.Atoi(item.(object)["id"].(string)); id > c.number("last_id", 0) {
			kept = append(kept, item)
		}
	}
	return append([]any{}, kept[:min(len(kept), c.number(size, 100))]...)
}

func (s *standIn) routeWorkflowRuns() {
	s.handle("GET /workflow/api/projects", "workflow.listProjects", false, func(c *standInCall) standInAnswer {
		list := slices.DeleteFunc(ordered(s.projects), func(p any) bool {
			name := c.URL.Query().Get("name")
			return name != "" && p.(object)["name"] != name
		})
		return ok(object{"projects": page(c, list, "count")})
	})
	s.answerOne("GET /workflow/api/projects/{id}", "workflow.getProject", "id", false, s.projects, workflowError)
	const secrets, secret = "/workflow/api/projects/{id}/secrets", "/workflow/api/projects/{id}/secrets/{key}"
	s.handle("GET "+secrets, "workflow.listProjectSecrets", true, func(c *standInCall) standInAnswer {
		list := []any{}
		for _, key := range s.secrets[c.id("id")] {
			list = append(list, object{"key": key})
		}
		return ok(object{"secrets": list})
	})
	s.handle("PUT "+secret, "workflow.putProjectSecret", true, func(c *standInCall) standInAnswer {
		list := slices.Concat(s.secrets[c.id("id")], []string{c.PathValue("key")})
		slices.Sort(list)
		s.secrets[c.id("id")] = slices.Compact(list)
		return standInAnswer{status: http.StatusNoContent}
	})
	s.handle("DELETE "+secret, "workflow.deleteProjectSecret", true, func(c *standInCall) standInAnswer {
		s.secrets[c.id("id")] = slices.DeleteFunc(s.secrets[c.id("id")], func(key string) bool {
			return key == c.PathValue("key") && s.forget != "secret deletion"
		})
		return standInAnswer{status: http.StatusNoContent}
	})
	s.handle("GET /workflow/api/workflows", "workflow.listWorkflows", false, func(c *standInCall) standInAnswer {
		return ok(object{"workflows": page(c, ordered(s.workflows), "count")})
	})
	s.answerOne("GET /workflow/api/workflows/{id}", "workflow.getWorkflow", "id", false, s.workflows, workflowError)
	s.handle("GET /workflow/api/schedules", "workflow.listSchedules", false, func(*standInCall) standInAnswer {
		return ok(object{"schedules": ordered(s.schedules)})
	})
	s.answerOne("GET /workflow/api/schedules/{id}", "workflow.getSchedule", "id", false, s.schedules, workflowError)
	for word, disabledAt := range map[string]func() any{
		"disable": func() any { return s.now().Format(time.RFC3339) }, "enable": func() any { return nil },
	} {
		s.handle("POST /workflow/api/schedules/{id}/"+word, "workflow."+word+"Schedule", true,
			func(c *standInCall) standInAnswer {
				before := s.schedules[c.id("id")]
				if before == nil {
					return workflowError(http.StatusNotFound, "there is no such schedule")
				}
				after := maps.Clone(before)
				after["disabledAt"] = disabledAt()
				if s.forget != "schedule "+word {
					s.schedules[c.id("id")] = after
				}
				summary := maps.Clone(after)
				summary["createdAt"], summary["updatedAt"] = "2026-01-05T08:00:00Z", "2026-01-05T08:00:00Z"
				return ok(summary)
			})
	}
	s.handle("GET /workflow/api/attempts", "workflow.listAttempts", false, func(c *standInCall) standInAnswer {
		list := []any{}
		for _, id := range slices.Backward(slices.Sorted(maps.Keys(s.attempts))) {
			list = append(list, s.attempt(id))
		}
		return ok(object{"attempts": list[:min(len(list), c.number("page_size", 100))]})
	})
	s.handle("GET /workflow/api/attempts/{id}", "workflow.getAttempt", false, func(c *standInCall) standInAnswer {
		if s.attempts[c.id("id")] == nil {
			return workflowError(http.StatusNotFound, "there is no such attempt")
		}
		return ok(s.attempt(c.id("id")))
	})
	s.handle("PUT /workflow/api/attempts", "workflow.startAttempt", true, s.startAttempt)
}

func (s *standIn) startAttempt(c *standInCall) standInAnswer {
	workflow := s.workflows[int(number(c.body["workflowId"]))]
	if workflow == nil {
		return workflowError(http.StatusNotFound, "there is no such workflow")
	}
	at, err := time.Parse(time.RFC3339, c.body["sessionTime"].(string))
	if err != nil {
		return workflowError(http.StatusBadRequest, err.Error())
	}
	session := at.UTC().Format("2006-01-02T15:04:05") + "+00:00"
	for id, a := range s.attempts {
		if a["sessionTime"] == session && a["workflow"].(object)["id"] == workflow["id"] {
			return standInAnswer{status: http.StatusConflict, body: s.attempt(id)}
		}
	}
	id, now := s.newID(), s.now()
	s.started[id] = now
	s.attempts[id] = object{
		"id": strconv.Itoa(id), "index": 1, "project": workflow["project"],
		"workflow":  object{"id": workflow["id"], "name": "main"},
		"sessionId": strconv.Itoa(s.newID()), "sessionUuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", id),
		"sessionTime": session, "retryAttemptName": nil, "params": cmp.Or[any](c.body["params"], object{}),
		"createdAt": now.Format(time.RFC3339), "cancelRequested": false, "poolId": "11",
	}
	return ok(s.attempt(id))
}

func number(id any) float64 {
	n, _ := strconv.ParseFloat(fmt.Sprint(id), 64)
	return n
}

// attempt returns an attempt as it is now.
func (s *standIn) attempt(id int) object {
	a := maps.Clone(s.attempts[id])
	end := s.started[id].Add(s.runTime)
	isDone := !s.now().Before(end)
	a["done"], a["success"], a["status"], a["finishedAt"] = isDone, isDone, "running", nil
	if isDone {
		a["status"], a["finishedAt"] = "success", end.Format(time.RFC3339)
	}
	return a
}
