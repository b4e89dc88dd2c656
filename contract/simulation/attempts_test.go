package simulation_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

type project struct {
	id   int
	name string
	born time.Time
}

func (w *world) addProject(a *account, name string) *project {
	p := &project{id: w.next("project", a), name: name, born: w.birth()}
	a.projects = append(a.projects, p)
	w.touch(a, "project", p.id)
	return p
}

func (p *project) json() object {
	return object{
		"id": strconv.Itoa(p.id), "name": p.name, "revision": "r1", "archiveType": "db", "archiveMd5": nil, "metadata": []any{},
		"createdAt": instant(p.born), "updatedAt": instant(p.born), "deletedAt": nil,
	}
}

func (a *account) project(id int) *project {
	return find(a.projects, func(p *project) bool { return p.id == id })
}

func (w *world) getProject(c *client, id int) {
	w.ask(c, request{method: "GET", url: fmt.Sprintf("%s/projects/%d", workflow, id)}, func(a *account) (int, any) {
		w.show(a, "project", id)
		if p := a.project(id); p != nil {
			return http.StatusOK, p.json()
		}
		return http.StatusNotFound, workflowError(http.StatusNotFound)
	})
}

func (w *world) listProjects(c *client) {
	w.ask(c, request{method: "GET", url: workflow + "/projects"}, func(a *account) (int, any) {
		list := []object{}
		for _, p := range a.projects {
			list = append(list, p.json())
		}
		w.showAll(a, "project")
		return http.StatusOK, object{"projects": list}
	})
}

// attempt is one run of a workflow. Its tasks run one after the other; those before the copied-th were taken over from an
// attempt that it resumes, and failing is the one that fails, if any.
type attempt struct {
	account            *account
	id, session, index int
	project            *project
	workflow           string
	time               time.Time // of its session
	retry              string
	created, ends      time.Time
	killed             time.Time
	pool               int
	copied, failing    int
}

// leaves are the tasks of a workflow that do something. Two of weekly end alike.
func leaves(workflow string) []string {
	if workflow == "daily" {
		return []string{"+daily+load", "+daily+transform", "+daily+store"}
	}
	return []string{"+weekly+copy+load", "+weekly+load"}
}

func groups(workflow string) []string {
	if workflow == "daily" {
		return []string{"+daily"}
	}
	return []string{"+weekly", "+weekly+copy"}
}

func (t *attempt) finish() time.Time {
	if !t.killed.IsZero() && t.killed.Add(1500*time.Millisecond).Before(t.ends) {
		return t.killed.Add(1500 * time.Millisecond)
	}
	return t.ends
}

func (t *attempt) isDone(now time.Time) bool { return !now.Before(t.finish()) }

func (t *attempt) status(now time.Time) string {
	switch {
	case t.isDone(now) && t.finish() != t.ends:
		return "killed"
	case t.isDone(now) && t.failing < len(leaves(t.workflow)):
		return "error"
	case t.isDone(now):
		return "success"
	case !t.killed.IsZero():
		return "canceling"
	}
	return "running"
}

// succeeded counts the tasks that have succeeded: the first ones.
func (t *attempt) succeeded(now time.Time) int {
	switch t.status(now) {
	case "success", "error":
		return t.failing
	case "killed":
		now = t.killed
	}
	share := float64(now.Sub(t.created)) / float64(t.ends.Sub(t.created))
	return min(t.failing, t.copied+int(share*float64(len(leaves(t.workflow))-t.copied)))
}

func (t *attempt) json(now time.Time) object {
	o := object{
		"id": strconv.Itoa(t.id), "sessionId": strconv.Itoa(t.session), "index": t.index, "params": object{},
		"sessionUuid": fmt.Sprintf("5a0d3c1e-7b62-4f0e-9d%02x-%012d", t.account.number, t.session),
		"sessionTime": t.time.Format("2006-01-02T15:04:05+00:00"), "createdAt": instant(t.created), "finishedAt": nil,
		"retryAttemptName": nil, "cancelRequested": !t.killed.IsZero(), "done": t.isDone(now),
		"success": t.status(now) == "success", "status": t.status(now), "poolId": strconv.Itoa(t.pool),
		"project":  object{"id": strconv.Itoa(t.project.id), "name": t.project.name},
		"workflow": object{"id": "7", "name": t.workflow},
	}
	if t.retry != "" {
		o["retryAttemptName"] = t.retry
	}
	if t.isDone(now) {
		o["finishedAt"] = instant(t.finish())
	}
	return o
}

