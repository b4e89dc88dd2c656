package main

import (
	"bytes"
	"context"
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
