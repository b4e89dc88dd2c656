package main

import (
	"maps"
	"slices"
	"strings"
)

// compareLines are the settings of a comparison.
type compareLines struct {
	Scenario  string            `json:"scenario"`
	Scenarios string            `json:"scenarios"`
	Now       string            `json:"now"`
	Tolerance string            `json:"tolerance"`
	Baseline  string            `json:"baseline"`
	Masks     []maskLine        `json:"masks"`
	Keys      map[string]string `json:"keys"`
}

type maskLine struct {
	Operation string `json:"operation"`
	Pointer   string `json:"pointer"`
	Reason    string `json:"reason"`
}

// resolvePaths makes paths relative to the working folder. A scenario may also be a name.
func (l *compareLines) resolvePaths(at func(string) string) {
	if strings.ContainsAny(l.Scenario, `/\\.`) {
		l.Scenario = at(l.Scenario)
	}
	l.Scenarios, l.Baseline = at(l.Scenarios), at(l.Baseline)
}

// settingsOf lists the values of flags for a command. A comparison has a baseline of its own, and writes no report
// where a check writes its own.
func (c *configuration) settingsOf(command string) []setting {
	list := c.settings()
	if command != "compare" {
		return list
	}
	list = slices.DeleteFunc(list, func(s setting) bool { return s.flag == "baseline" || s.flag == "report" })
	l := &c.Compare
	for _, s := range []setting{
		{"scenario", l.Scenario, nil},
		{"scenarios", l.Scenarios, nil},
		{"now", l.Now, nil},
		{"tolerance", l.Tolerance, nil},
		{"baseline", l.Baseline, nil},
	} {
		if s.value != "" {
			list = append(list, setting{s.flag, s.value, []any{"compare", s.flag}})
		}
	}
	for _, mark := range slices.Sorted(maps.Keys(l.Keys)) {
		list = append(list, setting{"key", mark + "=" + l.Keys[mark], []any{"compare", "keys", mark}})
	}
	return list
}
