package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/internal/statefile"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// realClock is the mode of a clock that the wall clock moves, whose time does not stand in its dump.
const realClock = "real"

// stateFile is a file in which a server keeps its worlds, or the dump of one world.
type stateFile struct {
	Saved  time.Time    `json:"saved,omitzero"`
	Brand  string       `json:"brand,omitempty"`
	Worlds []stateWorld `json:"worlds"`
}

// stateWorld is one world of a file.
type stateWorld struct {
	ID          string         `json:"id"`
	Fork        string         `json:"fork,omitempty"`
	Scenario    string         `json:"scenario"`
	Seed        uint64         `json:"seed"`
	Clock       string         `json:"clock,omitempty"`
	Now         time.Time      `json:"now"`
	Keys        []string       `json:"keys,omitempty"` // the kinds of those that are minted
	Checkpoints []string       `json:"checkpoints,omitempty"`
	Counts      map[string]int `json:"counts"` // of what there is, by kind

	content  worldContent
	settings map[string]string // what it has beside its content
}

// worldContent holds the content of a dump, by the names there.
type worldContent struct {
	tables map[string]map[string]json.RawMessage // rows by kind and id
	others map[string]json.RawMessage            // everything that is not a table
	plans  map[string]json.RawMessage            // what follows from the rest, mostly: indexes, ids and due events
}

// readStateFile reads a file.
func readStateFile(path string) (*stateFile, error) {
	var dumps [][]byte
	content, err := statefile.Read(path, func(dump []byte) error {
		dumps = append(dumps, bytes.Clone(dump))
		return nil
	})
	if err != nil {
		if one, is := readDump(path); is {
			return one, nil
		}
		return nil, err
	}
	f := &stateFile{Saved: content.Saved, Brand: content.Brand, Worlds: []stateWorld{}}
	for _, w := range content.Worlds {
		world, err := newStateWorld(dumps[w.Now.State])
		if err != nil {
			return nil, fmt.Errorf("%s: world %s: %w", path, w.ID, err)
		}
		world.ID, world.Fork, world.Clock = w.ID, w.Fork, w.Now.Clock
		world.Keys, world.Checkpoints = slices.Sorted(maps.Keys(w.Keys)), slices.Sorted(maps.Keys(w.Checkpoints))
		if w.Now.Clock == realClock {
			world.Now = content.Saved.Add(time.Duration(w.Now.Ahead))
		}
		world.addSettings(w, dumps)
		f.Worlds = append(f.Worlds, world)
	}
	return f, nil
}

// readDump reads the dump of one world, and reports whether it is one.
func readDump(path string) (*stateFile, bool) {
	var dump struct{ State json.RawMessage }
	text, err := source.ReadFile(path)
	if err != nil || json.Unmarshal(text, &dump) != nil || len(dump.State) == 0 {
		return nil, false
	}
	world, err := newStateWorld(dump.State)
	world.ID, world.settings = "default", map[string]string{"now": fmt.Sprint(world.Now)}
	return &stateFile{Worlds: []stateWorld{world}}, err == nil
}

// addSettings notes what else makes the world what it is.
func (w *stateWorld) addSettings(kept statefile.World, dumps [][]byte) {
	describe := func(m statefile.Moment) string {
		text := fmt.Sprint(m.Clock, m.Ahead, " ", withoutTime(dumps[m.State]))
		if m.Clock != realClock {
			text += fmt.Sprint(timeOf(dumps[m.State]))
		}
		return text
	}
	w.settings = map[string]string{
		"fork": kept.Fork, "seed": fmt.Sprint(w.Seed), "scenario": w.Scenario, "clock": fmt.Sprint(w.Clock, kept.Now.Ahead),
		"origin": describe(kept.Origin),
	}
	if w.Clock != realClock {
		w.settings["now"] = fmt.Sprint(w.Now)
	}
	for name, m := range kept.Checkpoints {
		w.settings["checkpoint "+name] = describe(*m)
	}
	for kind, key := range kept.Keys {
		w.settings["minted key "+kind] = digestOf(key)
	}
}

// withoutTime returns a digest of a dump but for its time, which moves by itself where the clock is real.
func withoutTime(dump []byte) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(dump, &members) // it was read before
	delete(members, "now")
	delete(members, "digest")
	text, _ := json.Marshal(members)
	return digestOf(string(text))
}

