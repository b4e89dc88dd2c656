package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"svc.example/understudy/specs"
)

func newSpecResources() *cobra.Command {
	var name string
	var overlays []string
	c := &cobra.Command{
		Use:   "resources FILE",
		Short: "Print what a document says of its resources, or what is inferred of it",
		Long: `Print the resources of an OpenAPI document of your own, as serve --spec NAME=FILE and
check --spec NAME=FILE understand them: what they are called, which parameters and
members name one, of what they are parts, and which operation lists, gets, creates,
updates or deletes them.

Where the document says nothing of resources, they are inferred of its paths and
schemas. The output is an OpenAPI Overlay 1.0, as YAML. To correct it, change the
extensions x-resources and x-resource in it, and give the file to the other commands as
--overlay NAME=FILE: then nothing is inferred any more, and mistakes are reported with file
and line. If the document has the extensions already, the output repeats them.`,
		Example: `  understudy spec resources openapi.yaml
  understudy spec resources openapi.yaml > resources.yaml
  understudy serve --spec shop=openapi.yaml --overlay resources.yaml`,
		Args: exactArgs(1, "the file of one OpenAPI document"),
		RunE: func(c *cobra.Command, args []string) error {
			return printResources(c, specs.Interface(name), args[0], overlays)
		},
	}
	c.Flags().StringVar(&name, "interface", "api",
		"read the document as that of the interface `NAME`, as in --spec NAME=FILE")
	c.Flags().StringArrayVar(&overlays, "overlay", nil,
		"an OpenAPI Overlay 1.0 that changes the document first, such as a `FILE` that this command wrote (repeatable)")
	return c
}

func printResources(c *cobra.Command, name specs.Interface, file string, overlays []string) error {
	if err := specs.CheckName(name); err != nil {
		return err
	}
	doc, err := specs.LoadFile(name, file, specs.Neutral, overlays...)
	if err != nil {
		return err
	}
	for _, ignored := range doc.Ignored {
		fmt.Fprintf(c.ErrOrStderr(), "understudy: %s:%d: %s is left out: %s\n",
			cmp.Or(ignored.File, file), ignored.Line, ignored.Pointer, ignored.Reason)
	}
	text, err := doc.ResourcesOverlay()
	if err != nil {
		return err
	}
	if text == nil {
		fmt.Fprintf(c.ErrOrStderr(), "understudy: %s has no resources: no path that ends in a parameter shows an object "+
			"that a POST or PUT makes\n", file)
		return nil
	}
	_, err = c.OutOrStdout().Write(text)
	return err
}
