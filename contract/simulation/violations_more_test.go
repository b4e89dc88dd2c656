package simulation_test

import "time"

// goneTable makes a table and deletes it.
func (p *planting) goneTable(withDatabase bool) *table {
	d := p.createDatabase(p.c)
	p.createTable(p.c, d.name, "")
	t := p.a.tables[len(p.a.tables)-1]
	p.then()
	p.showTable(p.c, t.path())
	p.deleteTable(p.c, t.path())
	p.victim = t
	if withDatabase {
		p.deleteDatabase(p.c, d.name)
		p.victim = d
	}
	p.then()
	return t
}

// recovered makes a table, deletes and recovers it.
func (p *planting) recovered(withDatabase bool) *table {
	t := p.goneTable(withDatabase)
	p.listDeleted(p.c, 0)
	p.recoverTable(p.c, t.id)
	p.victim = t
	p.then()
	return t
}

func tableViolations() []violation {
	const recovery, use = "table-recovery", "use-after-delete"
	return []violation{
		{"deleted table is not among the deleted", recovery, tabling, func(p *planting) {
			p.goneTable(false)
			p.wrong(func() { p.listDeleted(p.c, p.IntN(4)) })
		}},
		{"recovered table is not there", recovery, tabling, func(p *planting) {
			t := p.recovered(p.chance(50))
			p.wrong(func() { p.showTable(p.c, t.path()) })
		}},
		{"recovered table is not listed", recovery, tabling, func(p *planting) {
			t := p.recovered(p.chance(50))
			p.wrong(func() { p.listTables(p.c, t.in.name) })
		}},
		{"database of a recovered table is not there", recovery, tabling, func(p *planting) {
			t := p.recovered(true)
			p.wrong(func() { p.showDatabase(p.c, t.in.name) })
		}},
		{"recovered table is still among the deleted", recovery, tabling, func(p *planting) {
			t := p.recovered(p.chance(50))
			if p.chance(50) {
				p.showTable(p.c, t.path())
			}
			p.wrong(func() { p.listDeleted(p.c, 0) })
		}},
		{"deleted table read", use, tabling, func(p *planting) {
			t := p.goneTable(false)
			p.wrong(func() { p.showTable(p.c, t.path()) })
		}},
		{"deleted table listed", use, tabling, func(p *planting) {
			t := p.goneTable(false)
			p.wrong(func() { p.listTables(p.c, t.in.name) })
		}},
		{"deleted database listed", use, tabling, func(p *planting) {
			p.goneTable(true)
			p.wrong(func() { p.listDatabases(p.c) })
		}},
	}
}

// siblings gives a user two tokens for one application, and shows them.
func (p *planting) siblings() *token {
	t := p.addToken(p.a, p.a.user(1), "crm")
	p.addToken(p.a, p.a.user(1), "crm")
	p.listTokens(p.c)
	p.then()
	return t
}

// worker is a sub user of whose key the recording shows that it is theirs.
func (p *planting) worker() *subUser {
	s := p.addSubUser(p.a)
	p.victim = s
	p.listSubUsers(p.c)
	p.listTokens(p.c)
	p.then()
	d := p.createDatabase(p.c)
	j := p.issueJob(s.key, d.name)
	p.getJob(p.c, j.id)
	p.then()
	return s
}

func accessViolations() []violation {
	const revocation, removal = "token-revocation", "sub-user-removal"
	list := []violation{
		{"revoked token removed again", revocation, accessing, func(p *planting) {
			t := p.siblings()
			p.removeToken(p.c, t.id)
			p.then()
			p.wrong(func() { p.removeToken(p.c, t.id) })
		}},
		{"removed sub user listed", removal, accessing, func(p *planting) {
			s := p.worker()
			p.removeSubUser(p.c, s.id)
			p.then()
			p.wrong(func() { p.listSubUsers(p.c) })
		}},
		{"token of a removed sub user listed", removal, accessing, func(p *planting) {
			s := p.worker()
			p.wrong(func() { p.removeSubUser(p.c, s.id) })
			p.then()
			p.seen(func() { p.listTokens(p.c) })
		}},
		{"key of a removed sub user taken", removal, accessing, func(p *planting) {
			s := p.worker()
			p.removeSubUser(p.c, s.id)
			p.then()
			p.wrong(func() { p.listDatabases(s.key) })
		}},
		{"sub user removed again", removal, accessing, func(p *planting) {
			s := p.worker()
			p.removeSubUser(p.c, s.id)
			p.then()
			p.wrong(func() { p.removeSubUser(p.c, s.id) })
		}},
	}
	for _, kind := range []string{"removed token listed", "sibling of a removed token listed"} {
		list = append(list, violation{kind, revocation, accessing, func(p *planting) {
			t := p.siblings()
			p.wrong(func() { p.removeToken(p.c, t.id) })
			p.then()
			p.seen(func() { p.listTokens(p.c) })
		}})
	}
	return list
}

