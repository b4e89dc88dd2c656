package main

import (
	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs"
)

func newSpec() *cobra.Command {
	names := append(specs.InterfaceNames(), specs.Control)
	for _, name := range specs.Extras() {
		names = append(names, string(name))
	}
	var word string
	c := &cobra.Command{
		Use:   "spec INTERFACE",
		Short: "Print the OpenAPI document of an interface",
		Long: `Print the OpenAPI 3.0 document of an interface, of the mock's own control interface,
or of the extras of an interface, as YAML. With --brand, exact identifiers in it carry
your word.`,
		Example: `  understudy spec workflow > workflow.yaml
  understudy spec workflow --brand ACME | grep ACME1
  understudy spec control
  understudy spec extras/core`,
		ValidArgs: names,
		Args:      exactArgs(1, "the name of one interface"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkflags.KnownInterface(args[0], names); err != nil {
				return err
			}
			brand, err := specs.ParseBrand(word)
			if err != nil {
				return err
			}
			document, err := specs.Source(specs.Interface(args[0]), brand)
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(document)
			return err
		},
	}
	checkflags.AddBrand(c.Flags(), &word)
	c.AddCommand(newSpecResources(), newSpecSuggest())
	return c
}
