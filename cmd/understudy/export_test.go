package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc.example/understudy/contract"
)

// Main runs main, for tests that run it as a process of its own.
func Main() { main() }

// Recordings calls recordingSource, for what no command line shows: that a source can be read again.
func Recordings(c *cobra.Command, files []string, again bool) (contract.Source, func(), error) {
	return recordingSource(c, files, again)
}

// WatchTrials calls watchTrials.
func WatchTrials(w io.Writer, build contract.BuildLearned) (contract.BuildLearned, func()) {
	return watchTrials(w, build)
}

// Help returns what understudy says with some arguments and --help.
func Help(args ...string) (string, error) {
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs(append(args, "--help"))
	root.SetOut(&out)
	err := root.Execute()
	return out.String(), err
}

// Commands returns the arguments of every command, in the order in which understudy --help lists them.
var Commands = sync.OnceValue(listCommands)

func listCommands() [][]string {
	var list [][]string
	var add func(c *cobra.Command, path []string)
	add = func(c *cobra.Command, path []string) {
		list = append(list, path)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				add(sub, append(slices.Clone(path), sub.Name()))
			}
		}
	}
	add(newRoot(), nil)
	return list
}

// ServeFlags returns the values with which serve would run: by its arguments, the environment and the configuration.
func ServeFlags(args ...string) (map[string]string, error) {
	values := map[string]string{}
	root := newRoot()
	root.SetErr(io.Discard)
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		return nil, err
	}
	serve.RunE = func(c *cobra.Command, _ []string) error {
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			if values[flag.Name] = flag.Value.String(); isList(flag) {
				values[flag.Name] = strings.Join(valuesOf(c, flag.Name), " ")
			}
		})
		return nil
	}
	root.SetArgs(append([]string{"serve"}, args...))
	err = root.ExecuteContext(context.Background())
	return values, err
}

// ServeSetting holds the names of one setting of serve.
type ServeSetting struct{ Flag, Setting, Variable string }

// ServeSettings lists the flags of serve with their names in the configuration and in the environment.
func ServeSettings() (list []ServeSetting) {
	newServe().LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "help" {
			list = append(list, ServeSetting{flag.Name, settingName(flag.Name), variableName(flag.Name)})
		}
	})
	return list
}

// Run runs a command until its flags are parsed and checked.
func Run(args ...string) error {
	root := newRoot()
	c, _, err := root.Find(args)
	if err != nil {
		return err
	}
	c.Args, c.RunE = nil, func(*cobra.Command, []string) error { return nil }
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	return root.Execute()
}

// TextFlags lists the flags of a command whose values are texts; TypedFlags the others that take a value.
func TextFlags(path ...string) []string {
	return flagsOf(path, func(kind string) bool { return strings.HasPrefix(kind, "string") })
}

// TypedFlags lists the flags of a command whose values cannot be any text.
func TypedFlags(path ...string) []string {
	return flagsOf(path, func(kind string) bool { return !strings.HasPrefix(kind, "string") })
}

func flagsOf(path []string, of func(kind string) bool) (names []string) {
	c, _, err := newRoot().Find(path)
	if err != nil {
		panic(err)
	}
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if of(flag.Value.Type()) && flag.Name != "help" {
			names = append(names, flag.Name)
		}
	})
	return names
}
