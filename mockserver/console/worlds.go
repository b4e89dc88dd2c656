package console

import "net/url"

// worldsPage lists the worlds, and makes, forks, resets and deletes them.
type worldsPage struct {
	All       []worldDetails
	Scenarios []scenario
	Default   string // scenario
}

type scenario struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Own         bool   `json:"own"`
	Error       string `json:"error"`
}

// maxListed is the number of worlds of which the page shows details.
const maxListed = 200

func (v *view) worldsPage() error {
	var list struct {
		Worlds []world `json:"worlds"`
	}
	if err := v.get("worlds", &list); err != nil {
		return err
	}
	var body worldsPage
	for _, w := range list.Worlds[:min(len(list.Worlds), maxListed)] {
		details := worldDetails{world: w}
		if err := v.get("worlds/"+url.PathEscape(w.ID), &details); err != nil {
			continue // it was deleted meanwhile
		}
		body.All = append(body.All, details)
	}
	scenarios := struct {
		Default   *string     `json:"default"`
		Scenarios *[]scenario `json:"scenarios"`
	}{&body.Default, &body.Scenarios}
	if err := v.get("scenarios", &scenarios); err != nil {
		return err
	}
	return v.ok("worlds", "worlds", "Worlds", body)
}

// checkpoint saves a checkpoint, whose name is in the address of the call.
func (v *view) checkpoint() error {
	return v.doing(url.Values{"back": {"worlds"}, "call": {
		"PUT worlds/" + url.PathEscape(v.r.PostFormValue("world")) + "/checkpoints/" +
			url.PathEscape(v.r.PostFormValue("name")),
	}})
}
