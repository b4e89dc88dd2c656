package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// worldDiff holds how a world differs between two files.
type worldDiff struct {
	ID      string       `json:"id"`
	Change  string       `json:"change"` // added, removed or changed
	Entries []stateEntry `json:"entries,omitempty"`
}

// stateEntry is one difference within a world.
type stateEntry struct {
	Change  string   `json:"change"`
	Kind    string   `json:"kind"`
	ID      string   `json:"id,omitempty"`
	Name    string   `json:"name,omitempty"`
	Members []string `json:"members,omitempty"` // what of it has changed
}

// diffStates compares two files, in the order of the worlds of the second; those that it lacks come last.
func diffStates(before, after *stateFile) []worldDiff {
	list := []worldDiff{}
	find := func(f *stateFile, id string) *stateWorld {
		if i := slices.IndexFunc(f.Worlds, func(w stateWorld) bool { return w.ID == id }); i >= 0 {
			return &f.Worlds[i]
		}
		return nil
	}
	for i := range after.Worlds {
		w := &after.Worlds[i]
		old := find(before, w.ID)
		if old == nil {
			list = append(list, worldDiff{ID: w.ID, Change: "added"})
		} else if entries := diffWorlds(old, w); len(entries) > 0 {
			list = append(list, worldDiff{w.ID, "changed", entries})
		}
	}
	for _, w := range before.Worlds {
		if find(after, w.ID) == nil {
			list = append(list, worldDiff{ID: w.ID, Change: "removed"})
		}
	}
	return list
}

func diffWorlds(before, after *stateWorld) (list []stateEntry) {
	for _, name := range namesOf(before.settings, after.settings) {
		if change := changeOf(before.settings, after.settings, name, equalTexts); change != "" {
			list = append(list, stateEntry{Change: change, Kind: name})
		}
	}
	for _, kind := range namesOf(before.content.tables, after.content.tables) {
		list = append(list, diffTables(kind, before.content.tables[kind], after.content.tables[kind])...)
	}
	add := func(before, after map[string]json.RawMessage) {
		for _, name := range namesOf(before, after) {
			if change := changeOf(before, after, name, sameJSON); change != "" {
				list = append(list, stateEntry{Change: change, Kind: name})
			}
		}
	}
	if add(before.content.others, after.content.others); len(list) == 0 {
		add(before.content.plans, after.content.plans)
	}
	return list
}

func diffTables(kind string, before, after map[string]json.RawMessage) (list []stateEntry) {
	ids := namesOf(before, after)
	slices.SortFunc(ids, func(a, b string) int {
		x, _ := strconv.ParseInt(a, 10, 64)
		y, _ := strconv.ParseInt(b, 10, 64)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	})
	for _, id := range ids {
		change := changeOf(before, after, id, sameJSON)
		if change == "" {
			continue
		}
		e := stateEntry{Change: change, Kind: kind, ID: id, Name: nameOf(after[id])}
		if e.Name == "" {
			e.Name = nameOf(before[id])
		}
		if change == "changed" {
			e.Members = changedMembers(before[id], after[id])
		}
		list = append(list, e)
	}
	return list
}

func namesOf[T any](before, after map[string]T) []string {
	all := maps.Clone(after)
	if all == nil {
		all = map[string]T{}
	}
	maps.Copy(all, before)
	return slices.Sorted(maps.Keys(all))
}

// changeOf returns how a member differs, or the empty text.
func changeOf[T any](before, after map[string]T, name string, equal func(a, b T) bool) string {
	old, was := before[name]
	now, is := after[name]
	switch {
	case !was:
		return "added"
	case !is:
		return "removed"
	case !equal(old, now):
		return "changed"
	}
	return ""
}

func equalTexts(a, b string) bool { return a == b }

func sameJSON(a, b json.RawMessage) bool { return bytes.Equal(a, b) }

// nameOf returns the name that a row has, if any.
func nameOf(row json.RawMessage) string {
	var named struct{ Name string }
	if json.Unmarshal(row, &named) != nil {
		return ""
	}
	return named.Name
}

// changedMembers names the members of a row that differ, with their values as far as they cannot be secret. Of a list
// it returns how long it was and is.
func changedMembers(before, after json.RawMessage) (list []string) {
	var old, now map[string]json.RawMessage
	if json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &now) != nil {
		if a, b := rowCount(before), rowCount(after); a != b {
			list = append(list, fmt.Sprintf("%d entries → %d", a, b))
		}
		return list
	}
	for _, name := range namesOf(old, now) {
		if changeOf(old, now, name, sameJSON) == "" {
			continue
		}
		if isPlain(name, old[name]) && isPlain(name, now[name]) {
			name = fmt.Sprintf("%s %s → %s", name, cmp.Or(string(old[name]), "none"), cmp.Or(string(now[name]), "none"))
		}
		list = append(list, name)
	}
	return list
}

// isPlain reports whether a value may be printed: a number, true or false, none, or a status.
func isPlain(name string, value json.RawMessage) bool {
	if len(value) == 0 || name == "status" || name == "state" {
		return true
	}
	return value[0] != '"' && value[0] != '{' && value[0] != '['
}