func (a *account) attempt(id int) *attempt {
	return find(a.attempts, func(t *attempt) bool { return t.id == id })
}

// start is what a client asks for when it starts an attempt.
type start struct {
	project  *project
	workflow string
	time     time.Time
	retry    string
	mode     string // of a resume, or empty
	from     string
	old      *attempt
}

func (s start) json() object {
	o := object{"projectName": s.project.name, "workflowName": s.workflow, "sessionTime": instant(s.time), "params": object{}}
	if s.retry != "" {
		o["retryAttemptName"] = s.retry
	}
	if s.mode != "" {
		resume := object{"mode": s.mode, "attemptId": strconv.Itoa(s.old.id)}
		if s.mode == "from" {
			resume["from"] = s.from
		}
		o["resume"] = resume
	}
	return o
}

func (w *world) startAttempt(c *client, s start) *attempt {
	var made *attempt
	w.ask(c, request{method: "PUT", url: workflow + "/attempts", body: s.json()}, func(a *account) (int, any) {
		w.needDefault(a)
		inSession := slices.DeleteFunc(slices.Clone(a.attempts), func(t *attempt) bool {
			return t.project != s.project || t.workflow != s.workflow || !t.time.Equal(s.time)
		})
		same := find(inSession, func(t *attempt) bool { return t.retry == s.retry })
		if same != nil && w.cheats("conflict with another attempt") {
			same = find(inSession, func(t *attempt) bool { return t.retry != s.retry })
			return http.StatusConflict, same.json(w.now)
		}
		if same != nil && !w.cheats("second attempt of a session") && !w.cheats("second attempt of a name") {
			w.show(a, "attempt", same.id)
			return http.StatusConflict, same.json(w.now)
		}
		copied, isRight := w.copied(s)
		if !isRight {
			return http.StatusBadRequest, workflowError(http.StatusBadRequest)
		}
		made = w.newAttempt(a, s, inSession)
		made.copied, made.failing = copied, max(copied, made.failing)
		return http.StatusOK, made.json(w.now)
	})
	return made
}

// copied counts the tasks that a resume takes over; it is not right if the platform refuses it.
func (w *world) copied(s start) (n int, isRight bool) {
	switch {
	case s.mode == "failed":
		isRight = s.old.status(w.now) != "success" || w.cheats("success resumed")
		n = s.old.succeeded(w.now)
	case s.mode == "from":
		names := slices.Concat(leaves(s.workflow), groups(s.workflow))
		names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, s.from) })
		if len(names) != 1 {
			return 0, w.cheats("resume from no task") || w.cheats("resume from two tasks")
		}
		n = slices.IndexFunc(leaves(s.workflow), func(name string) bool { return strings.HasPrefix(name, names[0]) })
		isRight = n <= s.old.succeeded(w.now)
	default:
		return 0, true
	}
	if w.cheat == "success lost by a resume" {
		return 0, true
	}
	return min(n, len(leaves(s.workflow))-1), isRight
}

func (w *world) newAttempt(a *account, s start, inSession []*attempt) *attempt {
	t := &attempt{
		account: a, id: w.next("attempt", a), session: w.next("session", a), project: s.project, workflow: s.workflow, time: s.time,
		retry: s.retry, created: w.now, ends: w.now.Add(w.between(time.Second, 20*time.Minute)), index: len(inSession) + 1,
		failing: len(leaves(s.workflow)),
	}
	if w.chance(50) {
		t.failing = w.IntN(t.failing)
	}
	if len(inSession) > 0 {
		t.session = inSession[0].session
		if w.cheats("index does not grow") {
			t.index--
		}
	}
	t.pool = w.poolFor(a, t)
	a.attempts = append(a.attempts, t)
	w.touch(a, "attempt", t.id)
	return t
}

