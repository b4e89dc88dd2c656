package simulation_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

type condition struct {
	kind   string
	values []string
}

// fits reports whether an attempt that a client starts meets the condition.
func (c condition) fits(t *attempt) bool {
	for _, v := range c.values {
		switch c.kind {
		case "project_name":
			if strings.HasPrefix(t.project.name, v) {
				return true
			}
		case "workflow_name":
			if strings.HasPrefix(t.workflow, v) {
				return true
			}
		case "invocation_type":
			if v == "on_demand" {
				return true
			}
		}
	}
	return false
}

func (c condition) json() object {
	o := object{"type": c.kind, "values": c.values}
	if strings.HasSuffix(c.kind, "_name") {
		o["operator"] = "starts_with"
	}
	return o
}

type poolRule struct {
	id, priority, pool int
	conditions         []condition
}

func (r *poolRule) json() object {
	list := []object{}
	for _, c := range r.conditions {
		list = append(list, c.json())
	}
	return object{"id": strconv.Itoa(r.id), "priority": r.priority, "poolId": strconv.Itoa(r.pool), "conditions": list}
}

func (r *poolRule) fits(t *attempt) bool {
	return !slices.ContainsFunc(r.conditions, func(c condition) bool { return !c.fits(t) })
}

func (a *account) rule(id int) *poolRule {
	return find(a.rules, func(r *poolRule) bool { return r.id == id })
}

func (w *world) listRules(c *client) {
	w.ask(c, request{method: "GET", url: workflow + "/pool_rules"}, func(a *account) (int, any) {
		list := slices.SortedFunc(slices.Values(a.rules),
			func(x, y *poolRule) int { return cmp.Compare(x.priority, y.priority) })
		if w.cheats("pool rules listed out of order") {
			slices.Reverse(list)
		}
		rules := []object{}
		for _, r := range list {
			rules = append(rules, r.json())
		}
		w.showAll(a, "rule")
		return http.StatusOK, object{"poolRules": rules}
	})
}

func (w *world) randomConditions() []condition {
	list := []condition{{pick(w, []string{"project_name", "workflow_name"}), nil}}
	if list[0].kind == "project_name" {
		list[0].values = []string{pick(w, []string{"shop", "sto", "none"})}
	} else {
		list[0].values = []string{pick(w, []string{"dai", "week", "no"})}
	}
	if w.chance(20) {
		list = append(list, condition{"invocation_type", []string{pick(w, []string{"on_demand", "scheduled"})}})
	}
	return list
}

func (w *world) createRule(c *client, r *poolRule) *poolRule {
	if r == nil {
		r = &poolRule{priority: 1 + w.IntN(40), conditions: w.randomConditions(), pool: w.somePool(c.account)}
	}
	body := r.json()
	delete(body, "id")
	var made *poolRule
	w.ask(c, request{method: "POST", url: workflow + "/pool_rules", body: body}, func(a *account) (int, any) {
		if a.pool(r.pool) == nil || slices.ContainsFunc(a.rules, func(x *poolRule) bool { return x.priority == r.priority }) {
			return http.StatusBadRequest, workflowError(http.StatusBadRequest)
		}
		made = r
		r.id = w.next("rule", a)
		a.rules = append(a.rules, r)
		w.touch(a, "rule", r.id)
		return http.StatusCreated, r.json()
	})
	return made
}

func (w *world) updateRule(c *client, id, toPool int) {
	body := object{"poolId": strconv.Itoa(toPool)}
	r := request{method: "PATCH", url: fmt.Sprintf("%s/pool_rules/%d", workflow, id), body: body}
	w.ask(c, r, func(a *account) (int, any) {
		r := a.rule(id)
		if r == nil {
			w.show(a, "rule", id)
			return http.StatusNotFound, workflowError(http.StatusNotFound)
		}
		if a.pool(toPool) == nil {
			return http.StatusBadRequest, workflowError(http.StatusBadRequest)
		}
		r.pool = toPool
		w.touch(a, "rule", id)
		return http.StatusOK, r.json()
	})
}

func (w *world) getRule(c *client, id int) {
	w.ask(c, request{method: "GET", url: fmt.Sprintf("%s/pool_rules/%d", workflow, id)}, func(a *account) (int, any) {
		w.show(a, "rule", id)
		if r := a.rule(id); r != nil {
			return http.StatusOK, r.json()
		}
		return http.StatusNotFound, workflowError(http.StatusNotFound)
	})
}

func (w *world) deleteRule(c *client, id int) {
	w.ask(c, request{method: "DELETE", url: fmt.Sprintf("%s/pool_rules/%d", workflow, id)}, func(a *account) (int, any) {
		r := a.rule(id)
		if r == nil {
			w.show(a, "rule", id)
			return http.StatusNotFound, workflowError(http.StatusNotFound)
		}
		if !w.cheats("deleted pool rule listed") {
			a.rules = slices.DeleteFunc(a.rules, func(x *poolRule) bool { return x == r })
		}
		w.touch(a, "rule", id)
		return http.StatusOK, r.json()
	})
}
