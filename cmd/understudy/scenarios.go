package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/scenarios"
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
			return listScenarios(c.OutOrStdout(), library)
		},
	}
	addScenariosFlag(c, &folder)
	c.AddCommand(newScenariosShow(), newScenariosCheck())
	return c
}

func listScenarios(w io.Writer, library scenarios.Library) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range library.List() {
		s, err := library.Load(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%s\t%s\n", name, strings.Join(strings.Fields(s.Description), " "))
	}
	return t.Flush()
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
