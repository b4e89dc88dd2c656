package main

import "github.com/spf13/cobra"

// defaultHistory is the number of exchanges before which a world of serve can be forked.
const defaultHistory = 1000

func addHistoryFlag(c *cobra.Command, exchanges *int) {
	c.Flags().IntVar(exchanges, "history", defaultHistory,
		"keep each world as it was before its last `NUMBER` of exchanges, to fork it from there; 0 for none")
}
