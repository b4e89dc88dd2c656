package simulation_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

type project struct {
	id   int
	name string
	born time.Time
}

// addProject adds a project by a name, which gets a number where another project has it.
func (w *world) addProject(a *account, name string) *project {
	wanted := name
	for n := 2; slices.ContainsFunc(a.projects, func(p *project) bool { return p.name == name }); n++ {
		name = fmt.Sprint(wanted, "_", n)
	}
	p := &project{id: w.next("project", a), name: name, born: w.birth()}
	a.projects = append(a.projects, p)
	w.touch(a, "project", p.id)
	return p
}

func (p *project) json() object {
	return object{
		"id": strconv.Itoa(p.id), "name": p.name, "revision": "r1", "archiveType": "db", "archiveMd5": nil,
		"metadata":  []any{},
		"createdAt": instant(p.born), "updatedAt": instant(p.born), "deletedAt": nil,
	}
}

func (a *account) project(id int) *project {
	return find(a.projects, func(p *project) bool { return p.id == id })
}

func (w *world) getProject(c *client, id int) {
	w.ask(c, request{method: "GET", url: fmt.Sprintf("%s/projects/%d", workflow, id)}, func(a *account) (int, any) {
		w.show(a, "project", id)
		if p := a.project(id); p != nil {
			return http.StatusOK, p.json()
		}
		return http.StatusNotFound, workflowError(http.StatusNotFound)
	})
}

func (w *world) listProjects(c *client) {
	w.ask(c, request{method: "GET", url: workflow + "/projects"}, func(a *account) (int, any) {
		list := []object{}
		for _, p := range a.projects {
			list = append(list, p.json())
		}
		w.showAll(a, "project")
		return http.StatusOK, object{"projects": list}
	})
}
