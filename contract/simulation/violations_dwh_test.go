package simulation_test

import (
	"fmt"
)

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
			p.wrong(func() { p.sendEvent(p.c, path, p.c.key, large(limit+1+p.IntN(9))) })
		}},
		{"event at the limit refused", size, tabling, func(p *planting) {
			path := p.target()
			p.wrong(func() { p.sendEvent(p.c, path, p.c.key, large(limit)) })
		}},
		{"small event refused", size, tabling, func(p *planting) {
			path := p.target()
			p.wrong(func() { p.sendEvent(p.c, path, p.c.key, object{"a": "1"}) })
		}},
		{"key in the query accepted", auth, tabling, func(p *planting) {
			path := p.target()
			p.wrong(func() { p.sendEvent(p.c, path+"?write_key="+p.c.key[2:], "", object{"a": "1"}) })
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
		{"time of an old event used", hour, tabling, func(p *planting) { p.oddTime(p.days(-30)) }},
		{"time of a future event used", hour, tabling, func(p *planting) { p.oddTime(p.days(20)) }},
		{"time of an event as text used", hour, tabling, func(p *planting) { p.oddTime(fmt.Sprint(p.days(-12))) }},
	}
}

// days returns so many days after now, in seconds.
func (p *planting) days(n int) int64 { return p.now.AddDate(0, 0, n).Unix() }

// oddTime sends an event that claims a time out of the window, which the platform uses.
func (p *planting) oddTime(at any) {
	path := p.target()
	p.wrong(func() { p.sendEvent(p.c, path, p.c.key, object{"id": "odd", "svc_record_time": at}) })
	p.then()
	p.seen(func() { p.tail(p.c, path) })
}
