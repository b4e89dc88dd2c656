package simulation_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// leaves returns the tasks of a workflow that do something. Two of weekly end alike.
func leaves(workflow string) []string {
	if workflow == "daily" {
		return []string{"+daily+load", "+daily+transform", "+daily+store"}
	}
	return []string{"+weekly+copy+load", "+weekly+load"}
}

func groups(workflow string) []string {
	if workflow == "daily" {
		return []string{"+daily"}
	}
	return []string{"+weekly", "+weekly+copy"}
}

func (w *world) listTasks(c *client, id int) {
	w.ask(c, request{method: "GET", url: fmt.Sprintf("%s/attempts/%d/tasks", workflow, id)}, func(a *account) (int, any) {
		t := a.attempt(id)
		if t == nil {
			return http.StatusNotFound, workflowError(http.StatusNotFound)
		}
		w.show(a, "attempt", id)
		if t.copied == 0 && t.index > 1 {
			w.cheats("success lost by a resume")
		}
		return http.StatusOK, object{"tasks": w.tasks(t)}
	})
}

func (w *world) tasks(t *attempt) []object {
	status := t.status(w.now)
	list, names := []object{}, slices.Concat(groups(t.workflow), leaves(t.workflow))
	for i, name := range names {
		state, at := "blocked", i-len(groups(t.workflow))
		switch done := t.succeeded(w.now); {
		case at < 0 && status == "error":
			state = "group_error"
			if i > 0 && t.failing > 0 {
				state = "success"
			}
		case at < 0 && status == "success" || at >= 0 && at < done:
			state = "success"
		case at < 0:
			state = "planned"
			if i > 0 && done > 0 {
				state = "success"
			}
		case status == "killed":
			state = "canceled"
		case at == done && status == "error":
			state = "error"
		case at == done:
			state = "running"
		}
		o := object{
			"id": strconv.Itoa(t.id*10 + i), "fullName": name, "state": state, "group": at < 0,
			"cancelRequested": !t.killed.IsZero(),
			"config":          object{}, "upstreams": []string{}, "exportParams": object{}, "storeParams": object{},
			"stateParams": object{},
			"error":       object{}, "updatedAt": instant(w.now), "parentId": nil,
		}
		if i > 0 {
			o["parentId"] = strconv.Itoa(t.id * 10)
		}
		list = append(list, o)
	}
	return list
}
