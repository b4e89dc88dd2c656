package main

import (
	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
)

// Main is main, for tests that run it as a process of its own.
func Main() { main() }

// Recordings is recordings, for what no command line shows: that a source can be read again.
func Recordings(c *cobra.Command, files []string, again bool) (contract.Source, func(), error) {
	return recordings(c, files, again)
}
