package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/contract/specdiff"
	"svc.example/understudy/contract/suggest"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
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
		fmt.Fprintf(c.ErrOrStderr(), "understudy: %s:%d: %s is not taken as it is written: %s\n",
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
	if err := wantRecordings(c, files); err != nil {
		return err
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

type specDiffFlags struct {
	bases    *checkflags.Pairs
	rewrites checkflags.Rewrites
	specs    checkflags.Pairs
	format   *checkflags.Choice
	unused   *checkflags.Choice
	output   string
	shapes   []string
	stories  []string
	brand    string
}

func newSpecDiff() *cobra.Command {
	var f specDiffFlags
	c := &cobra.Command{
		Use:   "diff OLD NEW [RECORDING...]",
		Short: "List what changed between two documents, and who uses what changed",
		Long: `Compare two OpenAPI documents of one interface: list the changes that break clients of
the old one, those that may, and all others.

OLD and NEW are files, as in openapi.yaml or shop=openapi.yaml, or names of interfaces,
as in core: then the document is ours, or the one that --spec or understudy.yaml gives.

With recordings of clients of the old document, the report says of each change in how
many exchanges it shows, and by how many callers: who called the operation, sent the
parameter, got the property, or sent what the new document refuses. A caller is a key,
or a User-Agent where there is none. A recording shows what an answer had, not what its
client read.

--shapes and --story add which snapshots of shapes and which stories fit the old
document and not the new one. A story is played on a mock of each of them.

Exit code 0: nothing breaks. 1: a breaking change is used, or might be without
recordings, or a snapshot or a story breaks; with --unused fail, any breaking change. 2:
a document or a recording cannot be read, or no exchange belongs to OLD.`,
		Example: `  understudy spec diff openapi.yaml next.yaml
  understudy spec diff shop=openapi.yaml shop=next.yaml --format markdown 'recordings/**/*.har'

  # Your own version of an interface of ours
  understudy spec diff core core=core.yaml --base core=https://core.example.com/v3 traffic.ndjson

  # The document of the main branch and that of this one
  git show origin/main:openapi.yaml > old.yaml
  understudy spec diff old.yaml openapi.yaml --shapes . --story stories/order.txtar`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("want two documents, as in: understudy spec diff old.yaml new.yaml")
			}
			return nil
		},
		RunE: f.run,
	}
	f.bases = addPairsFlag(c, "base", "the base address of the interface in the recording (repeatable)",
		checkflags.Pairs{What: "URL", Many: true})
	f.rewrites.Add(c.Flags())
	checkflags.AddSpecs(c.Flags(), &f.specs)
	f.format = addEnumFlag(c, "format", "the output format", checkflags.ChoiceOf("text", "markdown", "json"))
	f.unused = addEnumFlag(c, "unused", "what to do with breaking changes that no recording shows to be used",
		checkflags.ChoiceOf("report", "fail"))
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	c.Flags().StringArrayVar(&f.shapes, "shapes", nil, "list the snapshots of shapes below `DIR` that break (repeatable)")
	c.Flags().StringArrayVar(&f.stories, "story", nil,
		"list the `STORY` if it breaks: a file, a folder, or the name of a scenario (repeatable)")
	checkflags.AddBrand(c.Flags(), &f.brand)
	return c
}

// diffedDocument is a document as an argument gives it.
type diffedDocument struct {
	argument string
	name     specs.Interface // empty: that of the other one
	file     string          // empty: the document that there is of the name
}

func (f *specDiffFlags) documents(args []string) (old, changed diffedDocument, err error) {
	set, err := f.specs.Documents(nil, f.brand)
	if err != nil {
		return old, changed, err
	}
	read := func(argument string) diffedDocument {
		name, file, isNamed := checkflags.SplitOverlay(argument)
		switch {
		case isNamed && specs.CheckName(specs.Interface(name)) == nil:
			return diffedDocument{argument, specs.Interface(name), file}
		case slices.Contains(set.Names(), specs.Interface(argument)):
			return diffedDocument{argument, specs.Interface(argument), set.Files[specs.Interface(argument)]}
		}
		return diffedDocument{argument, "", argument}
	}
	old, changed = read(args[0]), read(args[1])
	name := cmp.Or(old.name, changed.name, "api")
	old.name, changed.name = cmp.Or(old.name, name), cmp.Or(changed.name, name)
	if old.name != changed.name {
		err = fmt.Errorf("%s and %s are of two interfaces: want two documents of one", old.argument, changed.argument)
	}
	return old, changed, err
}

func (f *specDiffFlags) run(c *cobra.Command, args []string) error {
	old, changed, err := f.documents(args)
	if err != nil {
		return err
	}
	if f.output != "" {
		written, read := []checkflags.File{{Path: f.output, As: "--output " + f.output}}, f.specs.Files()
		for _, file := range args {
			read = append(read, checkflags.File{Path: file, As: file})
		}
		if err := checkflags.CheckOverwrites(written, read); err != nil {
			return err
		}
	}
	r, err := f.compare(c, old, changed, args[2:])
	if err != nil {
		return err
	}
	err = errors.Join(f.addShapes(r, old, changed), f.addStories(c, r, old, changed))
	if err != nil {
		return err
	}
	if err := f.write(c, r); err != nil {
		return err
	}
	used, unused := r.Breaking()
	switch {
	case used > 0, unused > 0 && f.unused.Word == "fail", len(r.Shapes)+len(r.Stories) > 0:
		return &exitError{exitViolations, errors.New(r.Outcome())}
	}
	return nil
}

