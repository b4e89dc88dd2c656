package facts

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/report"
)

// WorkflowContent hold what bodies of the workflow interface say.
type WorkflowContent struct {
	Pools    []Pool
	Rules    []PoolRule
	Attempts []Attempt
	Tasks    []Task
	Starting *Start
}

// Pool is a resource pool as an answer shows it.
type Pool struct {
	ID        string
	Limit     int64
	IsDefault bool
}

// PoolRule is a pool rule as an answer shows it.
type PoolRule struct {
	ID, PoolID string
	Priority   int64
	Conditions []Condition
}

// Equals reports whether two answers show the same of a rule.
func (f PoolRule) Equals(other PoolRule) bool {
	return f.PoolID == other.PoolID && f.Priority == other.Priority &&
		slices.EqualFunc(f.Conditions, other.Conditions, func(a, b Condition) bool {
			return a.Kind == b.Kind && a.Operator == b.Operator && slices.Equal(a.Values, b.Values)
		})
}

// Condition is a condition of a pool rule.
type Condition struct {
	Kind, Operator string
	Values         []string
}

// Attempt is an attempt as an answer shows it.
type Attempt struct {
	ID, PoolID, SessionID, Retry, Status string
	Project, Workflow                    string
	SessionTime                          string
	Index                                int64
	Done                                 bool
	FinishedAt                           time.Time
	Embedded                             bool // in a session: its index and names are not known
	SessionUUID                          string
	SessionMark                          uint64 // of the UUID; 0 without one
}

// Task is a task of an attempt.
type Task struct{ FullName, State string }

// Start is a request to start an attempt.
type Start struct {
	Retry, SessionTime    string
	Mode, AttemptID, From string
}

func readPool(e *Exchange, f *Shown, body, _ gjson.Result) {
	e.Pools = append(e.Pools, Pool{f.Thing.ID, body.Get("concurrencyLimit").Int(), body.Get("default").Bool()})
}

func readRule(e *Exchange, f *Shown, body, _ gjson.Result) {
	rule := PoolRule{ID: f.Thing.ID, PoolID: textOf(body.Get("poolId")), Priority: body.Get("priority").Int()}
	body.Get("conditions").ForEach(func(_, c gjson.Result) bool {
		condition := Condition{Kind: textOf(c.Get("type")), Operator: textOf(c.Get("operator"))}
		for _, value := range c.Get("values").Array() {
			condition.Values = append(condition.Values, textOf(value))
		}
		rule.Conditions = append(rule.Conditions, condition)
		return true
	})
	e.Rules = append(e.Rules, rule)
}

// readAttempt reads an attempt. One that is embedded in a session shows less of itself.
func readAttempt(e *Exchange, f *Shown, body, session gjson.Result) {
	a := Attempt{
		ID: f.Thing.ID, PoolID: textOf(body.Get("poolId")), SessionID: textOf(body.Get("sessionId")),
		Retry: textOf(body.Get("retryAttemptName")), Status: textOf(body.Get("status")),
		Project: textOf(body.Get("project.name")), Workflow: textOf(body.Get("workflow.name")),
		SessionTime: textOf(body.Get("sessionTime")), Index: body.Get("index").Int(), Done: body.Get("done").Bool(),
		Embedded: session.Exists(), SessionUUID: textOf(body.Get("sessionUuid")),
	}
	if a.Embedded && body.Get("retryAttemptName").Exists() {
		a.SessionID = textOf(session.Get("id"))
	}
	if a.SessionUUID != "" {
		a.SessionMark = e.markOf(a.SessionUUID)
	}
	a.FinishedAt, _ = time.Parse(time.RFC3339, textOf(body.Get("finishedAt")))
	if a.ID != "0" && body.Get("done").Exists() {
		e.Attempts = append(e.Attempts, a)
	}
}

func readTask(e *Exchange, _ *Shown, body, _ gjson.Result) {
	e.Tasks = append(e.Tasks, Task{textOf(body.Get("fullName")), textOf(body.Get("state"))})
}

func readStart(e *Exchange, body gjson.Result) {
	e.Starting = &Start{
		Retry: textOf(body.Get("retryAttemptName")), SessionTime: textOf(body.Get("sessionTime")),
		Mode: textOf(body.Get("resume.mode")), AttemptID: textOf(body.Get("resume.attemptId")),
		From: textOf(body.Get("resume.from")),
	}
}

// anyPrefix reports whether a name begins with one of some prefixes.
func anyPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// IsOfAnother reports whether two attempts are of different sessions, whose ids are the same in different accounts.
func (f Attempt) IsOfAnother(other Attempt) bool {
	return f.SessionUUID != "" && other.SessionUUID != "" && f.SessionUUID != other.SessionUUID
}

func (c Condition) holds(a Attempt) report.Verdict {
	switch c.Kind {
	case "project_name":
		return c.startsWith(a.Project)
	case "workflow_name":
		return c.startsWith(a.Workflow)
	case "invocation_type":
		return verdictOf(slices.Contains(c.Values, "on_demand"))
	}
	return report.Inconclusive
}

func (c Condition) startsWith(name string) report.Verdict {
	if name == "" || c.Operator != "starts_with" && c.Operator != "" {
		return report.Inconclusive
	}
	return verdictOf(anyPrefix(name, c.Values))
}

// Holds returns the verdict on whether all conditions of a rule hold for an attempt that a client started.
func (f PoolRule) Holds(a Attempt) report.Verdict {
	all := report.Pass
	for _, c := range f.Conditions {
		switch c.holds(a) {
		case report.Fail:
			return report.Fail
		case report.Inconclusive:
			all = report.Inconclusive
		case report.Pass, report.Skipped:
		}
	}
	return all
}

func verdictOf(holds bool) report.Verdict {
	if holds {
		return report.Pass
	}
	return report.Fail
}
