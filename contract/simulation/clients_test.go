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
	families
)

// step lets a client do one thing of a family.
func (w *world) step(c *client, family int) {
	if c.sub != nil {
		pick(w, []func(*client){w.workAlone, w.listSubUsers, w.readDatabases})(c)
		return
	}
	steps := [families][]func(*client){
		{
			w.listPools, w.createPool1, w.updatePool1, w.deletePool1, w.getPool1, w.listRules, w.createRule1, w.updateRule1, w.deleteRule1,
			w.startAttempt1, w.startAttempt1, w.resume1, w.readAttempts, w.killAttempt1, w.listTasks1, w.listRules, w.listPools, w.getRule1,
		},
		{
			w.readDatabases, w.createTable1, w.createDatabase1, w.deleteTable1, w.deleteTable1, w.deleteDatabase1, w.listDeleted1, w.listDeleted1,
			w.recoverTable1, w.recoverTable1, w.readTables, w.readTables, w.readTables, w.sendEvent1, w.tail1,
		},
		{w.listTokens, w.removeToken1, w.listSubUsers, w.removeSubUser1, w.work1, w.readJob1, w.listTokens, w.loseToken1},
		{w.createIntegration1, w.createIntegration1, w.readIntegrations, w.readIntegrations, w.deleteIntegration1, w.readProjects, w.updateIntegration1},
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
		if other == a && (of == family || family == tabling && of == integrating || family == integrating && of == tabling) {
			continue
		}
		w.step(w.someClient(other), of)
	}
}

// someClient is a client of an account, a sub user's now and then.
func (w *world) someClient(a *account) *client {
	if w.chance(10) {
		return pick(w, a.subUsers).key
	}
	return pick(w, a.clients)
}

func (w *world) createPool1(c *client) { w.createPool(c) }
func (w *world) updatePool1(c *client) { w.updatePool(c, w.somePool(c.account)) }
func (w *world) deletePool1(c *client) { w.deletePool(c, w.somePool(c.account)) }
func (w *world) getPool1(c *client)    { w.getPool(c, w.somePool(c.account)) }
func (w *world) createRule1(c *client) { w.createRule(c, nil) }

func (w *world) someRule(a *account) int {
	if len(a.rules) == 0 || w.chance(3) {
		return 101 + w.IntN(5)
	}
	return pick(w, a.rules).id
}

func (w *world) updateRule1(c *client) { w.updateRule(c, w.someRule(c.account), w.somePool(c.account)) }
func (w *world) deleteRule1(c *client) { w.deleteRule(c, w.someRule(c.account)) }
func (w *world) getRule1(c *client)    { w.getRule(c, w.someRule(c.account)) }

// fresh is a start of a session that no attempt has.
func (w *world) fresh(a *account) start {
	n := w.next("time", a)
	return start{
		project: pick(w, a.projects[:2]), workflow: pick(w, []string{"daily", "weekly"}),
		time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Hour),
	}
}

func (w *world) startAttempt1(c *client) {
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

func (w *world) resume1(c *client) {
	t := w.someAttempt(c.account)
	if t == nil || !t.isDone(w.now) {
		w.startAttempt1(c)
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

func (w *world) killAttempt1(c *client) {
	if t := w.someAttempt(c.account); t != nil {
		w.killAttempt(c, t.id)
	}
}

func (w *world) listTasks1(c *client) {
	if t := w.someAttempt(c.account); t != nil {
		w.listTasks(c, t.id)
	}
}

func (w *world) someDatabase(a *account) *database { return pick(w, a.databases) }

// someTable is the path of a table, of one that is gone now and then.
func (w *world) someTable(a *account) string {
	if live := a.liveTables(); len(live) > 0 && w.chance(80) {
		return pick(w, live).path()
	}
	return pick(w, a.tables).path()
}

func (w *world) readDatabases(c *client) {
	if w.chance(50) {
		w.listDatabases(c)
		return
	}
	w.showDatabase(c, w.someDatabase(c.account).name)
}

func (w *world) createDatabase1(c *client) { w.createDatabase(c) }

func (w *world) deleteDatabase1(c *client) {
	if w.chance(30) {
		w.deleteDatabase(c, w.someDatabase(c.account).name)
	}
}

func (w *world) createTable1(c *client) {
	in := w.someDatabase(c.account).name
	if gone := c.account.goneTables(); len(gone) > 0 && w.chance(15) {
		t := pick(w, gone)
		w.createTable(c, t.in.name, t.name)
		return
	}
	w.createTable(c, in, "")
}

func (w *world) deleteTable1(c *client)  { w.deleteTable(c, w.someTable(c.account)) }
func (w *world) listDeleted1(c *client)  { w.listDeleted(c, w.IntN(5)) }
func (w *world) recoverTable1(c *client) { w.recoverTable(c, pick(w, c.account.tables).id) }

func (w *world) readTables(c *client) {
	if w.chance(50) {
		w.listTables(c, w.someDatabase(c.account).name)
		return
	}
	w.showTable(c, w.someTable(c.account))
}

func (w *world) sendEvent1(c *client) {
	body := object{"id": fmt.Sprint(w.next("event", c.account)), "total": "42"}
	switch w.IntN(4) {
	case 0:
		body["svc_record_time"] = w.now.Unix() - int64(w.IntN(20))*86_400
	case 1:
		body["svc_record_time"] = w.now.Unix() + int64(w.IntN(9))*86_400
	}
	key := c.key
	if w.chance(10) {
		key = ""
	}
	w.sendEvent(c, w.someTable(c.account), key, body)
}

func (w *world) tail1(c *client) { w.tail(c, w.someTable(c.account)) }

func (w *world) removeToken1(c *client) { w.removeToken(c, pick(w, c.account.tokens).id) }

// loseToken1 lets a user log in with an application, which no exchange shows.
func (w *world) loseToken1(c *client) {
	w.addToken(c.account, c.account.user(w.IntN(2)), pick(w, []string{"crm", "bi"}))
	w.listTokens(c)
}

func (w *world) removeSubUser1(c *client) {
	if w.chance(30) {
		w.removeSubUser(c, pick(w, c.account.subUsers).id)
	}
}

// work1 lets a client, or a sub user, issue a job and look at it.
func (w *world) work1(c *client) {
	if w.chance(50) {
		c = pick(w, c.account.subUsers).key
	}
	w.workAlone(c)
}

func (w *world) workAlone(c *client) {
	if j := w.issueJob(c, w.someDatabase(c.account).name); j != nil && w.chance(70) {
		w.getJob(c, j.id)
	}
}

func (w *world) readJob1(c *client) {
	if len(c.account.jobs) > 0 {
		w.getJob(c, pick(w, c.account.jobs).id)
	}
}

func (w *world) createIntegration1(c *client) {
	t := pick(w, c.account.tables)
	w.createIntegration(c, t.in.name, t.name)
}

func (w *world) someIntegration(a *account) int {
	if len(a.integrations) == 0 {
		return 101
	}
	return pick(w, a.integrations).id
}

func (w *world) readIntegrations(c *client) {
	if w.chance(50) {
		w.listIntegrations(c)
		return
	}
	w.getIntegration(c, w.someIntegration(c.account), "")
}

func (w *world) deleteIntegration1(c *client) { w.deleteIntegration(c, w.someIntegration(c.account)) }

func (w *world) updateIntegration1(c *client) { w.updateIntegration(c, w.someIntegration(c.account)) }

func (w *world) readProjects(c *client) {
	if len(c.account.integrations) == 0 || w.chance(30) {
		w.listProjects(c)
		return
	}
	w.getProject(c, pick(w, c.account.integrations).project.id)
}