func timeOf(dump []byte) time.Time {
	var w struct{ Now time.Time }
	_ = json.Unmarshal(dump, &w) // it was read before
	return w.Now
}

// digestOf returns what stands for a value that must not be printed.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// newStateWorld reads a dump.
func newStateWorld(dump []byte) (w stateWorld, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(dump, &members); err != nil {
		return w, err
	}
	for name, into := range map[string]any{"scenario": &w.Scenario, "seed": &w.Seed, "now": &w.Now} {
		err = errors.Join(err, json.Unmarshal(members[name], into))
	}
	w.content = worldContent{
		tables: map[string]map[string]json.RawMessage{}, others: map[string]json.RawMessage{},
		plans: map[string]json.RawMessage{"ids": members["ids"], "events": members["events"]},
	}
	for _, section := range append(specs.InterfaceNames(), "account") {
		var parts map[string]json.RawMessage
		if json.Unmarshal(members[section], &parts) != nil {
			continue
		}
		for name, value := range parts {
			w.content.add(section+"."+strings.ToLower(name[:1])+name[1:], value)
		}
	}
	w.content.addOwn(members["own"])
	if faults := members["faults"]; faults != nil {
		w.content.others["faults"] = faults
	}
	w.Counts = map[string]int{}
	for kind, rows := range w.content.tables {
		for _, row := range rows {
			w.Counts[kind] += rowCount(row)
		}
	}
	return w, err
}

// rowCount returns how much stands in a row of a table: one, or as many as it lists.
func rowCount(row json.RawMessage) int {
	var list []json.RawMessage
	if json.Unmarshal(row, &list) == nil {
		return len(list)
	}
	return 1
}

// pair is an entry of an index.
type pair struct {
	Key   json.RawMessage `json:"key"`
	Value json.RawMessage `json:"value"`
}

func (c *worldContent) add(name string, value json.RawMessage) {
	if rows, is := tableOf(value); is {
		if len(rows) > 0 {
			c.tables[name] = rows
		}
		return
	}
	pairs, is := indexOf(value)
	switch {
	case is && name == "account.keys":
		c.addKeys(pairs)
	case is && len(pairs) > 0:
		c.plans[name] = value
	case !is:
		c.others[name] = value
	}
}

// addKeys adds the API keys as rows. Their ids are digests.
func (c *worldContent) addKeys(pairs []pair) {
	rows := map[string]json.RawMessage{}
	for _, p := range pairs {
		var key struct{ Key string }
		if json.Unmarshal(p.Value, &key) == nil {
			rows[digestOf(key.Key)] = p.Value
		}
	}
	c.tables["account.keys"] = rows
}

// addOwn adds the objects of interfaces of the user's own, by their resources and keys.
func (c *worldContent) addOwn(section json.RawMessage) {
	var own struct {
		Things []struct {
			Key   string
			Value map[string]struct {
				Keys []string
				Text json.RawMessage
			}
		}
	}
	if json.Unmarshal(section, &own) != nil {
		return
	}
	for _, resource := range own.Things {
		if len(resource.Value) == 0 {
			continue
		}
		rows := map[string]json.RawMessage{}
		for _, thing := range resource.Value {
			rows[strings.Join(thing.Keys, "/")] = thing.Text
		}
		c.tables[resource.Key] = rows
	}
}

// tableOf returns the rows of a table: an object whose names are ids, and whose values are objects or lists.
func tableOf(value json.RawMessage) (rows map[string]json.RawMessage, is bool) {
	if json.Unmarshal(value, &rows) != nil || rows == nil {
		return nil, false
	}
	for id, row := range rows {
		if _, err := strconv.ParseInt(id, 10, 64); err != nil || row[0] != '{' && row[0] != '[' {
			return nil, false
		}
	}
	return rows, true
}

// indexOf returns the entries of an index: a list of keys and values.
func indexOf(value json.RawMessage) (pairs []pair, is bool) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	if d.Decode(&pairs) != nil || pairs == nil {
		return nil, false
	}
	return pairs, !slices.ContainsFunc(pairs, func(p pair) bool { return p.Key == nil || p.Value == nil })
}
