package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs"
)

type shapesFlags struct {
	specs  checkflags.Pairs
	format *checkflags.Choice
	brand  string
}

func newShapes() *cobra.Command {
	var f shapesFlags
	c := &cobra.Command{
		Use:   "shapes DIR...",
		Short: "Find the snapshots of shapes that a changed document would break",
		Long: `Compare snapshots of response shapes, which MatchShape writes in Go tests, with the
interfaces' documents: find those that have fields which are no longer documented,
lack fields which are now required, have types which are not allowed, or would be
written differently because a format or the values of an enumeration changed.

With --spec, compare them with your own document, to see what a new version breaks
before your tests do. Folders are searched recursively.

Exit code 0: all of them match. 1: some would break. 2: none were found, or they
cannot be read.`,
		Example: `  understudy shapes --spec workflow=workflow-next.yaml .`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("want the folder of snapshots, such as testdata/shapes; see %s --help", c.CommandPath())
			}
			return nil
		},
		RunE: f.run,
	}
	checkflags.AddSpecs(c.Flags(), &f.specs)
	f.format = addEnumFlag(c, "format", "the output format", checkflags.ChoiceOf("text", "json"))
	checkflags.AddBrand(c.Flags(), &f.brand)
	return c
}

func (f *shapesFlags) run(c *cobra.Command, dirs []string) error {
	brand, err := specs.ParseBrand(f.brand)
	if err != nil {
		return err
	}
	opts := []contract.Option{contract.WithBrand(brand)}
	opts = append(opts, checkflags.Documents(&f.specs, contract.WithSpec, contract.WithOverlay)...)
	shapes, err := contract.Shapes(dirs, opts...)
	if err != nil {
		return err
	}
	out := report.LogWriter(c.OutOrStdout())
	if f.format.Word == "json" {
		err = writeIndented(out, shapes)
	} else {
		writeShapes(out, shapes)
	}
	broken := brokenShapes(shapes)
	if err == nil && broken > 0 {
		err = &exitError{exitViolations, errors.New(shapesOutcome(broken, len(shapes)))}
	}
	return err
}

func brokenShapes(shapes []contract.Shape) (n int) {
	for _, s := range shapes {
		n += min(1, len(s.Breaks))
	}
	return n
}

func shapesOutcome(broken, all int) string {
	return fmt.Sprintf("%d of %d snapshots do not match the documents", broken, all)
}

// writeShapes writes the snapshots that do not match, with the reasons, and how many there are.
func writeShapes(w io.Writer, shapes []contract.Shape) {
	for _, s := range shapes {
		if len(s.Breaks) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\n", s.File)
		for _, b := range s.Breaks {
			fmt.Fprintf(w, "  %s %s\n", b.Path, b.Reason)
		}
	}
	if broken := brokenShapes(shapes); broken > 0 {
		fmt.Fprintf(w, "\n%s\n", shapesOutcome(broken, len(shapes)))
		return
	}
	fmt.Fprintf(w, "all of %d snapshots match the documents\n", len(shapes))
}
