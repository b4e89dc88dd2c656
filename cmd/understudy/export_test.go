package main

import (
	"bytes"
	"slices"

	"github.com/spf13/cobra"

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
func Commands() [][]string {
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