// goneIntegration makes an integration with its target, and deletes it.
func (p *planting) goneIntegration() *integration {
	d := p.createDatabase(p.c)
	p.createTable(p.c, d.name, "orders")
	i := p.createIntegration(p.c, d.name, "orders")
	p.then()
	p.deleteIntegration(p.c, i.id)
	p.victim = i
	p.then()
	return i
}

func integrationViolations() []violation {
	const deletion, target = "dwh-deletion", "dwh-target"
	return []violation{
		{"deleted integration read", deletion, integrating, func(p *planting) {
			i := p.goneIntegration()
			p.wrong(func() { p.getIntegration(p.c, i.id, pick(p.world, []string{"", "/bulkload_sessions"})) })
		}},
		{"deleted integration listed", deletion, integrating, func(p *planting) {
			p.goneIntegration()
			p.wrong(func() { p.listIntegrations(p.c) })
		}},
		{"deleted integration updated", deletion, integrating, func(p *planting) {
			i := p.goneIntegration()
			p.wrong(func() { p.updateIntegration(p.c, i.id) })
		}},
		{"project of a deleted integration is there", deletion, integrating, func(p *planting) {
			d := p.createDatabase(p.c)
			p.createTable(p.c, d.name, "orders")
			i := p.createIntegration(p.c, d.name, "orders")
			p.then()
			p.wrong(func() { p.deleteIntegration(p.c, i.id) })
			p.then()
			p.seen(func() { p.getProject(p.c, i.project.id) })
		}},
		{"integration without its table", target, integrating, func(p *planting) {
			d := p.createDatabase(p.c)
			if p.chance(50) {
				p.createTable(p.c, d.name, "orders")
				p.deleteTable(p.c, d.name+"/orders")
			} else {
				p.showTable(p.c, d.name+"/orders")
			}
			p.then()
			p.wrong(func() { p.createIntegration(p.c, d.name, "orders") })
		}},
		{"integration without its database", target, integrating, func(p *planting) {
			d := p.createDatabase(p.c)
			p.deleteDatabase(p.c, d.name)
			p.then()
			p.wrong(func() { p.createIntegration(p.c, d.name, "orders") })
		}},
		{"integration makes its table", target, integrating, func(p *planting) {
			d := p.createDatabase(p.c)
			p.listTables(p.c, d.name)
			p.then()
			p.wrong(func() { p.createIntegration(p.c, d.name, "orders") })
			p.then()
			p.seen(func() { p.showTable(p.c, d.name+"/orders") })
		}},
	}
}

func (p *planting) target() string {
	d := p.createDatabase(p.c)
	p.createTable(p.c, d.name, "events")
	p.then()
	return d.name + "/events"
}

func eventViolations() []violation {
	const size, auth, hour = "ingestion-size", "ingestion-auth", "ingestion-time"
	return []violation{
		{"event too large accepted", size, tabling, func(p *planting) {
			path := p.target()
			p.wrong(func() { p.sendEvent(p.c, path, p.c.key, large(1_048_065+p.IntN(9))) })
		}},
		{"event at the limit refused", size, tabling, func(p *planting) {
			path := p.target()
			p.wrong(func() { p.sendEvent(p.c, path, p.c.key, large(1_048_064)) })
		}},
		{"event without a key accepted", auth, tabling, func(p *planting) {
			path := p.target()
			p.wrong(func() { p.sendEvent(p.c, path, "", object{"a": "1"}) })
		}},
		{"event with a wrong key refused", auth, tabling, func(p *planting) {
			path := p.target()
			stranger := &client{account: p.a, key: "9/wrong" + p.a.name, sub: &subUser{isRemoved: true}}
			p.listDatabases(stranger)
			p.then()
			p.wrong(func() { p.sendEvent(&client{account: p.a, key: "right"}, path, stranger.key, object{"a": "1"}) })
		}},
		{"time of an old event used", hour, tabling, func(p *planting) { p.oddTime(-30) }},
		{"time of a future event used", hour, tabling, func(p *planting) { p.oddTime(20) }},
	}
}

func (p *planting) oddTime(days int) {
	path := p.target()
	at := p.now.Add(time.Duration(days) * 24 * time.Hour).Unix()
	p.wrong(func() { p.sendEvent(p.c, path, p.c.key, object{"id": "odd", "svc_record_time": at}) })
	p.then()
	p.seen(func() { p.tail(p.c, path) })
}
