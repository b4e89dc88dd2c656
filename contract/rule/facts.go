package rule

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/judge"
)

// text copies a value out of its body, so that nothing keeps the body in memory.
func text(value gjson.Result) string { return strings.Clone(value.String()) }

// facts are what bodies say. Ids are text, whether the body has text or a number.
type facts struct {
	pools    []poolFact
	rules    []ruleFact
	attempts []attemptFact
	tasks    []taskFact
	projects []projectFact
	secrets  []string
	listed   bool // the answer held its list
	start    *startFact
	poolID   string // of a request that sets one
}

type poolFact struct {
	id        string
	limit     int64
	isDefault bool
}

type ruleFact struct {
	id, poolID string
	priority   int64
	conditions []conditionFact
}

type conditionFact struct {
	kind, operator string
	values         []string
}

type attemptFact struct {
	id, poolID, sessionID, retry, status string
	project, workflow                    string
	sessionTime                          string
	index                                int64
	done                                 bool
	finishedAt                           time.Time
	embedded                             bool // in a session: session, index and names are not known
}

type taskFact struct{ fullName, state string }

type projectFact struct{ id, name string }

// startFact is a request to start an attempt.
type startFact struct {
	retry, sessionTime    string
	mode, attemptID, from string
}

// reader says how the facts of an operation are read.
type reader struct {
	id string // the path parameter that identifies
	in func(*Event, gjson.Result)
	to func(*Event, gjson.Result)
}

func (r *reader) response(e *Event, result *judge.Result) {
	if r.in == nil {
		return
	}
	body, ok := result.JSONResponse()
	if !ok {
		e.Opaque = true
		return
	}
	r.in(e, body)
}

func (r *reader) request(e *Event, result *judge.Result) {
	if r.to == nil {
		return
	}
	if body, ok := result.JSONRequest(); ok {
		r.to(e, body)
	}
}

// readers, by operation. What is not here concerns no rule.
var readers = map[string]*reader{
	"listPools":  {in: list("pools", addPool)},
	"createPool": {in: addPool},
	"getPool":    {id: "poolId", in: addPool},
	"updatePool": {id: "poolId", in: addPool},
	"deletePool": {id: "poolId", in: addPool},

	"listPoolRules":  {in: list("poolRules", addRule)},
	"createPoolRule": {in: addRule, to: readPoolID},
	"getPoolRule":    {id: "poolRuleId", in: addRule},
	"updatePoolRule": {id: "poolRuleId", in: addRule, to: readPoolID},
	"deletePoolRule": {id: "poolRuleId", in: addRule},

	"startAttempt":        {in: addAttempt, to: readStart},
	"getAttempt":          {id: "id", in: addAttempt},
	"killAttempt":         {id: "id", in: addAttempt},
	"listAttempts":        {in: list("attempts", addAttempt)},
	"listSessionAttempts": {id: "id", in: list("attempts", addAttempt)},
	"listAttemptRetries":  {id: "id", in: list("attempts", addAttempt)},
	"listAttemptTasks":    {id: "id", in: list("tasks", addTask)},
	"listSessions":        {in: list("sessions", addSession)},
	"listProjectSessions": {id: "id", in: list("sessions", addSession)},
	"getSession":          {id: "id", in: addSession},

	"listProjects":        {in: list("projects", addProject)},
	"putProject":          {in: addProject},
	"getProject":          {id: "id", in: addProject},
	"deleteProject":       {id: "id", in: addProject},
	"listProjectSecrets":  {id: "id", in: list("secrets", addSecret)},
	"putProjectSecret":    {id: "id"},
	"deleteProjectSecret": {id: "id"},
}

func list(key string, add func(*Event, gjson.Result)) func(*Event, gjson.Result) {
	return func(e *Event, body gjson.Result) {
		items := body.Get(key)
		e.listed = items.IsArray()
		items.ForEach(func(_, item gjson.Result) bool {
			add(e, item)
			return true
		})
	}
}

func addPool(e *Event, body gjson.Result) {
	if id := text(body.Get("id")); id != "" {
		e.pools = append(e.pools, poolFact{id, body.Get("concurrencyLimit").Int(), body.Get("default").Bool()})
	}
}

func addRule(e *Event, body gjson.Result) {
	rule := ruleFact{
		id: text(body.Get("id")), poolID: text(body.Get("poolId")), priority: body.Get("priority").Int(),
	}
	body.Get("conditions").ForEach(func(_, c gjson.Result) bool {
		condition := conditionFact{kind: text(c.Get("type")), operator: text(c.Get("operator"))}
		for _, value := range c.Get("values").Array() {
			condition.values = append(condition.values, text(value))
		}
		rule.conditions = append(rule.conditions, condition)
		return true
	})
	if rule.id != "" {
		e.rules = append(e.rules, rule)
	}
}

func addAttempt(e *Event, body gjson.Result) {
	a := attemptFact{
		id: text(body.Get("id")), poolID: text(body.Get("poolId")), sessionID: text(body.Get("sessionId")),
		retry: text(body.Get("retryAttemptName")), status: text(body.Get("status")),
		project: text(body.Get("project.name")), workflow: text(body.Get("workflow.name")),
		sessionTime: text(body.Get("sessionTime")), index: body.Get("index").Int(), done: body.Get("done").Bool(),
	}
	a.finishedAt, _ = time.Parse(time.RFC3339, text(body.Get("finishedAt")))
	if a.id != "" && a.id != "0" && body.Get("done").Exists() {
		e.attempts = append(e.attempts, a)
	}
}

func addSession(e *Event, body gjson.Result) {
	last := body.Get("lastAttempt")
	if !last.IsObject() {
		return
	}
	n := len(e.attempts)
	addAttempt(e, last)
	if len(e.attempts) > n {
		a := &e.attempts[n]
		a.embedded, a.sessionID = true, text(body.Get("id"))
	}
}

func addTask(e *Event, body gjson.Result) {
	e.tasks = append(e.tasks, taskFact{text(body.Get("fullName")), text(body.Get("state"))})
}

func addProject(e *Event, body gjson.Result) {
	if id := text(body.Get("id")); id != "" {
		e.projects = append(e.projects, projectFact{id, text(body.Get("name"))})
	}
}

func addSecret(e *Event, body gjson.Result) { e.secrets = append(e.secrets, text(body.Get("key"))) }

func readPoolID(e *Event, body gjson.Result) { e.poolID = text(body.Get("poolId")) }

func readStart(e *Event, body gjson.Result) {
	e.start = &startFact{
		retry: text(body.Get("retryAttemptName")), sessionTime: text(body.Get("sessionTime")),
		mode: text(body.Get("resume.mode")), attemptID: text(body.Get("resume.attemptId")),
		from: text(body.Get("resume.from")),
	}
}

// anyPrefix reports whether a name begins with one of some prefixes.
func anyPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
