package simulation_test

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

// worker returns a sub user of whose key the recording shows that it is theirs.
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
