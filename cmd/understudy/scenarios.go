package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// addScenariosFlag adds the flag that names a folder of scenarios and casts.
func addScenariosFlag(c *cobra.Command, folder *string) {
	c.Flags().StringVar(folder, "scenarios", "",
		"a `FOLDER` of your own scenarios, which have the names of the folders in it; see understudy scenarios")
	_ = c.MarkFlagDirname("scenarios") // the flag is there
}

// openLibrary returns the scenarios that come with the mock, and those of a folder unless it is empty.
func openLibrary(folder string) (scenarios.Library, error) {
	if folder == "" {
		return scenarios.Library{}, nil
	}
	return scenarios.OpenLibrary(folder)
}

func newScenarios() *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:   "scenarios",
		Short: "List the scenarios that the mock can start with, or show or check one",
		Long: `List the scenarios: named worlds that the mock can start with. Choose one with
serve --scenario NAME, or write your own, starting from show NAME --print yaml or
from init --scenario.

With --scenarios FOLDER, your own have names, too: each folder in it with a
scenario.yaml is a scenario, and each other one with YAML files is a cast, which
scenarios have under uses. A name that comes with understudy is refused there.`,
		Example: `  understudy scenarios
  understudy scenarios show pool-in-use
  understudy scenarios check ./my-scenario
  understudy scenarios --scenarios ./scenarios`,
		Args: exactArgs(0, "no arguments, or show NAME, or check NAME"),
		RunE: func(c *cobra.Command, _ []string) error {
			library, err := openLibrary(folder)
			if err != nil {
				return err
			}
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, name := range library.List() {
				s, err := library.Load(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(t, "%s\t%s\n", name, strings.Join(strings.Fields(s.Description), " "))
			}
			return t.Flush()
		},
	}
	addScenariosFlag(c, &folder)
	c.AddCommand(newScenariosShow(), newScenariosCheck())
	return c
}

func newScenariosShow() *cobra.Command {
	var part *checkflags.Choice
	var folder string
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show what is in a scenario",
		Long: `Show a scenario: its purpose, its API keys, its contents, and its story, a script of
calls with the expected responses. NAME is a name from understudy scenarios, or the
path of your own scenario. Use understudy scenarios check to find out whether it can
be served.

Every key is valid in two forms: as written in the scenario, such as 1/admin, and in
the platform's own form, which some clients require: the id of the account, a slash
and 40 hexadecimal digits, the SHA-1 of the readable key.`,
		Example: `  understudy scenarios show quickstart

  # Begin a scenario of your own with one that is there
  understudy scenarios show quickstart --print yaml > mine.yaml
  understudy serve --scenario ./mine.yaml`,
		Args:              exactArgs(1, "the name of one scenario"),
		ValidArgsFunction: completeScenarios,
		RunE: func(c *cobra.Command, args []string) error {
			library, err := openLibrary(folder)
			if err != nil {
				return err
			}
			s, err := library.Load(args[0])
			if err != nil {
				return err
			}
			return showScenario(c.OutOrStdout(), s, part.Word)
		},
	}
	addScenariosFlag(c, &folder)
	part = addEnumFlag(c, "print", "how much of it to print", checkflags.ChoiceOf("all", "keys", "yaml", "story"))
	return c
}

func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return scenarios.List(), cobra.ShellCompDirectiveDefault
}

func showScenario(w io.Writer, s scenarios.Scenario, part string) error {
	text, err := scenarioYAML(s)
	if err != nil {
		return err
	}
	switch part {
	case "keys":
		_, err = w.Write(scenarioKeys(s))
	case "yaml":
		_, err = w.Write(text)
	case "story":
		_, err = w.Write(s.Story)
	default:
		_, err = fmt.Fprintf(w,
			"%s: %s\n\n# Its keys (--print keys)\n\n%s\n# What there is when it begins (--print yaml)\n\n%s\n"+
				"# Its story (--print story)\n\n%s",
			s.Name, strings.Join(strings.Fields(s.Description), " "), scenarioKeys(s), text, s.Story)
	}
	return err
}

// scenarioKeys lists the keys of a scenario in both their forms, with their kinds and users.
func scenarioKeys(s scenarios.Scenario) []byte {
	var list bytes.Buffer
	t := tabwriter.NewWriter(&list, 0, 0, 2, ' ', 0)
	account := s.Fixture.Account
	for _, key := range account.Keys {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", key.Key, account.PlatformKey(key), cmp.Or(key.Kind, "master"), key.User)
	}
	_ = t.Flush() // a buffer takes everything
	return list.Bytes()
}

// scenarioYAML returns a scenario as a file that can be loaded, with its fixtures in place of their names.
func scenarioYAML(s scenarios.Scenario) ([]byte, error) {
	text, err := json.Marshal(struct {
		Description string    `json:"description"`
		Now         time.Time `json:"now,omitzero"`
		Seed        uint64    `json:"seed"`
		fixtures.Fixture
	}{s.Description, s.Now, s.Seed, s.Fixture})
	if err != nil {
		return nil, err
	}
	var node yaml.Node // JSON is YAML, and a node keeps the order of its keys
	if err := yaml.Unmarshal(text, &node); err != nil {
		return nil, err
	}
	plainStyle(&node)
	return yaml.Marshal(&node)
}

// plainStyle removes the style of JSON from a node: braces, and quotes that are not needed.
func plainStyle(n *yaml.Node) {
	n.Style = 0
	for _, child := range n.Content {
		plainStyle(child)
	}
}

