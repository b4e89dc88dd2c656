package simulation_test

import (
	"fmt"
)

func (w *world) someDatabase(a *account) *database { return pick(w, a.databases) }

// someTable returns the path of a table, of one that is gone now and then.
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

func (w *world) createSomeDatabase(c *client) { w.createDatabase(c) }

func (w *world) deleteSomeDatabase(c *client) {
	if w.chance(30) {
		w.deleteDatabase(c, w.someDatabase(c.account).name)
	}
}

func (w *world) createSomeTable(c *client) {
	in := w.someDatabase(c.account).name
	if gone := c.account.goneTables(); len(gone) > 0 && w.chance(15) {
		t := pick(w, gone)
		w.createTable(c, t.in.name, t.name)
		return
	}
	w.createTable(c, in, "")
}

func (w *world) deleteSomeTable(c *client) { w.deleteTable(c, w.someTable(c.account)) }

func (w *world) listSomeDeleted(c *client) { w.listDeleted(c, w.IntN(5)) }

func (w *world) recoverSomeTable(c *client) { w.recoverTable(c, pick(w, c.account.tables).id) }

func (w *world) readTables(c *client) {
	if w.chance(50) {
		w.listTables(c, w.someDatabase(c.account).name)
		return
	}
	w.showTable(c, w.someTable(c.account))
}

func (w *world) sendSomeEvent(c *client) {
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

func (w *world) tailSomeTable(c *client) { w.tail(c, w.someTable(c.account)) }

func (w *world) removeSomeToken(c *client) { w.removeToken(c, pick(w, c.account.tokens).id) }

// logIn lets a user log in with an application, which no exchange shows.
func (w *world) logIn(c *client) {
	w.addToken(c.account, c.account.user(w.IntN(2)), pick(w, []string{"crm", "bi"}))
	w.listTokens(c)
}

func (w *world) removeSomeSubUser(c *client) {
	if w.chance(30) {
		w.removeSubUser(c, pick(w, c.account.subUsers).id)
	}
}

// work lets a client, or a sub user, issue a job and look at it.
func (w *world) work(c *client) {
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

func (w *world) readSomeJob(c *client) {
	if len(c.account.jobs) > 0 {
		w.getJob(c, pick(w, c.account.jobs).id)
	}
}

func (w *world) createSomeIntegration(c *client) {
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

func (w *world) deleteSomeIntegration(c *client) {
	w.deleteIntegration(c, w.someIntegration(c.account))
}

func (w *world) updateSomeIntegration(c *client) {
	w.updateIntegration(c, w.someIntegration(c.account))
}

func (w *world) readProjects(c *client) {
	if len(c.account.integrations) == 0 || w.chance(30) {
		w.listProjects(c)
		return
	}
	w.getProject(c, pick(w, c.account.integrations).project.id)
}
