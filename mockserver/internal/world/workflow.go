package world

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/table"
)

// Workflow is the state of the workflow interface.
type Workflow struct {
	AccountLimit int            // attempts that may run at a time, over all pools
	TaskTime     time.Duration  // how long a task takes unless an outcome says otherwise
	Outcomes     Queue[Outcome] // how tasks end; the first that fits decides

	// Bound holds the outcomes of single attempts, by id, while those of a fixture are played, and is empty later. They go
	// before the others.
	Bound table.Table[Queue[Outcome]] `json:",omitzero"`

	Projects    table.Table[Project]
	Revisions   table.Table[Revision]
	Definitions table.Table[Definition] `json:"-"` // every workflow of every revision; see recall
	Schedules   table.Table[Schedule]
	Sessions    table.Table[Session]
	Attempts    table.Table[Attempt]
	Tasks       table.Table[[]Task] // by attempt id; a slice is replaced, never changed in place
	Pools       table.Table[Pool]
	DefaultPool int64 // id of the default one
	PoolRules   table.Table[PoolRule]

	ProjectNames table.Index[string, int64]     // live projects
	SessionKeys  table.Index[SessionKey, int64] // sessions by what makes them unique
	Unfinished   table.Table[int64]             // attempts that are not done, with their pools
	Use          Use                            // what is counted of those

	// What follows from the rest is restored by restoreDerived.
	pools         poolFacts
	revisionNames table.Index[revisionName, int64]
}

type revisionName struct {
	project int64
	name    string
}

// RevisionNamed returns the id of the revision of a project that has a name.
func (x *Workflow) RevisionNamed(project int64, name string) (id int64, ok bool) {
	return x.revisionNames.Get(revisionName{project, name})
}

// Project is a named series of revisions. DeletedAt is zero while it lives.
type Project struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Revision  int64     `json:"revision"` // the latest
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	DeletedAt time.Time `json:"deletedAt,omitzero"`
	Secrets   []string  `json:"secrets,omitempty"`   // keys in order of their first setting; values are not kept at all
	Schedules []int64   `json:"schedules,omitempty"` // ids, ascending; replaced, never changed in place
}

// Revision is one uploaded archive. Its definitions have ids in a row, sorted by name, unless a fixture gives others.
type Revision struct {
	ID              int64     `json:"id"`
	Project         int64     `json:"project"`
	Name            string    `json:"name"`
	Previous        int64     `json:"previous,omitempty"` // the revision before it in the project; 0 for the first
	Archive         []byte    `json:"archive"`
	MD5             string    `json:"md5"` // of the archive, in its wire form; found by AddRevision
	CreatedAt       time.Time `json:"createdAt"`
	User            int64     `json:"user"`                    // who uploaded it
	FirstDefinition int64     `json:"firstDefinition"`         // id of the first by name
	Definitions     int64     `json:"definitions"`             // how many
	DefinitionIDs   []int64   `json:"definitionIds,omitempty"` // when they are not in a row; never changed in place
}

// DefinitionID returns the id of the i-th definition by name.
func (r Revision) DefinitionID(i int) int64 {
	if len(r.DefinitionIDs) > 0 {
		return r.DefinitionIDs[i]
	}
	return r.FirstDefinition + int64(i)
}

// AddRevision puts a revision with its definitions. The workflows are those of its archive, sorted by name.
func (x *Workflow) AddRevision(r Revision, workflows []dig.Workflow) {
	sum := md5.Sum(r.Archive)
	r.MD5 = base64.StdEncoding.EncodeToString(sum[:])
	x.Revisions.Put(r.ID, r)
	x.revisionNames.Put(revisionName{r.Project, r.Name}, r.ID)
	for i := range workflows {
		id := r.DefinitionID(i)
		x.Definitions.Put(id, Definition{ID: id, Project: r.Project, Revision: r.ID, Workflow: &workflows[i]})
	}
}

// Definition is one workflow of one revision. Workflow is immutable and shared.
type Definition struct {
	ID       int64         `json:"id"`
	Project  int64         `json:"project"`
	Revision int64         `json:"revision"`
	Workflow *dig.Workflow `json:"-"` // read out of the archive again: see recall
}

// Schedule is the schedule of a live project's workflow. It keeps its id over revisions while the workflow keeps its
// name. Time and Run are zero when no slot is left.
type Schedule struct {
	ID         int64     `json:"id"`
	Project    int64     `json:"project"`
	Name       string    `json:"workflow"`   // of the workflow
	Definition int64     `json:"definition"` // in the latest revision
	CreatedAt  time.Time `json:"createdAt"`
	DisabledAt time.Time `json:"disabledAt,omitzero"`
	Time       time.Time `json:"nextScheduleTime,omitzero"` // session time of the next slot
	Run        time.Time `json:"nextRunTime,omitzero"`      // when it starts
	LastTime   time.Time `json:"lastScheduleTime,omitzero"` // session time of the last slot that was run or left out
	PlannedAt  time.Time `json:"plannedAt,omitzero"`        // when its next event is due; zero when none is planned
}

// SessionKey is the unique key of a session. Time is in Unix seconds.
type SessionKey struct {
	Project  int64
	Workflow string
	Time     int64
}

// Session is one session time of one workflow, with its attempts.
type Session struct {
	ID       int64     `json:"id"`
	UUID     string    `json:"uuid"`
	Project  int64     `json:"project"`
	Workflow string    `json:"workflow"`
	Time     time.Time `json:"time"`
	Attempts []int64   `json:"attempts"` // oldest first; replaced, never changed in place
}

