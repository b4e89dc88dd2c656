package rule

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// workflowFacts are what bodies of the workflow interface say.
type workflowFacts struct {
	pools    []poolFact
	rules    []ruleFact
	attempts []attemptFact
	tasks    []taskFact
	start    *startFact
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
	embedded                             bool // in a session: its index and names are not known
}

type taskFact struct{ fullName, state string }

// startFact is a request to start an attempt.
type startFact struct {
	retry, sessionTime    string
	mode, attemptID, from string
}

var workflowReaders = map[string]*reader{
	"listPools":  {of: pools, does: lists, in: list("pools", addPool)},
	"createPool": {of: pools, does: makes, in: addPool},
	"getPool":    {of: pools, does: reads, in: addPool},
	"updatePool": {of: pools, does: changes, in: addPool},
	"deletePool": {of: pools, does: removes, in: addPool},

	"listPoolRules":  {of: poolRules, does: lists, in: list("poolRules", addRule)},
	"createPoolRule": {of: poolRules, does: makes, in: addRule, to: readPoolID},
	"getPoolRule":    {of: poolRules, does: reads, in: addRule},
	"updatePoolRule": {of: poolRules, does: changes, in: addRule, to: readPoolID},
	"deletePoolRule": {of: poolRules, does: removes, in: addRule},

	"startAttempt":        {stirs: tableMakers, in: addAttempt, to: readStart},
	"getAttempt":          {of: attempts, in: addAttempt},
	"killAttempt":         {of: attempts, in: addAttempt},
	"listAttempts":        {in: list("attempts", addAttempt)},
	"listSessionAttempts": {of: sessions, in: list("attempts", addAttempt)},
	"listAttemptRetries":  {of: attempts, in: list("attempts", addAttempt)},
	"listAttemptTasks":    {of: attempts, in: list("tasks", addTask)},
	"listSessions":        {in: list("sessions", addSession)},
	"listProjectSessions": {of: projects, in: list("sessions", addSession)},
	"getSession":          {of: sessions, in: addSession},

	"listProjects":         {of: projects, does: lists, in: list("projects", addProject)},
	"putProject":           {of: projects, does: makes, in: addProject},
	"getProject":           {of: projects, does: reads, in: addProject},
	"deleteProject":        {of: projects, does: removes, in: addProject},
	"listProjectSchedules": {of: projects, in: list("schedules", addPlan)},
	"listSchedules":        {of: plans, does: lists, in: list("schedules", addPlan)},
	"getSchedule":          {of: plans, does: reads, in: addPlan},
	"skipSchedule":         {of: plans, does: changes, in: addPlan},
	"backfillSchedule":     {of: plans, does: changes, stirs: tableMakers},
	"disableSchedule":      {of: plans, does: changes, in: addPlan},
	"enableSchedule":       {of: plans, does: changes, in: addPlan},
	"listProjectSecrets":   {of: secrets, does: lists, in: list("secrets", addSecret)},
	"putProjectSecret":     {of: secrets, does: makes},
	"deleteProjectSecret":  {of: secrets, does: removes},
}

func addPool(e *Event, body gjson.Result) {
	if id := text(body.Get("id")); id != "" {
		e.pools = append(e.pools, poolFact{id, body.Get("concurrencyLimit").Int(), body.Get("default").Bool()})
		e.show(pools, id)
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
		e.show(poolRules, rule.id)
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
		if a.embedded = true; last.Get("retryAttemptName").Exists() {
			a.sessionID = text(body.Get("id"))
		}
	}
}

func addTask(e *Event, body gjson.Result) {
	e.tasks = append(e.tasks, taskFact{text(body.Get("fullName")), text(body.Get("state"))})
}

func addProject(e *Event, body gjson.Result) { e.show(projects, text(body.Get("id"))) }

// addPlan reads a schedule, which is gone with its project.
func addPlan(e *Event, body gjson.Result) {
	plan := thing{plans, text(body.Get("id"))}
	e.show(plan.kind, plan.id)
	e.tie(plan, thing{projects, text(body.Get("project.id"))})
}

func addSecret(e *Event, body gjson.Result) {
	if key := text(body.Get("key")); key != "" {
		e.show(secrets, e.ID+"/"+key)
	}
}

func readPoolID(e *Event, body gjson.Result) {
	if id := text(body.Get("poolId")); id != "" {
		e.refers = thing{pools, id}
	}
}

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
