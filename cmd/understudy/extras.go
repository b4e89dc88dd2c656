package main

import "github.com/spf13/cobra"

// allExtras is the word of --extras for having them.
const allExtras = "all"

func chooseExtras(c *cobra.Command) *choice {
	return addEnumFlag(c, "extras", "which of the extras, which clients call beside the documented operations, to include",
		words(allExtras, "none"))
}