// AttemptState is the part of an attempt's status that is stored: what it waits for, or that it is done.
type AttemptState string

// The states. A running attempt whose cancellation was asked for shows as canceling, a done one as success, error or
// killed.
const (
	Blocked AttemptState = "blocked" // waits for another attempt to end
	Queued  AttemptState = "queued"  // waits for room in its pool
	Running AttemptState = "running"
	Done    AttemptState = "done"
)

// Attempt is one run of a session.
type Attempt struct {
	ID              int64           `json:"id"`
	Session         int64           `json:"session"`
	Index           int             `json:"index"` // from 1 in its session
	RetryName       string          `json:"retryAttemptName,omitempty"`
	Definition      int64           `json:"definition"`
	Params          json.RawMessage `json:"params"`
	Pool            int64           `json:"pool"`
	Scheduled       bool            `json:"scheduled,omitempty"` // started by a schedule or a backfill
	State           AttemptState    `json:"state"`
	CancelRequested bool            `json:"cancelRequested,omitempty"`
	Success         bool            `json:"success,omitempty"`
	CreatedAt       time.Time       `json:"createdAt"`
	StartedAt       time.Time       `json:"startedAt,omitzero"`
	FinishedAt      time.Time       `json:"finishedAt,omitzero"`
	After           int64           `json:"after,omitempty"`   // the attempt that a blocked one waits for
	StepAt          time.Time       `json:"stepAt,omitzero"`   // when its next event is due; zero when none is planned
	Resumes         int64           `json:"resumes,omitempty"` // the attempt that it resumes
	Copies          []string        `json:"copies,omitempty"`  // tasks taken over from that one: full names, sorted
	RunningTasks    int             `json:"runningTasks,omitempty"`
	Starved         bool            `json:"starved,omitempty"` // has tasks that wait for a slot of the account
}

// Task is one task of an attempt. What it runs stands in the plan of the attempt's definition.
type Task struct {
	ID              int64       `json:"id"`
	Plan            int         `json:"plan"`                // place in the plan
	Name            string      `json:"name"`                // full name
	Parent          int         `json:"parent"`              // place among the attempt's tasks; -1 for the root
	Upstreams       []int       `json:"upstreams,omitempty"` // places among the attempt's tasks
	State           TaskState   `json:"state"`
	CancelRequested bool        `json:"cancelRequested,omitempty"`
	Copied          bool        `json:"copied,omitempty"` // taken over as succeeded from the attempt resumed
	Tried           int         `json:"tried,omitempty"`  // how often it was tried again
	StartedAt       time.Time   `json:"startedAt,omitzero"`
	EndsAt          time.Time   `json:"endsAt,omitzero"`  // while running: when it returns
	Fails           string      `json:"fails,omitempty"`  // while running: the error that it returns with
	RetryAt         time.Time   `json:"retryAt,omitzero"` // while waiting for a retry
	UpdatedAt       time.Time   `json:"updatedAt"`
	Error           string      `json:"error,omitempty"`
	Starts          []time.Time `json:"starts,omitempty"` // one log file each; replaced, never changed in place
	Logs            []TaskLog   `json:"logs,omitempty"`   // of a fixture, in place of those; never changed in place
}

// TaskLog is a log file whose content a fixture has.
type TaskLog struct {
	Name  string    `json:"name"`
	Time  time.Time `json:"time"`
	Agent string    `json:"agent"`
	Text  string    `json:"text,omitempty"`
}

// TaskState is a task's state, as on the wire.
type TaskState string

// The states. The last four are final.
const (
	TaskBlocked           TaskState = "blocked" // waits for its parent or its upstreams
	TaskReady             TaskState = "ready"   // waits for a slot of the account
	TaskRunning           TaskState = "running"
	TaskPlanned           TaskState = "planned" // waits for its own subtasks
	TaskRetryWaiting      TaskState = "retry_waiting"
	TaskGroupRetryWaiting TaskState = "group_retry_waiting"
	TaskSuccess           TaskState = "success"
	TaskError             TaskState = "error"
	TaskGroupError        TaskState = "group_error" // a subtask failed
	TaskCanceled          TaskState = "canceled"
)

// Outcome describes how the tasks that it fits end: after how long, and with which error. Empty fields fit everything.
type Outcome struct {
	Project   string        `json:"project,omitempty"`
	Workflow  string        `json:"workflow,omitempty"`
	Attempt   int64         `json:"attempt,omitempty"`
	Session   time.Time     `json:"session,omitzero"` // the session's time
	RetryName string        `json:"retryAttemptName,omitempty"`
	Nth       int           `json:"nth,omitempty"`   // so many attempts that it fits start before it has Attempt
	Task      string        `json:"task,omitempty"`  // the end of a full name: +load
	Takes     time.Duration `json:"takes,omitempty"` // 0: the usual time
	Error     string        `json:"error,omitempty"` // empty: succeeds
	Times     int           `json:"times,omitempty"` // how often it applies before it is used up; 0: always
}

// Pool limits how many attempts of it run at a time. The default pool holds what the others leave.
type Pool struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Limit   int    `json:"concurrencyLimit"`
	Default bool   `json:"default,omitempty"`
}

// PoolRule sends attempts to a pool.
type PoolRule struct {
	ID         int64           `json:"id"`
	Priority   int             `json:"priority"`
	Pool       int64           `json:"pool"`
	Conditions []PoolCondition `json:"conditions"`
}

// PoolCondition is one condition of a rule, in its wire form.
type PoolCondition struct {
	Type     string   `json:"type"`
	Operator string   `json:"operator,omitempty"`
	Values   []string `json:"values"`
}
