package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/scenarios/story"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

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
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(list)
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
