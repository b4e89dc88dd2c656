package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc.example/understudy/internal/version"
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
documents and rules. With --spec it does so for any OpenAPI document of your own.`,
		Example: `  # Serve the mock on http://127.0.0.1:4010
  understudy serve

  # List the pools of the account that the mock begins with
  curl -H 'Authorization: SVC1 1/admin' http://127.0.0.1:4010/workflow/api/pools

  # Serve a document of your own
  understudy serve --spec shop=openapi.yaml --interfaces shop

  # Check what was asked and answered
  curl http://127.0.0.1:4010/_understudy/journal.har > traffic.har
  understudy check traffic.har`,
		SilenceErrors: true, // main prints them
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          helpOrVersion,

		PersistentPreRunE: configure,
	}
	root.PersistentFlags().String("config", "", "read the configuration `FILE` (default: $"+
		configVariable+", or "+configName+" if it exists)")
	root.SetFlagErrorFunc(flagError)
	root.Flags().BoolP("version", "v", false, "version for understudy")
	root.AddCommand(
		newServe(), newState(), newProxy(), newLearn(), newCompare(), newPlay(), newCheck(), newCoverage(), newRules(),
		newShapes(), newOperations(), newScenarios(), newSpec(), newInit(), newSchema(), newCA(), newHealth(), newMan(),
		newMCP(), newProbe(),
	)
	completeValues(root)
	return root
}

// refuseUnknownCommands makes the commands of cobra's own refuse words that they do not know, as ours do.
func refuseUnknownCommands(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args, c.RunE = noSuchCommand, func(c *cobra.Command, _ []string) error { return c.Help() }
		case "help":
			c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err == nil && len(rest) == 0 {
					about.InitDefaultHelpFlag()
					return about.Help()
				}
				return noSuchCommand(cmp.Or(about, root), rest)
			}
		}
	}
}

// helpOrVersion is understudy without a command. Only then the digest of the documents is calculated.
func helpOrVersion(c *cobra.Command, _ []string) error {
	if wanted, err := c.Flags().GetBool("version"); err != nil || !wanted {
		return c.Help()
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), "understudy", version.Read())
	return err
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

// flagError returns an error that says where help is, for a wrong value what would be right, and for a flag that does
// not exist which one is nearest.
func flagError(c *cobra.Command, err error) error {
	hint := "see " + c.CommandPath() + " --help"
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		why := wrong.Unwrap()
		if want := wanted[wrong.GetFlag().Value.Type()]; want != "" {
			why = fmt.Errorf("want %s", want)
		}
		err = fmt.Errorf("invalid argument %q for %q flag: %w", wrong.GetValue(), "--"+wrong.GetFlag().Name, why)
	}
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

// refuseEmpty refuses empty values of flags and empty arguments: what was meant is missing, as when a variable of a
// script is not set.
func refuseEmpty(c *cobra.Command, args []string) error {
	var errs []error
	c.Flags().Visit(func(flag *pflag.Flag) {
		list := []string{flag.Value.String()}
		switch value, isList := flag.Value.(pflag.SliceValue); {
		case isList:
			list = value.GetSlice()
		case flag.Value.Type() != "string":
			return // its own Set refuses what it does not take
		}
		if len(list) == 0 || slices.Contains(list, "") {
			name, _ := pflag.UnquoteUsage(flag)
			errs = append(errs, fmt.Errorf("--%s is empty: want %s, or leave the flag out", flag.Name, name))
		}
	})
	if end := c.ArgsLenAtDash(); end >= 0 {
		args = args[:end]
	}
	if slices.Contains(args, "") {
		errs = append(errs, fmt.Errorf("an argument is empty: want %s", strings.TrimPrefix(c.UseLine(), c.CommandPath()+" ")))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w; see %s --help", err, c.CommandPath())
	}
	return nil
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
