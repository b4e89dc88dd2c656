package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/contract/specdiff"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
)

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
