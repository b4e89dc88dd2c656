package workflow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// start holds what a new attempt needs, whether a call, a schedule, a backfill or a fixture starts it.
type start struct {
	Definition world.Definition
	Time       time.Time // of the session
	RetryName  string
	Params     json.RawMessage // a JSON object; nil: an empty one
	Resume     *resumeRequest
	Queue      bool  // wait when the pool is full, instead of being refused
	Scheduled  bool  // for pool rules
	After      int64 // wait until this attempt is done; 0: none
	Pool       int64 // 0: the one that the pool rules choose
	Index      int   // in its session; 0: the next one
	Seeded     bool  // it is one that the world begins with
}

// startRequest is the body of startAttempt.
type startRequest struct {
	WorkflowID       flexibleID      `json:"workflowId"`
	ProjectName      string          `json:"projectName"`
	WorkflowName     string          `json:"workflowName"`
	SessionTime      string          `json:"sessionTime"`
	Params           json.RawMessage `json:"params"`
	RetryAttemptName string          `json:"retryAttemptName"`
	Resume           *resumeRequest  `json:"resume"`
	AllowQueueing    bool            `json:"allowQueueing"`
}

// startAttempt answers 409 with the attempt that exists, not with an error: clients repeat a start until one of the two
// shows them which attempt they have.
func startAttempt(c *op.Call) (op.Reply, error) {
	var request startRequest
	if err := c.Decode(&request); err != nil {
		return op.Reply{}, err
	}
	s, err := request.start(c.World)
	if err != nil {
		return op.Reply{}, err
	}
	attempt, existing, err := s.run(c.World, c.Now)
	if err != nil {
		return op.Reply{}, err
	}
	if existing {
		return op.Reply{Status: http.StatusConflict, Body: attemptView(c.World, attempt)}, nil
	}
	return op.OK(attemptView(c.World, attempt))
}

func (r startRequest) start(w *world.State) (s start, err error) {
	s = start{RetryName: r.RetryAttemptName, Params: r.Params, Resume: r.Resume, Queue: r.AllowQueueing}
	if s.Time, err = readSessionTime(r.SessionTime); err != nil {
		return s, err
	}
	if len(s.Params) > 0 && bytes.TrimSpace(s.Params)[0] != '{' {
		return s, op.Invalid("params", "want an object")
	}
	switch {
	case r.WorkflowID.text != "":
		s.Definition, err = definitionByAnyID(w, r.WorkflowID)
	case r.ProjectName != "" && r.WorkflowName != "":
		s.Definition, err = definitionByName(w, r.ProjectName, r.WorkflowName)
	default:
		err = op.Invalid("workflowId", "want workflowId, or projectName and workflowName")
	}
	return s, err
}

func definitionByAnyID(w *world.State, id flexibleID) (world.Definition, error) {
	if id.id() == 0 {
		return world.Definition{}, op.NotFound("workflow", "id", id.text)
	}
	return definitionByID(w, id.id())
}

// readSessionTime drops fractions of a second: session times have none on the wire, and two that look the same there
// must be the same session.
func readSessionTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, op.Invalid("sessionTime", "is missing")
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, op.Invalid("sessionTime", "want ISO 8601 with an offset, such as "+
			"2026-05-04T00:00:00+09:00, not %q", text)
	}
	if year := t.UTC().Year(); year < 1 || year > 9998 { // so that it has four digits in every zone
		return time.Time{}, op.Invalid("sessionTime", "want a year from 1 to 9998, not %q", text)
	}
	return t.UTC().Truncate(time.Second), nil
}

// maxWaiting is the number of attempts that may wait in a pool. That there is a cap is public, its value is assumed.
const maxWaiting = 1000

