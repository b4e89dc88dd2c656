package rule

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// WorkflowFacts hold what bodies of the workflow interface say.
type WorkflowFacts struct {
	Pools    []poolFact
	Rules    []ruleFact
	Attempts []attemptFact
	Tasks    []taskFact
	Starting *startFact
}

type poolFact struct {
	ID        string
	Limit     int64
	IsDefault bool
}

type ruleFact struct {
	ID, PoolID string
	Priority   int64
	Conditions []conditionFact
}

// equals reports whether two answers show the same of a rule.
func (f ruleFact) equals(other ruleFact) bool {
	return f.PoolID == other.PoolID && f.Priority == other.Priority &&
		slices.EqualFunc(f.Conditions, other.Conditions, func(a, b conditionFact) bool {
			return a.Kind == b.Kind && a.Operator == b.Operator && slices.Equal(a.Values, b.Values)
		})
}

type conditionFact struct {
	Kind, Operator string
	Values         []string
}

type attemptFact struct {
	ID, PoolID, SessionID, Retry, Status string
	Project, Workflow                    string
	SessionTime                          string
	Index                                int64
	Done                                 bool
	FinishedAt                           time.Time
	Embedded                             bool // in a session: its index and names are not known
	Mark                                 uint64
	SessionUUID                          string
}

type taskFact struct{ FullName, State string }

// startFact is a request to start an attempt.
type startFact struct {
	Retry, SessionTime    string
	Mode, AttemptID, From string
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
	"getAttempt":          {of: attempts, in: alone(addAttempt)},
	"killAttempt":         {of: attempts, in: alone(addAttempt)},
	"listAttempts":        {in: list("attempts", addAttempt)},
	"listSessionAttempts": {of: sessions, in: list("attempts", addAttempt)},
	"listAttemptRetries":  {of: attempts, in: list("attempts", addAttempt)},
	"listAttemptTasks":    {of: attempts, in: list("tasks", addTask)},
	"listSessions":        {in: list("sessions", addSession)},
	"listProjectSessions": {of: projects, in: list("sessions", addSession)},
	"getSession":          {of: sessions, in: alone(addSession)},
	"getWorkflow":         {of: workflows, in: alone(nil)},

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
		e.Pools = append(e.Pools, poolFact{id, body.Get("concurrencyLimit").Int(), body.Get("default").Bool()})
		e.show(pools, id)
	}
}

func addRule(e *Event, body gjson.Result) {
	rule := ruleFact{
		ID: text(body.Get("id")), PoolID: text(body.Get("poolId")), Priority: body.Get("priority").Int(),
	}
	body.Get("conditions").ForEach(func(_, c gjson.Result) bool {
		condition := conditionFact{Kind: text(c.Get("type")), Operator: text(c.Get("operator"))}
		for _, value := range c.Get("values").Array() {
			condition.Values = append(condition.Values, text(value))
		}
		rule.Conditions = append(rule.Conditions, condition)
		return true
	})
	if rule.ID != "" {
		e.Rules = append(e.Rules, rule)
		e.show(poolRules, rule.ID)
	}
}

func addAttempt(e *Event, body gjson.Result) {
	a := attemptFact{
		ID: text(body.Get("id")), PoolID: text(body.Get("poolId")), SessionID: text(body.Get("sessionId")),
		Retry: text(body.Get("retryAttemptName")), Status: text(body.Get("status")),
		Project: text(body.Get("project.name")), Workflow: text(body.Get("workflow.name")),
		SessionTime: text(body.Get("sessionTime")), Index: body.Get("index").Int(), Done: body.Get("done").Bool(),
	}
	a.Mark, a.SessionUUID = markOf(body), text(body.Get("sessionUuid"))
	a.FinishedAt, _ = time.Parse(time.RFC3339, text(body.Get("finishedAt")))
	if a.ID != "" && a.ID != "0" && body.Get("done").Exists() {
		e.Attempts = append(e.Attempts, a)
	}
}

func addSession(e *Event, body gjson.Result) {
	last := body.Get("lastAttempt")
	if !last.IsObject() {
		return
	}
	n := len(e.Attempts)
	addAttempt(e, last)
	if len(e.Attempts) > n {
		a := &e.Attempts[n]
		if a.Embedded = true; last.Get("retryAttemptName").Exists() {
			a.SessionID = text(body.Get("id"))
		}
	}
}

func addTask(e *Event, body gjson.Result) {
	e.Tasks = append(e.Tasks, taskFact{text(body.Get("fullName")), text(body.Get("state"))})
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
		e.Refers = thing{pools, id}
	}
}

func readStart(e *Event, body gjson.Result) {
	e.Starting = &startFact{
		Retry: text(body.Get("retryAttemptName")), SessionTime: text(body.Get("sessionTime")),
		Mode: text(body.Get("resume.mode")), AttemptID: text(body.Get("resume.attemptId")),
		From: text(body.Get("resume.from")),
	}
}

// anyPrefix reports whether a name begins with one of some prefixes.
func anyPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
