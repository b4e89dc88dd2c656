package facts

import (
	"slices"
	"strings"
	"time"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/jsontree"
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

func readPool(e *Exchange, f *Shown, body, _ jsontree.Value) {
	e.Pools = append(e.Pools, Pool{f.Entity.ID, body.Get("concurrencyLimit").Int(), body.Get("default").Bool()})
}

func readRule(e *Exchange, f *Shown, body, _ jsontree.Value) {
	rule := PoolRule{ID: f.Entity.ID, PoolID: body.Get("poolId").Text(), Priority: body.Get("priority").Int()}
	for c := range body.Get("conditions").Each {
		condition := Condition{Kind: c.Get("type").Text(), Operator: c.Get("operator").Text()}
		for value := range c.Get("values").List {
			condition.Values = append(condition.Values, value.Text())
		}
		rule.Conditions = append(rule.Conditions, condition)
	}
	e.Rules = append(e.Rules, rule)
}

// readAttempt reads an attempt. One that is embedded in a session shows less of itself.
func readAttempt(e *Exchange, f *Shown, body, session jsontree.Value) {
	a := Attempt{
		ID: f.Entity.ID, PoolID: body.Get("poolId").Text(), SessionID: body.Get("sessionId").Text(),
		Retry: body.Get("retryAttemptName").Text(), Status: body.Get("status").Text(),
		Project: body.Get("project", "name").Text(), Workflow: body.Get("workflow", "name").Text(),
		SessionTime: body.Get("sessionTime").Text(), Index: body.Get("index").Int(), Done: body.Get("done").Bool(),
		Embedded: session.Exists(), SessionUUID: body.Get("sessionUuid").Text(),
	}
	if a.Embedded && body.Get("retryAttemptName").Exists() {
		a.SessionID = session.Get("id").Text()
	}
	if a.SessionUUID != "" {
		a.SessionMark = e.markOf(a.SessionUUID)
	}
	a.FinishedAt, _ = time.Parse(time.RFC3339, body.Get("finishedAt").Text())
	if a.ID != "0" && body.Get("done").Exists() {
		e.Attempts = append(e.Attempts, a)
	}
}

func readTask(e *Exchange, _ *Shown, body, _ jsontree.Value) {
	e.Tasks = append(e.Tasks, Task{body.Get("fullName").Text(), body.Get("state").Text()})
}

func readStart(e *Exchange, body jsontree.Value) {
	e.Starting = &Start{
		Retry: body.Get("retryAttemptName").Text(), SessionTime: body.Get("sessionTime").Text(),
		Mode: body.Get("resume", "mode").Text(), AttemptID: body.Get("resume", "attemptId").Text(),
		From: body.Get("resume", "from").Text(),
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
