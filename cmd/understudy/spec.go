package main

import (
	"slices"

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
	var documents checkflags.Pairs
	c := &cobra.Command{
		Use:   "spec INTERFACE",
		Short: "Print the OpenAPI document of an interface",
		Long: `Print the OpenAPI 3.0 document of an interface, of the mock's own control interface,
or of the extras of an interface, as YAML. With --brand, exact identifiers in it carry
your word. With --spec it is your own document, and as overlays change it.`,
		Example: `  understudy spec workflow > workflow.yaml
  understudy spec workflow --brand ACME | grep ACME1
  understudy spec shop --spec shop=openapi.yaml --overlay resources.yaml
  understudy spec control
  understudy spec extras/core`,
		ValidArgs: names,
		Args:      exactArgs(1, "the name of one interface"),
		RunE: func(c *cobra.Command, args []string) error {
			set, err := documents.Documents(nil, word)
			if err != nil {
				return err
			}
			for _, name := range specs.NamesOf(set.Names()) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			if err := checkflags.KnownInterface(args[0], names); err != nil {
				return err
			}
			brand, err := specs.ParseBrand(word)
			if err != nil {
				return err
			}
			name := specs.Interface(args[0])
			text, err := specs.Source(name, brand)
			if set.Files[name] != "" {
				var document *specs.Document
				if document, err = set.Load(name); err == nil {
					text, err = document.Text()
				}
			}
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(text)
			return err
		},
	}
	checkflags.AddSpecs(c.Flags(), &documents)
	checkflags.AddBrand(c.Flags(), &word)
	c.AddCommand(newSpecResources(), newSpecSuggest())
	return c
}