// run starts the attempt, or finds the one that the session has under this name already. An error leaves the world as
// it was.
func (s start) run(w *world.State, now time.Time) (attempt world.Attempt, existing bool, err error) {
	key := world.SessionKey{Project: s.Definition.Project, Workflow: s.Definition.Workflow.Name, Time: s.Time.Unix()}
	sessionID, known := w.Workflow.SessionKeys.Get(key)
	session, _ := w.Workflow.Sessions.Get(sessionID)
	if a, found := s.existing(w, session); found {
		return a, true, nil
	}
	if tasks := s.Definition.Workflow.TaskCount; tasks > dig.MaxTasks {
		return attempt, false, op.Invalid("", "an attempt has at most %d tasks, but the workflow creates %d",
			dig.MaxTasks, tasks)
	}
	attempt = world.Attempt{
		RetryName: s.RetryName, Definition: s.Definition.ID, Params: objectOrEmpty(s.Params), Scheduled: s.Scheduled,
		CreatedAt: now, After: s.After,
	}
	if s.Resume != nil {
		if attempt.Resumes, attempt.Copies, err = s.Resume.tasksToCopy(w); err != nil {
			return attempt, false, err
		}
	}
	ensureDefaultPool(w)
	if attempt.Pool = s.Pool; attempt.Pool == 0 {
		attempt.Pool = choosePool(w, s)
	}
	if attempt.State, err = s.state(w, attempt.Pool); err != nil {
		return attempt, false, err
	}
	if !known {
		session = newSession(w, key)
	}
	attempt.ID, attempt.Session = w.NewID("workflow.attempt"), session.ID
	attempt.Index = cmp.Or(s.Index, nextIndex(w, session))
	session.Attempts = append(slices.Clone(session.Attempts), attempt.ID)
	w.Workflow.Sessions.Put(session.ID, session)
	if !s.Seeded {
		engine.CountAttempt(w, attempt)
	}
	return engine.Begin(w, attempt, now), false, nil
}

// nextIndex returns the index of the next attempt of a session, which may have begun at any in a fixture.
func nextIndex(w *world.State, session world.Session) int {
	last := 0
	for _, id := range session.Attempts {
		a, _ := w.Workflow.Attempts.Get(id)
		last = max(last, a.Index)
	}
	return last + 1
}

// StartNow starts a workflow of a live project on behalf of another interface. It waits when its pool is full. Where
// the session of this second has attempts already, it is one more of them, under a name of its own.
func StartNow(w *world.State, project int64, workflow string) (world.Attempt, error) {
	p, err := projectByID(w, project)
	if err != nil {
		return world.Attempt{}, err
	}
	d, err := definitionIn(w, p.Revision, workflow)
	if err != nil {
		return world.Attempt{}, err
	}
	s := start{Definition: d, Time: w.Now().Truncate(time.Second), Queue: true}
	id, _ := w.Workflow.SessionKeys.Get(world.SessionKey{Project: project, Workflow: workflow, Time: s.Time.Unix()})
	session, _ := w.Workflow.Sessions.Get(id)
	for n, taken := 1, true; taken; n++ {
		if _, taken = s.existing(w, session); taken {
			s.RetryName = fmt.Sprintf("retry-%d", n)
		}
	}
	a, _, err := s.run(w, w.Now())
	return a, err
}

func (s start) existing(w *world.State, session world.Session) (world.Attempt, bool) {
	for _, id := range session.Attempts {
		if a, _ := w.Workflow.Attempts.Get(id); a.RetryName == s.RetryName {
			return a, true
		}
	}
	return world.Attempt{}, false
}

// state returns the state in which the attempt begins in a pool.
func (s start) state(w *world.State, pool int64) (world.AttemptState, error) {
	p, _ := w.Workflow.Pools.Get(pool)
	use := w.Workflow.PoolUse(pool)
	before, found := w.Workflow.Attempts.Get(s.After)
	state := world.Queued
	switch {
	case found && before.State != world.Done:
		state = world.Blocked
	case use.Running < p.Limit:
		return world.Running, nil
	case !s.Queue:
		return "", op.Invalid("", "pool %s (id %d) is full: its limit is %d and %d attempts run in it; "+
			"allowQueueing: true queues the attempt", p.Name, p.ID, p.Limit, use.Running)
	}
	if use.Waiting >= maxWaiting {
		return "", op.Invalid("", "pool %s (id %d) has %d waiting attempts, and at most %d may wait", p.Name, p.ID,
			use.Waiting, maxWaiting)
	}
	return state, nil
}

