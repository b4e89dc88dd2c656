package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/capture"
	"svc.example/understudy/specs"
)

type checkFlags struct {
	bases    *pairs
	specs    *pairs
	format   *choice
	output   string
	trust    *choice
	disputed *choice
	brand    string
}

func newCheck() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check recorded traffic against the interfaces' documents and rules",
		Long: `Check recorded traffic: each exchange against the document of its interface, and
all of them against the rules that hold between exchanges, such as that a pool
which a rule references cannot be deleted.

A FILE is an HTTP Archive (HAR 1.2) or NDJSON as written by serve --record; which
of them, its content tells. - is standard input. Several files are read as one
recording, in the order given.

Addresses of a local mock and https://INTERFACE.svc.example are known; say with
--base where an interface was when the traffic was recorded somewhere else.

Exit code 0: conforms. 1: there are violations. 2: could not judge, because the
input is bad or nothing in it belongs to an interface.`,
		Example: `  understudy check traffic.har
  understudy check --base workflow=https://workflow.example.com traffic.har
  curl -s http://127.0.0.1:4010/_understudy/journal.ndjson | understudy check --format json -
  understudy check --trust assumed --disputed fail --output report.txt monday.har tuesday.ndjson`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("want the file of a recording, or - for standard input; see %s --help", c.CommandPath())
			}
			return nil
		},
		RunE: f.run,
	}
	f.bases = give(c, "base", "the base address of an interface in the recording (repeatable)",
		pairs{what: "URL", many: true})
	f.specs = give(c, "spec", "an OpenAPI document of your own for an interface (repeatable)", pairs{what: "FILE"})
	f.format = choose(c, "format", "how to write the report", choice{
		word: "text", words: []string{"text", "json"},
		planned: []string{"junit", "sarif", "github", "html", "markdown"},
	})
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	f.trust = choose(c, "trust", "the least sure source from which a deviation is an error", choice{
		word:  string(specs.Public),
		words: []string{string(specs.Documented), string(specs.Public), string(specs.Client), string(specs.Assumed)},
	})
	f.disputed = choose(c, "disputed", "what to do with findings on which the two judges differ", words("report", "fail"))
	addBrand(c, &f.brand)
	return c
}

func (f *checkFlags) run(c *cobra.Command, files []string) error {
	opts, err := f.options()
	if err != nil {
		return err
	}
	checker, err := contract.NewChecker(opts...)
	if err != nil {
		return err
	}
	report, err := checker.Check(c.Context(), recordings(files, c.InOrStdin()))
	err = explain(err, report)
	if report.Exchanges.Read > 0 {
		err = errors.Join(err, f.write(c.OutOrStdout(), report))
	}
	if err == nil && report.Failed() {
		return &exitError{exitViolations, errors.New(report.Outcome())}
	}
	return err
}

func (f *checkFlags) options() ([]contract.Option, error) {
	brand, err := specs.ParseBrand(f.brand)
	if err != nil {
		return nil, err
	}
	opts := []contract.Option{
		contract.WithBrand(brand),
		contract.WithTrust(specs.Provenance(f.trust.word)),
		contract.WithDisputed(f.disputed.word == "fail"),
	}
	for _, base := range f.bases.list {
		opts = append(opts, contract.WithBase(base[0], base[1]))
	}
	for _, spec := range f.specs.list {
		opts = append(opts, contract.WithSpec(spec[0], spec[1]))
	}
	return opts, nil
}

func (f *checkFlags) write(stdout io.Writer, r *contract.Report) error {
	if f.output == "" {
		return f.print(stdout, r)
	}
	file, err := os.Create(f.output)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return errors.Join(f.print(file, r), file.Close())
}

func (f *checkFlags) print(w io.Writer, r *contract.Report) error {
	if f.format.word == "json" {
		return r.WriteJSON(w)
	}
	return r.WriteText(w)
}

// recordings reads files as one recording, in which exchanges are numbered through. The name - is standard input.
func recordings(files []string, stdin io.Reader) contract.Source {
	return func(yield func(capture.Record, error) bool) {
		number := 0
		for _, file := range files {
			one := contract.Files(file)
			if file == "-" {
				one = contract.Read("standard input", stdin)
			}
			for record, err := range one {
				if err == nil {
					number++
					record.Number = number
				}
				if !yield(record, err) {
					return
				}
			}
		}
	}
}

// explain adds what to do about it to the error of a check.
func explain(err error, r *contract.Report) error {
	if !errors.Is(err, contract.ErrNothingMatched) || r.Exchanges.Read == 0 {
		return err
	}
	return fmt.Errorf("%w; say where the interfaces were with --base NAME=URL, as in --base %s=https://%[2]s.example.com",
		err, specs.Workflow)
}