func (w *world) poolFor(a *account, t *attempt) int {
	list := slices.SortedFunc(slices.Values(a.rules), func(x, y *poolRule) int { return cmp.Compare(x.priority, y.priority) })
	if w.cheats("second rule decides") {
		slices.Reverse(list)
	}
	if w.cheats("no rule decides") {
		list = nil
	}
	for _, r := range list {
		if r.fits(t) && (a.pool(r.pool) != nil) {
			if w.cheats("rule decides that does not fit") {
				break
			}
			return r.pool
		}
	}
	if w.cheats("attempt in another pool than the default one") {
		return find(a.pools, func(p *pool) bool { return !p.isDefault }).id
	}
	return a.defaultPool().id
}

func (w *world) getAttempt(c *client, id int) {
	w.ask(c, request{method: "GET", url: fmt.Sprintf("%s/attempts/%d", workflow, id)}, func(a *account) (int, any) {
		w.show(a, "attempt", id)
		if t := a.attempt(id); t != nil {
			return http.StatusOK, t.json(w.now)
		}
		return http.StatusNotFound, workflowError(http.StatusNotFound)
	})
}

func (w *world) killAttempt(c *client, id int) {
	w.ask(c, request{method: "POST", url: fmt.Sprintf("%s/attempts/%d/kill", workflow, id)}, func(a *account) (int, any) {
		t := a.attempt(id)
		switch {
		case t == nil:
			return http.StatusNotFound, workflowError(http.StatusNotFound)
		case t.isDone(w.now) || !t.killed.IsZero():
			return http.StatusConflict, workflowError(http.StatusConflict)
		}
		before := t.json(w.now)
		t.killed = w.now
		w.touch(a, "attempt", id)
		return http.StatusOK, before
	})
}

// listAttempts reads the attempts of an account, newest first, page after page.
func (w *world) listAttempts(c *client, size int) {
	last := 0
	for range 4 {
		url := workflow + "/attempts?include_retried=true"
		if size > 0 {
			url += fmt.Sprintf("&page_size=%d", size)
		}
		if last > 0 {
			url += fmt.Sprintf("&last_id=%d", last)
		}
		n := 0
		w.ask(c, request{method: "GET", url: url, isPage: size > 0}, func(a *account) (int, any) {
			list := []object{}
			for _, t := range slices.Backward(a.attempts) {
				if (last == 0 || t.id < last) && (size == 0 || len(list) < size) {
					list = append(list, t.json(w.now))
					n = t.id
					w.show(a, "attempt", t.id)
				}
			}
			if size == 0 || len(list) < size {
				n = 0
			}
			return http.StatusOK, object{"attempts": list}
		})
		if last = n; n == 0 {
			return
		}
	}
}

func (w *world) listTasks(c *client, id int) {
	w.ask(c, request{method: "GET", url: fmt.Sprintf("%s/attempts/%d/tasks", workflow, id)}, func(a *account) (int, any) {
		t := a.attempt(id)
		if t == nil {
			return http.StatusNotFound, workflowError(http.StatusNotFound)
		}
		w.show(a, "attempt", id)
		if t.copied == 0 && t.index > 1 {
			w.cheats("success lost by a resume")
		}
		return http.StatusOK, object{"tasks": w.tasks(t)}
	})
}

func (w *world) tasks(t *attempt) []object {
	status := t.status(w.now)
	list, names := []object{}, slices.Concat(groups(t.workflow), leaves(t.workflow))
	for i, name := range names {
		state, at := "blocked", i-len(groups(t.workflow))
		switch done := t.succeeded(w.now); {
		case at < 0 && status == "error":
			state = "group_error"
			if i > 0 && t.failing > 0 {
				state = "success"
			}
		case at < 0 && status == "success" || at >= 0 && at < done:
			state = "success"
		case at < 0:
			state = "planned"
			if i > 0 && done > 0 {
				state = "success"
			}
		case status == "killed":
			state = "canceled"
		case at == done && status == "error":
			state = "error"
		case at == done:
			state = "running"
		}
		o := object{
			"id": strconv.Itoa(t.id*10 + i), "fullName": name, "state": state, "group": at < 0, "cancelRequested": !t.killed.IsZero(),
			"config": object{}, "upstreams": []string{}, "exportParams": object{}, "storeParams": object{}, "stateParams": object{},
			"error": object{}, "updatedAt": instant(w.now), "parentId": nil,
		}
		if i > 0 {
			o["parentId"] = strconv.Itoa(t.id * 10)
		}
		list = append(list, o)
	}
	return list
}
