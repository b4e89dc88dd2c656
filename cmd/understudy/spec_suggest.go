package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/suggest"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs"
)

type suggestFlags struct {
	bases    *checkflags.Pairs
	rewrites checkflags.Rewrites
	specs    checkflags.Pairs
	format   *checkflags.Choice
	iface    string
	output   string
	json     bool
	brand    string
}

func newSpecSuggest() *cobra.Command {
	var f suggestFlags
	c := &cobra.Command{
		Use:   "suggest FILE...",
		Short: "Suggest a patch with what recordings show and a document lacks",
		Long: `Compare recordings with the document of an interface, ours or your own, and write a
patch with what the document lacks: operations, statuses, media types, query
parameters and fields of bodies, with their types as far as the values show them,
how often each was seen (x-seen), and examples without secrets.

Review the patch before you apply it: a value that was only seen as an integer may be
any number, and a field that was always present may be optional.

The patch is an OpenAPI Overlay 1.0, or a JSON Merge Patch (RFC 7396), as YAML, or as
JSON with --json or a name that ends in .json.`,
		Example: `  understudy spec suggest traffic.har > overlay.yaml
  understudy spec suggest --spec workflow=workflow.yaml --format merge-patch -o patch.json recordings`,
		RunE: f.run,
	}
	f.bases = addPairsFlag(c, "base", "the base address of an interface in the recording (repeatable)",
		checkflags.Pairs{What: "URL", Many: true})
	f.rewrites.Add(c.Flags())
	checkflags.AddSpecs(c.Flags(), &f.specs)
	f.format = addEnumFlag(c, "format", "the kind of patch to write", checkflags.ChoiceOf("overlay", "merge-patch"))
	c.Flags().StringVar(&f.iface, "interface", "", "suggest for the document of the interface `NAME` only")
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the patch to `FILE` instead of standard output")
	c.Flags().BoolVar(&f.json, "json", false, "write JSON instead of YAML")
	checkflags.AddBrand(c.Flags(), &f.brand)
	return c
}

func (f *suggestFlags) run(c *cobra.Command, files []string) error {
	if len(files) == 0 {
		return fmt.Errorf("want the file of a recording, a folder or a glob, or - for standard input; see %s --help",
			c.CommandPath())
	}
	if f.iface != "" {
		if err := specs.SetOf(f.specs.List, nil, specs.Neutral).Check(specs.Interface(f.iface)); err != nil {
			return err
		}
	}
	opts, err := f.options()
	if err != nil {
		return err
	}
	if err := checkflags.CheckOverwrites(f.files(files)); err != nil {
		return err
	}
	checker, err := contract.NewChecker(opts...)
	if err != nil {
		return err
	}
	source, done, err := recordingSource(c, files, false)
	if err != nil {
		return err
	}
	defer done()
	patches, err := checker.Suggest(c.Context(), source)
	if err != nil {
		return err
	}
	p, err := f.choose(patches)
	if errors.Is(err, suggest.ErrNothing) {
		fmt.Fprintln(c.ErrOrStderr(), "understudy:", err)
		return nil
	}
	if err != nil {
		return err
	}
	return f.write(c, p)
}

func (f *suggestFlags) files(recordings []string) (written, read []checkflags.File) {
	for _, path := range recordings {
		read = append(read, checkflags.File{Path: path, As: "the recording " + path})
	}
	for _, spec := range f.specs.List {
		read = append(read, checkflags.File{Path: spec[1], As: "the document " + spec[1]})
	}
	if f.output != "" {
		written = []checkflags.File{{Path: f.output, As: "--output " + f.output}}
	}
	return written, read
}

func (f *suggestFlags) options() ([]contract.Option, error) {
	brand, err := specs.ParseBrand(f.brand)
	if err != nil {
		return nil, err
	}
	opts := []contract.Option{contract.WithBrand(brand), contract.WithGuess(true)}
	for _, base := range f.bases.List {
		opts = append(opts, contract.WithBaseURL(specs.Interface(base[0]), base[1]))
	}
	opts = append(opts, f.rewrites.Options()...)
	for _, spec := range f.specs.List {
		opts = append(opts, contract.WithSpec(specs.Interface(spec[0]), spec[1]))
	}
	return opts, nil
}

// choose returns the one patch that is wanted.
func (f *suggestFlags) choose(patches []*suggest.Patch) (*suggest.Patch, error) {
	var chosen *suggest.Patch
	var names []string
	for _, p := range patches {
		if f.iface == "" || f.iface == string(p.Interface) {
			chosen, names = p, append(names, string(p.Interface))
		}
	}
	switch {
	case len(names) > 1:
		return nil, fmt.Errorf("there are suggestions for %s: choose one with --interface", strings.Join(names, " and "))
	case chosen == nil || chosen.Additions == 0:
		return nil, suggest.ErrNothing
	}
	return chosen, nil
}

func (f *suggestFlags) write(c *cobra.Command, p *suggest.Patch) error {
	patch := p.Overlay
	if f.format.Word == "merge-patch" {
		patch = p.MergePatch
	}
	text, err := suggest.Write(patch(), f.json || strings.EqualFold(filepath.Ext(f.output), ".json"))
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { _, err := w.Write(text); return err }
	if f.output == "" {
		err = write(c.OutOrStdout())
	} else {
		err = checkflags.WriteFile(f.output, write)
	}
	if left := p.LeftOut(); left != "" {
		fmt.Fprintf(c.ErrOrStderr(),
			"understudy: left out: %s; they do not fit in the patch, may be secret, or cannot be shown\n", left)
	}
	return err
}
