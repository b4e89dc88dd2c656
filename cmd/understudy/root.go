package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc.example/understudy/specs/source"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "understudy",
		Short: "A stateful mock of a data platform, and a checker for recorded traffic",
		Long: `Understudy stands in for a data platform.

It serves the platform's HTTP interfaces with consistent state: what one call creates,
the next one lists, and what the platform would refuse is refused. It also checks
recorded traffic, with the mock or with the real platform, against the interfaces'
documents and rules.`,
		Example: `  # Serve the mock on http://127.0.0.1:4010
  understudy serve

  # List the pools of the account that the mock begins with
  curl -H 'Authorization: SVC1 1/admin' http://127.0.0.1:4010/workflow/api/pools

  # Check what was asked and answered
  curl http://127.0.0.1:4010/_understudy/journal.har > traffic.har
  understudy check traffic.har`,
		Version:       version(),
		SilenceErrors: true, // main prints them
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },

		PersistentPreRunE: configure,
	}
	root.PersistentFlags().String("config", "", "read the configuration `FILE` (default: "+configName+", if it exists)")
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("understudy {{.Version}}\n")
	root.AddCommand(
		newServe(), newProxy(), newLearn(), newCompare(), newPlay(), newCheck(), newCoverage(), newRules(), newShapes(),
		newOperations(), newScenarios(), newSpec(), newInit(), newSchema(), newCA(),
	)
	return root
}

func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return fmt.Errorf("unknown command %q; want %s; see %s --help",
		args[0], source.OneOf(args[0], names), c.CommandPath())
}

// flagError returns an error that says where help is, and for a flag that does not exist which one is nearest.
func flagError(c *cobra.Command, err error) error {
	hint := "see " + c.CommandPath() + " --help"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		near, _, _ := strings.Cut(source.OneOf("--"+unknown.GetSpecifiedName(), names), ",")
		if strings.HasPrefix(near, "--") {
			hint = "did you mean " + near + "? " + "S" + hint[1:]
		}
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// exactArgs returns cobra.ExactArgs with a message that says what is wanted.
func exactArgs(n int, want string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return fmt.Errorf("want %s; see %s --help", want, c.CommandPath())
	}
}

// version returns what the Go toolchain has noted in the binary: the version of the module, or the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := strings.Trim(info.Main.Version, "()")
	if revision := settings["vcs.revision"]; revision != "" && text == "devel" {
		text += " " + revision[:min(12, len(revision))]
		if settings["vcs.modified"] == "true" {
			text += ", modified"
		}
	}
	return cmp.Or(text, "devel") + " (" + info.GoVersion + ")"
}
