package simulation_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// attempt is one run of a workflow. Its tasks run one after the other; those before the copied-th were taken over from
// an attempt that it resumes, and failing is the one that fails, if any.
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
	r := request{method: "POST", url: fmt.Sprintf("%s/attempts/%d/kill", workflow, id)}
	w.ask(c, r, func(a *account) (int, any) {
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
