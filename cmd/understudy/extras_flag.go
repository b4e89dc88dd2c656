package main

import "github.com/spf13/cobra"

// allExtras is the value of --extras that includes them.
const allExtras = "all"

func addExtrasFlag(c *cobra.Command) *choice {
	return addEnumFlag(c, "extras", "which of the extras, which clients call beside the documented operations, to include",
		choiceOf(allExtras, "none"))
}