func newSession(w *world.State, key world.SessionKey) world.Session {
	id := w.NewID("workflow.session")
	w.Workflow.SessionKeys.Put(key, id)
	return world.Session{
		ID: id, UUID: w.UUID("workflow.session", id), Project: key.Project, Workflow: key.Workflow,
		Time: time.Unix(key.Time, 0).UTC(),
	}
}

// resumeRequest asks a new attempt to take over what an earlier one has done. Mode failed takes over all tasks that
// succeeded; mode from those before one task, which is named by the end of its full name.
type resumeRequest struct {
	Mode      string     `json:"mode"`
	AttemptID flexibleID `json:"attemptId"`
	From      string     `json:"from"`
}

// tasksToCopy returns the attempt resumed and the full names of the tasks to take over, sorted. They are matched by
// name, so that the new attempt may belong to a newer revision.
func (r *resumeRequest) tasksToCopy(w *world.State) (resumed int64, names []string, err error) {
	if err := r.check(); err != nil {
		return 0, nil, err
	}
	attempt, ok := w.Workflow.Attempts.Get(r.AttemptID.id())
	if !ok {
		return 0, nil, op.NotFound("attempt", "id", r.AttemptID.text)
	}
	tasks, _ := w.Workflow.Tasks.Get(attempt.ID)
	if r.Mode == "failed" {
		names, err = succeededTasks(attempt, tasks)
	} else {
		names, err = r.tasksBefore(tasks)
	}
	slices.Sort(names)
	return attempt.ID, names, err
}

func (r *resumeRequest) check() error {
	switch {
	case r.Mode != "failed" && r.Mode != "from":
		return op.Invalid("resume.mode", "want failed or from, not %q", r.Mode)
	case r.AttemptID.text == "":
		return op.Invalid("resume.attemptId", "is missing")
	case r.Mode == "from" && !strings.HasPrefix(r.From, "+"):
		return op.Invalid("resume.from", "want the end of a task's full name, starting with +, not %q", r.From)
	}
	return nil
}

// succeededTasks returns the tasks that mode failed takes over: those that succeeded. An attempt that succeeded as a
// whole has nothing left to do.
func succeededTasks(attempt world.Attempt, tasks []world.Task) (names []string, err error) {
	if attempt.Success {
		return nil, op.Invalid("resume.attemptId", "attempt %d succeeded, so it has no failed tasks", attempt.ID)
	}
	for _, t := range tasks {
		if t.State == world.TaskSuccess {
			names = append(names, t.Name)
		}
	}
	return names, nil
}

// tasksBefore returns the tasks that mode from takes over: those that the named one, or one of its parents, had to wait
// for, with all their subtasks. Beside it, with _parallel, is not before it.
func (r *resumeRequest) tasksBefore(tasks []world.Task) (names []string, err error) {
	at, err := r.findTask(tasks)
	if err != nil {
		return nil, err
	}
	taken := make([]bool, len(tasks))
	for ; at >= 0; at = tasks[at].Parent {
		addUpstreams(tasks, at, taken)
	}
	for i, t := range tasks {
		if t.Parent >= 0 && taken[t.Parent] {
			taken[i] = true // parents stand before their children
		}
		if !taken[i] {
			continue
		}
		if t.State != world.TaskSuccess {
			return nil, op.Invalid("resume.from", "%s comes before %s and has not succeeded: it is %s", t.Name, r.From, t.State)
		}
		names = append(names, t.Name)
	}
	return names, nil
}

func addUpstreams(tasks []world.Task, at int, taken []bool) {
	for _, up := range tasks[at].Upstreams {
		if !taken[up] {
			taken[up] = true
			addUpstreams(tasks, up, taken)
		}
	}
}

func (r *resumeRequest) findTask(tasks []world.Task) (int, error) {
	found := -1
	for i, t := range tasks {
		switch {
		case !strings.HasSuffix(t.Name, r.From):
		case found < 0:
			found = i
		default:
			return 0, op.Invalid("resume.from", "%s matches %s and %s; want the end of exactly one task's name", r.From,
				tasks[found].Name, t.Name)
		}
	}
	if found < 0 {
		return 0, op.Invalid("resume.from", "%s does not match a task of attempt %s", r.From, r.AttemptID.text)
	}
	return found, nil
}
