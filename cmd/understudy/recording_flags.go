package main

import (
	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs"
)

// recordingFlags say what is in a recording, and where.
type recordingFlags struct {
	bases    *pairs
	rewrites *rewrites
	specs    *pairs
	extras   *choice
	guess    bool
	brand    string

	ignoredHosts []string
	ignoredPaths []string
}

func (f *recordingFlags) add(c *cobra.Command) {
	f.bases = addPairsFlag(c, "base", "the base address of an interface in the recording (repeatable)",
		pairs{what: "URL", many: true})
	f.rewrites = addRewriteFlag(c)
	c.Flags().BoolVar(&f.guess, "guess", true, "guess the addresses of interfaces without --base")
	f.specs = addPairsFlag(c, "spec", "an OpenAPI document of your own for an interface (repeatable)", pairs{what: "FILE"})
	f.extras = addExtrasFlag(c)
	c.Flags().StringArrayVar(&f.ignoredHosts, "ignore-host", nil,
		"ignore exchanges with hosts like `PATTERN`, such as *.cdn.example.com (repeatable)")
	c.Flags().StringArrayVar(&f.ignoredPaths, "ignore-path", nil,
		"ignore exchanges with paths like `PATTERN`, such as /assets/** (repeatable)")
	addBrandFlag(c, &f.brand)
}

func (f *recordingFlags) options() ([]contract.Option, error) {
	brand, err := specs.ParseBrand(f.brand)
	if err != nil {
		return nil, err
	}
	opts := []contract.Option{
		contract.WithBrand(brand),
		contract.WithGuess(f.guess),
		contract.WithExtras(f.extras.word == allExtras),
		contract.WithIgnoredHosts(f.ignoredHosts...),
		contract.WithIgnoredPaths(f.ignoredPaths...),
	}
	for _, base := range f.bases.list {
		opts = append(opts, contract.WithBaseURL(specs.Interface(base[0]), base[1]))
	}
	opts = append(opts, f.rewrites.options()...)
	for _, spec := range f.specs.list {
		opts = append(opts, contract.WithSpec(specs.Interface(spec[0]), spec[1]))
	}
	return opts, nil
}

// files lists the recordings and the documents that are read.
func (f *recordingFlags) files(recordings []string) (read []namedFile) {
	for _, path := range recordings {
		read = append(read, namedFile{path, "the recording " + path})
	}
	for _, spec := range f.specs.list {
		read = append(read, namedFile{spec[1], "the document " + spec[1]})
	}
	return read
}