func (f *specDiffFlags) compare(c *cobra.Command, old, changed diffedDocument, files []string) (
	*specdiff.Report, error,
) {
	opts := append(f.options(old), contract.WithGuess(true), contract.WithInterfaces(old.name))
	for _, base := range f.bases.List {
		opts = append(opts, contract.WithBaseURL(specs.Interface(base[0]), base[1]))
	}
	checker, err := contract.NewChecker(append(opts, f.rewrites.Options()...)...)
	if err != nil {
		return nil, err
	}
	var source contract.Source
	if len(files) > 0 {
		recordings, done, err := recordingSource(c, files, false)
		if err != nil {
			return nil, err
		}
		defer done()
		source = recordings
	}
	r, err := checker.SpecDiff(c.Context(), source, f.options(changed)...)
	if err != nil {
		return nil, err
	}
	r.Old, r.New = old.argument, changed.argument
	return r, nil
}

// options returns the options of a checker for a document.
func (f *specDiffFlags) options(d diffedDocument) []contract.Option {
	opts := []contract.Option{contract.WithBrand(specs.Brand(f.brand))}
	if d.file != "" {
		opts = append(opts, contract.WithSpec(d.name, d.file))
	}
	for _, overlay := range f.overlays(d) {
		opts = append(opts, contract.WithOverlay(d.name, overlay))
	}
	return opts
}

// overlays lists the overlays that change a document.
func (f *specDiffFlags) overlays(d diffedDocument) (files []string) {
	for _, pair := range f.specs.Overlays {
		if pair[0] == "" || pair[0] == string(d.name) {
			files = append(files, pair[1])
		}
	}
	return files
}

// addShapes adds the snapshots that only the old document fits.
func (f *specDiffFlags) addShapes(r *specdiff.Report, old, changed diffedDocument) error {
	if len(f.shapes) == 0 {
		return nil
	}
	before, err := contract.Shapes(f.shapes, f.options(old)...)
	if err != nil {
		return err
	}
	after, err := contract.Shapes(f.shapes, f.options(changed)...)
	if err != nil {
		return err
	}
	for i, s := range after {
		for _, b := range s.Breaks {
			if !slices.Contains(before[i].Breaks, b) && strings.HasPrefix(s.Operation, string(old.name)+".") {
				r.Shapes = append(r.Shapes, specdiff.Broken{File: s.File, Operation: s.Operation, Reason: b.Path + " " + b.Reason})
			}
		}
	}
	return nil
}

// addStories adds the stories that play on a mock of the old document alone.
func (f *specDiffFlags) addStories(c *cobra.Command, r *specdiff.Report, old, changed diffedDocument) error {
	for _, name := range f.stories {
		reason, err := f.play(c, name, old)
		if err != nil || reason != "" {
			return errors.Join(err, fmt.Errorf("%s: does not play by %s: %s", name, old.argument, reason))
		}
		if reason, err = f.play(c, name, changed); err != nil {
			return err
		}
		if reason != "" {
			r.Stories = append(r.Stories, specdiff.Broken{File: name, Reason: reason})
		}
	}
	return nil
}

// play plays a story on a mock of a document, and returns where it is answered otherwise than it wants.
func (f *specDiffFlags) play(c *cobra.Command, name string, d diffedDocument) (reason string, err error) {
	brand, err := specs.ParseBrand(f.brand)
	if err != nil {
		return "", err
	}
	p, scenario, err := findStory(name, scenarios.Library{}, brand)
	if err != nil {
		return "", err
	}
	if folder := filepath.Dir(p.File); scenario == "" {
		if _, err := os.Stat(filepath.Join(folder, "scenario.yaml")); err == nil {
			scenario = folder
		}
	}
	opts := []mockserver.Option{
		mockserver.WithBrand(brand), mockserver.WithClock(mockserver.ClockFrozen), mockserver.WithQueryEngine(sqlite.New()),
	}
	if scenario != "" {
		opts = append(opts, mockserver.WithScenario(scenario))
	}
	p.Server.Brand, p.Server.Specs = brand, &specs.Set{Files: map[specs.Interface]string{}, Brand: brand}
	if d.file != "" {
		opts, p.Server.Specs.Files[d.name] = append(opts, mockserver.WithSpec(d.name, d.file)), d.file
	}
	for _, overlay := range f.overlays(d) {
		opts = append(opts, mockserver.WithOverlay(d.name, overlay))
	}
	server, err := mockserver.New(opts...)
	if err != nil {
		return "", err
	}
	defer func() { _ = server.Close() }()
	p.Server.Handler = server
	result, err := p.Run(c.Context())
	if err != nil {
		return fmt.Sprintf("%s: %v", p.File, err), nil
	}
	if result.Difference == nil {
		return "", nil
	}
	return fmt.Sprintf("line %d: %s: %s", result.Difference.Line, result.Difference.Step, result.Difference.Reason), nil
}

func (f *specDiffFlags) write(c *cobra.Command, r *specdiff.Report) error {
	write := r.WriteText
	switch f.format.Word {
	case "markdown":
		write = r.WriteMarkdown
	case "json":
		write = r.WriteJSON
	}
	if f.output != "" {
		return checkflags.WriteFile(f.output, write)
	}
	return write(report.LogWriter(c.OutOrStdout()))
}
