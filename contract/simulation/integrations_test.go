package simulation_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

type integration struct {
	account *account
	id      int
	name    string
	project *project
	born    time.Time
	isGone  bool
}

func (i *integration) json() object {
	return object{
		"id": i.id, "name": i.name, "user_id": i.account.user(0), "account_id": i.account.number,
		"workflow_project_id":   i.project.id,
		"workflow_project_name": i.project.name, "dwh_config_id": i.id, "created_at": instant(i.born),
		"updated_at":    instant(i.born),
		"schedule_type": "none",
	}
}

func (a *account) integration(id int) *integration {
	return find(a.integrations, func(i *integration) bool { return i.id == id && !i.isGone })
}

func (w *world) createIntegration(c *client, in string, targets ...string) *integration {
	var made *integration
	entries := []object{}
	for _, name := range targets {
		entries = append(entries, object{"target_table": name, "config": object{"type": "snowflake", "table": "source"}})
	}
	name := fmt.Sprintf("flow%d", w.IntN(1_000_000))
	basic := object{"type": "snowflake", "svc_authentication_id": "5", "warehouse": "w", "db": "d", "schema": "s"}
	body := object{
		"name": name, "basic_configs": basic, "advanced_configs": entries,
		"output_config": object{"database": in},
	}
	w.ask(c, request{method: "POST", url: dwh, body: body}, func(a *account) (int, any) {
		hasBase := a.database(in) != nil
		isMissing := !hasBase
		for _, target := range targets {
			if hasBase && a.table(in+"/"+target) == nil && w.cheats("integration makes its table") {
				t := &table{id: w.next("table", a), in: a.database(in), name: target, born: w.now}
				a.tables = append(a.tables, t)
			}
			isMissing = isMissing || a.table(in+"/"+target) == nil
		}
		if isMissing && !w.cheats("integration without its table") && !w.cheats("integration without its database") {
			return http.StatusBadRequest, dwhError(http.StatusBadRequest)
		}
		made = &integration{account: a, id: w.next("dwh", a), name: name, project: w.addProject(a, "dwh_"+name), born: w.now}
		a.integrations = append(a.integrations, made)
		w.touch(a, "dwh", made.id)
		return http.StatusOK, made.json()
	})
	return made
}

func (w *world) getIntegration(c *client, id int, part string) {
	w.ask(c, request{method: "GET", url: dwh + strconv.Itoa(id) + part}, func(a *account) (int, any) {
		w.show(a, "dwh", id)
		i := a.integration(id)
		if i == nil && w.cheats("deleted integration read") {
			i = find(a.integrations, func(i *integration) bool { return i.id == id })
		}
		switch {
		case i == nil:
			return http.StatusNotFound, dwhError(http.StatusNotFound)
		case part != "":
			return http.StatusOK, []object{}
		}
		return http.StatusOK, i.json()
	})
}

func (w *world) listIntegrations(c *client) {
	w.ask(c, request{method: "GET", url: dwh}, func(a *account) (int, any) {
		list := []object{}
		for _, i := range a.integrations {
			if !i.isGone || i == w.victim && w.cheats("deleted integration listed") {
				list = append(list, i.json())
			}
		}
		w.showAll(a, "dwh")
		return http.StatusOK, object{"items": list, "pagination": object{"page": 1, "size": 100, "total_pages": 1}}
	})
}

func (w *world) updateIntegration(c *client, id int) {
	body := object{"schedule_type": "none"}
	w.ask(c, request{method: "PUT", url: dwh + strconv.Itoa(id), body: body}, func(a *account) (int, any) {
		i := a.integration(id)
		if i == nil && w.cheats("deleted integration updated") {
			i = find(a.integrations, func(i *integration) bool { return i.id == id })
		}
		if i == nil {
			w.show(a, "dwh", id)
			return http.StatusNotFound, dwhError(http.StatusNotFound)
		}
		return http.StatusOK, i.json()
	})
}

func (w *world) deleteIntegration(c *client, id int) {
	w.ask(c, request{method: "DELETE", url: dwh + strconv.Itoa(id)}, func(a *account) (int, any) {
		i := a.integration(id)
		if i == nil {
			w.show(a, "dwh", id)
			return http.StatusNotFound, dwhError(http.StatusNotFound)
		}
		i.isGone = true
		w.touch(a, "dwh", id)
		if w.cheat != "project of a deleted integration is there" {
			a.projects = slices.DeleteFunc(a.projects, func(p *project) bool { return p == i.project })
			w.touch(a, "project", i.project.id)
		}
		return http.StatusOK, i.json()
	})
}
