package control

import (
	"net/http"
	"strings"

	"svc.example/understudy/internal/version"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

type statusView struct {
	Status string `json:"status"`
}

// alive answers as soon as the process serves, whatever the interfaces can do.
func (h Host) alive(*op.Call) (op.Reply, error) { return op.OK(statusView{"ok"}) }

// ready answers with 503 unless every interface can answer. It does not fail the running test.
func (h Host) ready(*op.Call) (op.Reply, error) {
	if err := h.Ready(); err != nil {
		return refusal(http.StatusServiceUnavailable, err.Error()), nil
	}
	return op.OK(statusView{"ok"})
}

// refusal returns an answer in the error form with a status that op has no code for.
func refusal(status int, message string) op.Reply {
	return op.Reply{Status: status, Body: map[string]errorBody{"error": {Message: message}}}
}

func (h Host) version(*op.Call) (op.Reply, error) {
	paths, targets := map[specs.Interface]string{}, map[specs.Interface]string{}
	for _, name := range h.Documents.Names {
		paths[name] = h.Address(name)
		if target := h.Target(name); target != "" {
			targets[name] = target
		}
	}
	return op.OK(struct {
		version.Info
		Interfaces map[specs.Interface]string `json:"interfaces"`
		Targets    map[specs.Interface]string `json:"targets,omitempty"`
	}{h.Version(), paths, targets})
}

type scenarioView struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Own         bool   `json:"own"` // comes from the user's folder, not with the mock
	Error       string `json:"error,omitempty"`
}

// listScenarios also lists the scenarios of the user that cannot be loaded, with the reason.
func (h Host) listScenarios(*op.Call) (op.Reply, error) {
	views := []scenarioView{}
	library := h.Library()
	for _, name := range library.List() {
		view := scenarioView{Name: name}
		scenario, err := library.LoadBranded(name, h.Brand)
		if err != nil {
			view.Error = err.Error()
		}
		view.Description, view.Own = strings.Join(strings.Fields(scenario.Description), " "), !scenario.Embedded
		views = append(views, view)
	}
	return op.OK(struct {
		Default   string         `json:"default"`
		Scenarios []scenarioView `json:"scenarios"`
	}{h.Scenario, views})
}
