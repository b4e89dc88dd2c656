package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/suggest"
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
	c.AddCommand(newSpecResources(), newSpecSuggest(), newSpecDiff())
	return c
}

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
		documents, err := f.specs.Documents(nil, f.brand)
		if err != nil {
			return err
		}
		if err := documents.Check(specs.Interface(f.iface)); err != nil {
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
	read = append(read, f.specs.Files()...)
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
	opts = append(opts, checkflags.Documents(&f.specs, contract.WithSpec, contract.WithOverlay)...)
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
