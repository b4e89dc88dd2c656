package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
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
