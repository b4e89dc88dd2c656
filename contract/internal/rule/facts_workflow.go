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
	SessionUUID                          string
}

type taskFact struct{ FullName, State string }

// startFact is a request to start an attempt.
type startFact struct {
	Retry, SessionTime    string
	Mode, AttemptID, From string
}

func readPool(e *Event, f *shown, body, _ gjson.Result) {
	e.Pools = append(e.Pools, poolFact{f.Thing.id, body.Get("concurrencyLimit").Int(), body.Get("default").Bool()})
}

func readRule(e *Event, f *shown, body, _ gjson.Result) {
	rule := ruleFact{ID: f.Thing.id, PoolID: text(body.Get("poolId")), Priority: body.Get("priority").Int()}
	body.Get("conditions").ForEach(func(_, c gjson.Result) bool {
		condition := conditionFact{Kind: text(c.Get("type")), Operator: text(c.Get("operator"))}
		for _, value := range c.Get("values").Array() {
			condition.Values = append(condition.Values, text(value))
		}
		rule.Conditions = append(rule.Conditions, condition)
		return true
	})
	e.Rules = append(e.Rules, rule)
}

// readAttempt reads an attempt. One that is embedded in a session shows less of itself.
func readAttempt(e *Event, f *shown, body, session gjson.Result) {
	a := attemptFact{
		ID: f.Thing.id, PoolID: text(body.Get("poolId")), SessionID: text(body.Get("sessionId")),
		Retry: text(body.Get("retryAttemptName")), Status: text(body.Get("status")),
		Project: text(body.Get("project.name")), Workflow: text(body.Get("workflow.name")),
		SessionTime: text(body.Get("sessionTime")), Index: body.Get("index").Int(), Done: body.Get("done").Bool(),
		Embedded: session.Exists(), SessionUUID: text(body.Get("sessionUuid")),
	}
	if a.Embedded && body.Get("retryAttemptName").Exists() {
		a.SessionID = text(session.Get("id"))
	}
	a.FinishedAt, _ = time.Parse(time.RFC3339, text(body.Get("finishedAt")))
	if a.ID != "0" && body.Get("done").Exists() {
		e.Attempts = append(e.Attempts, a)
	}
}

func readTask(e *Event, _ *shown, body, _ gjson.Result) {
	e.Tasks = append(e.Tasks, taskFact{text(body.Get("fullName")), text(body.Get("state"))})
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
