package console

import (
	"time"

	"svc.example/understudy/specs"
)

// homePage shows what the server is and how to talk to it.
type homePage struct {
	Base       string // of the server, as the browser knows it
	Interfaces []address
	Details    worldDetails
	Version    version
	Coverage   coverage
	Started    time.Time
}

type address struct{ Name, URL string }

type version struct {
	Version   string `json:"version"`
	Commit    string `json:"commit"`
	Documents string `json:"documents"`
}

type coverage struct {
	Covered    int `json:"covered"`
	Documented int `json:"documented"`
}

// worldDetails is a world with how large it is and what it has.
type worldDetails struct {
	world
	Size struct {
		Total   int64 `json:"total"`
		State   int64 `json:"state"`
		Journal int64 `json:"journal"`
	} `json:"size"`
	KeyCount    int      `json:"keyCount"`
	Checkpoints []string `json:"checkpoints"`
	Journal     struct {
		Entries int   `json:"entries"`
		Last    int64 `json:"last"`
	} `json:"journal"`
	Events int `json:"events"`
}

func (v *view) home() error {
	body := homePage{Base: v.base()}
	for _, name := range specs.Interfaces() {
		path := string("/" + name)
		if name == specs.Core {
			path += "/v3"
		}
		body.Interfaces = append(body.Interfaces, address{string(name), body.Base + path})
	}
	for path, into := range map[string]any{
		"worlds/" + defaultWorld: &body.Details, "version": &body.Version, "coverage": &body.Coverage,
	} {
		if err := v.get(path, into); err != nil {
			return err
		}
	}
	return v.ok("home", "home", "Home", body)
}

// base is the address of the server. A prefix that a proxy has taken off is not known to the server; a script adds it.
func (v *view) base() string {
	if v.secure {
		return "https://" + v.host
	}
	return "http://" + v.host
}
