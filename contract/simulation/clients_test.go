package simulation_test

import (
	"fmt"
	"time"
)

// Families of operations. What is planted in one is not disturbed by another.
const (
	pooling = iota
	tabling
	accessing
	integrating
	families // how many there are
)

// step lets a client do one thing of a family.
func (w *world) step(c *client, family int) {
	if c.sub != nil {
		pick(w, []func(*client){w.workAlone, w.listSubUsers, w.readDatabases})(c)
		return
	}
	steps := [families][]func(*client){
		{
			w.listPools, w.listPools, w.createSomePool, w.updateSomePool, w.deleteSomePool, w.getSomePool,
			w.listRules, w.listRules, w.createSomeRule, w.updateSomeRule, w.deleteSomeRule, w.getSomeRule,
			w.startSomeAttempt, w.startSomeAttempt, w.resumeSomeAttempt, w.readAttempts, w.killSomeAttempt, w.listSomeTasks,
		},
		{
			w.readDatabases, w.createSomeDatabase, w.deleteSomeDatabase, w.createSomeTable, w.deleteSomeTable, w.deleteSomeTable,
			w.listSomeDeleted, w.listSomeDeleted, w.recoverSomeTable, w.recoverSomeTable, w.readTables, w.readTables,
			w.readTables,
			w.sendSomeEvent, w.tailSomeTable,
		},
		{
			w.listTokens, w.listTokens, w.removeSomeToken, w.logIn, w.listSubUsers, w.removeSomeSubUser, w.work, w.readSomeJob,
		},
		{
			w.createSomeIntegration, w.createSomeIntegration, w.readIntegrations, w.readIntegrations, w.updateSomeIntegration,
			w.deleteSomeIntegration, w.readProjects,
		},
	}
	pick(w, steps[family])(c)
}

// noise lets clients do things that leave alone what is planted.
func (w *world) noise(a *account, family int) {
	cheat := w.cheat
	w.cheat = ""
	defer func() { w.cheat = cheat }()
	for range w.IntN(3) {
		other := pick(w, w.accounts)
		of := w.IntN(families)
		// workflows make tables, too
		if other == a && (of == family || of != accessing && family != pooling && family != accessing) {
			continue
		}
		w.step(w.someClient(other), of)
	}
}

// someClient returns a client of an account, a sub user's now and then.
func (w *world) someClient(a *account) *client {
	if w.chance(10) {
		return pick(w, a.subUsers).key
	}
	return pick(w, a.clients)
}

func (w *world) createSomePool(c *client) { w.createPool(c) }

func (w *world) updateSomePool(c *client) { w.updatePool(c, w.somePool(c.account)) }

func (w *world) deleteSomePool(c *client) { w.deletePool(c, w.somePool(c.account)) }

func (w *world) getSomePool(c *client) { w.getPool(c, w.somePool(c.account)) }

func (w *world) createSomeRule(c *client) { w.createRule(c, nil) }

func (w *world) someRule(a *account) int {
	if len(a.rules) == 0 || w.chance(3) {
		return 101 + w.IntN(5)
	}
	return pick(w, a.rules).id
}

func (w *world) updateSomeRule(c *client) {
	w.updateRule(c, w.someRule(c.account), w.somePool(c.account))
}

func (w *world) deleteSomeRule(c *client) { w.deleteRule(c, w.someRule(c.account)) }

func (w *world) getSomeRule(c *client) { w.getRule(c, w.someRule(c.account)) }

// fresh returns a start of a session that no attempt has.
func (w *world) fresh(a *account) start {
	n := w.next("time", a)
	return start{
		project: pick(w, a.projects[:2]), workflow: pick(w, []string{"daily", "weekly"}),
		time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Hour),
	}
}

func (w *world) startSomeAttempt(c *client) {
	s := w.fresh(c.account)
	if t := w.someAttempt(c.account); t != nil && w.chance(40) {
		s = start{project: t.project, workflow: t.workflow, time: t.time}
		if w.chance(50) {
			s.retry = fmt.Sprintf("again%d", w.IntN(3))
		}
	}
	w.startAttempt(c, s)
}

func (w *world) someAttempt(a *account) *attempt {
	if len(a.attempts) == 0 {
		return nil
	}
	return pick(w, a.attempts)
}

func (w *world) resumeSomeAttempt(c *client) {
	t := w.someAttempt(c.account)
	if t == nil || !t.isDone(w.now) {
		w.startSomeAttempt(c)
		return
	}
	s := start{project: t.project, workflow: t.workflow, time: t.time, mode: "failed", old: t}
	s.retry = fmt.Sprintf("resume%d", w.next("retry", c.account))
	if w.chance(50) {
		s.mode, s.from = "from", pick(w, []string{"+transform", "+load", "+store", "+copy+load", "+none"})
	}
	made := w.startAttempt(c, s)
	if made != nil && w.chance(50) {
		w.listTasks(c, made.id)
	}
}

func (w *world) readAttempts(c *client) {
	if t := w.someAttempt(c.account); t != nil && w.chance(70) {
		w.getAttempt(c, t.id)
		return
	}
	w.listAttempts(c, w.IntN(4))
}

func (w *world) killSomeAttempt(c *client) {
	if t := w.someAttempt(c.account); t != nil {
		w.killAttempt(c, t.id)
	}
}

func (w *world) listSomeTasks(c *client) {
	if t := w.someAttempt(c.account); t != nil {
		w.listTasks(c, t.id)
	}
}
