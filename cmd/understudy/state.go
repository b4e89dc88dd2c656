package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/internal/statefile"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

func newState() *cobra.Command {
	c := &cobra.Command{
		Use:   "state",
		Short: "Show and compare the files in which servers keep their worlds",
		Long: `Show and compare the files in which understudy serve --state keeps worlds, and dumps of
worlds, as GET /_understudy/worlds/{id}/state answers them. Values that may be secret are
never printed.`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newStateShow(), newStateDiff())
	return c
}

func newStateShow() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show FILE",
		Short: "List the worlds of a file: clock, seed, checkpoints, and how much of each kind there is",
		Example: `  understudy state show state.json
  understudy state show --json state.json | jq '.worlds[].id'`,
		Args: exactArgs(1, "the file of a server's state"),
		RunE: func(c *cobra.Command, args []string) error {
			file, err := readStateFile(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeIndented(c.OutOrStdout(), file)
			}
			return file.print(c.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func newStateDiff() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "diff FILE FILE",
		Short: "List what was added, changed and removed between two files",
		Long: `List what was added, changed and removed between two files, by world, kind and id.

The exit code is 0 if they have the same worlds, 1 if they differ, and 2 if a file cannot
be read. When they were saved, and how far a real clock has gone on by itself, does not
count.`,
		Example: `  cp state.json before.json
  understudy state diff before.json state.json`,
		Args: exactArgs(2, "two files of servers' states"),
		RunE: func(c *cobra.Command, args []string) error {
			var files [2]*stateFile
			for i, name := range args {
				var err error
				if files[i], err = readStateFile(name); err != nil {
					return err
				}
			}
			return writeStateDiff(c.OutOrStdout(), diffStates(files[0], files[1]), asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// print writes the file as text.
func (f *stateFile) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if !f.Saved.IsZero() {
		fmt.Fprintf(w, "%s, saved %s, brand %s\n", plural(len(f.Worlds), "world"), f.Saved.Format(time.RFC3339), f.Brand)
	}
	for _, world := range f.Worlds {
		fmt.Fprintf(table, "\nworld %s: scenario %s, seed %d, clock %s at %s\n", world.ID, world.Scenario, world.Seed,
			world.Clock, world.Now.Format(time.RFC3339))
		if world.Fork != "" {
			fmt.Fprintf(table, "  fork of\t%s\n", world.Fork)
		}
		if len(world.Keys) > 0 {
			fmt.Fprintf(table, "  minted keys\t%s\n", strings.Join(world.Keys, ", "))
		}
		if len(world.Checkpoints) > 0 {
			fmt.Fprintf(table, "  checkpoints\t%s\n", strings.Join(world.Checkpoints, ", "))
		}
		for _, name := range slices.Sorted(maps.Keys(world.Counts)) {
			fmt.Fprintf(table, "  %s\t%d\n", name, world.Counts[name])
		}
	}
	return table.Flush()
}

func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprint(n, " ", noun)
	}
	return fmt.Sprint(n, " ", noun, "s")
}

// writeStateDiff writes differences, and returns the error that makes the exit code 1 if there are any.
func writeStateDiff(w io.Writer, worlds []worldDiff, asJSON bool) error {
	var err error
	if asJSON {
		err = writeIndented(w, map[string]any{"worlds": worlds})
	} else {
		for _, world := range worlds {
			world.print(w)
		}
	}
	if err == nil && len(worlds) > 0 {
		err = &exitError{code: exitViolations}
	}
	return err
}

// changeSigns holds the signs of changes.
var changeSigns = map[string]string{
	"added": "+", "removed": "-", "changed": "~",
}

func (d worldDiff) print(w io.Writer) {
	fmt.Fprintf(w, "%s world %s\n", changeSigns[d.Change], d.ID)
	for _, e := range d.Entries {
		words := slices.DeleteFunc([]string{changeSigns[e.Change], e.Kind, e.ID, e.Name}, func(word string) bool {
			return word == ""
		})
		fmt.Fprint(w, "  ", strings.Join(words, " "))
		if len(e.Members) > 0 {
			fmt.Fprint(w, ": ", strings.Join(e.Members, ", "))
		}
		fmt.Fprintln(w)
	}
}

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
		if change := changeOf(before.settings, after.settings, name); change != "" {
			list = append(list, stateEntry{Change: change, Kind: name})
		}
	}
	for _, kind := range namesOf(before.content.tables, after.content.tables) {
		list = append(list, diffTables(kind, before.content.tables[kind], after.content.tables[kind])...)
	}
	add := func(before, after map[string]json.RawMessage) {
		for _, name := range namesOf(before, after) {
			if change := changeOf(before, after, name); change != "" {
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
		change := changeOf(before, after, id)
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
func changeOf[T string | json.RawMessage](before, after map[string]T, name string) string {
	old, was := before[name]
	now, is := after[name]
	switch {
	case !was:
		return "added"
	case !is:
		return "removed"
	case string(old) != string(now):
		return "changed"
	}
	return ""
}

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
		if changeOf(old, now, name) == "" {
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
		rows := map[string]json.RawMessage{}
		for _, p := range pairs {
			var key struct{ Key string }
			if json.Unmarshal(p.Value, &key) == nil {
				rows[digestOf(key.Key)] = p.Value // keys are secret, so that digests are their ids
			}
		}
		c.tables[name] = rows
	case is && len(pairs) > 0:
		c.plans[name] = value
	case !is:
		c.others[name] = value
	}
}

// addOwn adds the objects of interfaces of the user's own, by their resources and keys.
func (c *worldContent) addOwn(section json.RawMessage) {
	var own struct {
		Objects []struct {
			Key   string
			Value map[string]struct {
				Keys []string
				Text json.RawMessage
			}
		} `json:"Things"`
	}
	if json.Unmarshal(section, &own) != nil {
		return
	}
	for _, resource := range own.Objects {
		if len(resource.Value) == 0 {
			continue
		}
		rows := map[string]json.RawMessage{}
		for _, object := range resource.Value {
			rows[strings.Join(object.Keys, "/")] = object.Text
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
