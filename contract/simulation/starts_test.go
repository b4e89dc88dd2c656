package simulation_test

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// start holds the parameters with which a client starts an attempt.
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
	o := object{
		"projectName": s.project.name, "workflowName": s.workflow, "sessionTime": instant(s.time),
		"params": object{},
	}
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
	switch s.mode {
	case "failed":
		isRight = s.old.status(w.now) != "success" || w.cheats("success resumed")
		n = s.old.succeeded(w.now)
	case "from":
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
		account: a, id: w.next("attempt", a), session: w.next("session", a), project: s.project, workflow: s.workflow,
		time:  s.time,
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
	list := slices.SortedFunc(slices.Values(a.rules),
		func(x, y *poolRule) int { return cmp.Compare(x.priority, y.priority) })
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