func newScenariosCheck() *cobra.Command {
	var word, folder string
	var format *checkflags.Choice
	var documents checkflags.Pairs
	c := &cobra.Command{
		Use:   "check [NAME|PATH]...",
		Short: "Find out whether scenarios can be served",
		Long: `Check scenarios: create the world of each as serve would, with a real clock and with a
frozen one, and parse its story. Every mistake is printed with its file and line. The
story is not played, but its steps and the operations of its requests must be known.
What a scenario has of interfaces of your own is checked against their documents, which
--spec gives.

Without arguments, all scenarios that come with understudy are checked, or with
--scenarios all of that folder.

The exit code is 0 when nothing is wrong, 1 when something is wrong with a scenario,
and 2 when one cannot be read at all.`,
		Example: `  understudy scenarios check ./my-scenario
  understudy scenarios check --spec shop=openapi.yaml ./shop.yaml
  understudy scenarios check --format json testdata/*.yaml`,
		ValidArgsFunction: completeScenarios,
		RunE: func(c *cobra.Command, names []string) error {
			brand, err := specs.ParseBrand(word)
			if err != nil {
				return err
			}
			library, err := openLibrary(folder)
			if err != nil {
				return err
			}
			switch {
			case len(names) > 0:
			case folder != "":
				names = library.Own()
			default:
				names = library.List()
			}
			check := scenarioCheck{library, folder, brand, documents}
			return check.all(c.OutOrStdout(), names, format.Word)
		},
	}
	addScenariosFlag(c, &folder)
	format = addEnumFlag(c, "format", "the output format", checkflags.ChoiceOf("text", "json"))
	checkflags.AddSpecs(c.Flags(), &documents)
	checkflags.AddBrand(c.Flags(), &word)
	return c
}

// checkedScenario lists the mistakes in a scenario.
type checkedScenario struct {
	Scenario string            `json:"scenario"`
	Problems []scenarioProblem `json:"problems"`
}

type scenarioProblem struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Path   string `json:"path,omitempty"`
	Reason string `json:"reason"`
}

// scenarioCheck checks scenarios of a library, which is in a folder unless that is empty.
type scenarioCheck struct {
	library scenarios.Library
	folder  string
	brand   specs.Brand
	specs   checkflags.Pairs
}

func (k scenarioCheck) all(w io.Writer, names []string, format string) error {
	list := []checkedScenario{}
	var unread []error
	wrong, mistakes := 0, 0
	for _, name := range names {
		found, err := k.one(name)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		list = append(list, checkedScenario{Scenario: name, Problems: found})
		mistakes += len(found)
		wrong += min(1, len(found))
	}
	if err := errors.Join(writeChecked(w, list, format), errors.Join(unread...)); err != nil || wrong == 0 {
		return err
	}
	return &exitError{exitViolations, fmt.Errorf("mistakes: %d, in %d of %d scenarios", mistakes, wrong, len(names))}
}

func writeChecked(w io.Writer, list []checkedScenario, format string) error {
	if format == "json" {
		return writeIndented(w, list)
	}
	for _, s := range list {
		if len(s.Problems) == 0 {
			fmt.Fprintf(w, "%s: ok\n", s.Scenario)
		}
		for _, p := range s.Problems {
			fmt.Fprintln(w, &source.Problem{File: p.File, Line: p.Line, Path: p.Path, Reason: p.Reason})
		}
	}
	return nil
}

// one returns the problems of a scenario, or an error if it cannot be read.
func (k scenarioCheck) one(name string) ([]scenarioProblem, error) {
	found := []scenarioProblem{}
	scenario, err := k.library.LoadBranded(name, k.brand)
	if problems, others := source.Problems(err); err != nil && len(problems) == 0 {
		return nil, others
	}
	check := func(clock mockserver.ClockMode) []scenarioProblem {
		opts := []mockserver.Option{
			mockserver.WithScenario(name), mockserver.WithBrand(k.brand), mockserver.WithClock(clock),
		}
		opts = append(opts, checkflags.Documents(&k.specs, mockserver.WithSpec, mockserver.WithOverlay)...)
		if k.folder != "" {
			opts = append(opts, mockserver.WithScenarios(k.folder))
		}
		return problemsOf(name, mockserver.CheckScenario(opts...))
	}
	found = append(found, check(mockserver.ClockReal)...)
	for _, p := range check(mockserver.ClockFrozen) {
		if !slices.ContainsFunc(found, p.isAt) {
			p.Reason += " (with --clock frozen)"
			found = append(found, p)
		}
	}
	documents, err := k.specs.Documents(nil, string(k.brand))
	if err != nil {
		return nil, err
	}
	err = story.Check(scenario.StoryFile, scenario.Story, documents)
	return append(found, problemsOf(name, err)...), nil
}

// isAt reports whether two problems have the same place. Their messages may differ in times.
func (p scenarioProblem) isAt(other scenarioProblem) bool {
	return p.File == other.File && p.Line == other.Line && p.Path == other.Path
}

func problemsOf(name string, err error) []scenarioProblem {
	var list []scenarioProblem
	problems, others := source.Problems(err)
	for _, p := range problems {
		list = append(list, scenarioProblem{p.File, p.Line, p.Path, p.Reason})
	}
	if others != nil {
		list = append(list, scenarioProblem{File: name, Reason: others.Error()})
	}
	return list
}
