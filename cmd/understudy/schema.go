package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/fixtures"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/source"
)

// published returns the JSON Schemas of the files that understudy reads and writes.
func published() []publishedSchema {
	return []publishedSchema{
		{"config", "the configuration, " + configName, configSchema},
		{"report", "the output of understudy check --format json", report.JSONSchema},
		{"recording", "a line of a recording in NDJSON", recording.JSONSchema},
		{"baseline", "accepted findings", contract.BaselineSchema},
		{"fixture", "resources that a world starts with", string(fixtures.SchemaText())},
		{"scenario", "a world to start with, made of fixtures", string(scenarios.BundledSchema())},
	}
}

type publishedSchema struct{ name, about, text string }

func newSchema() *cobra.Command {
	var names []string
	for _, s := range published() {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "List the JSON Schemas of files that understudy reads and writes, or print one",
		Long: `List the JSON Schemas, draft 2020-12, of the files that understudy reads and writes,
or print one, for editors that complete such files and for programs that read them.
Each is in one piece.`,
		Example: `  understudy schema report > report.schema.json

  # For an editor with a YAML language server, such as VS Code's extension YAML: print
  # it beside your scenarios, and begin each of them with the second line
  understudy schema scenario > scenario.schema.json
  # yaml-language-server: $schema=scenario.schema.json`,
		Args: cobra.MaximumNArgs(1), ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
				for _, s := range published() {
					fmt.Fprintf(t, "%s\t%s\n", s.name, s.about)
				}
				return t.Flush()
			}
			for _, s := range published() {
				if s.name == args[0] {
					_, err := io.WriteString(c.OutOrStdout(), strings.TrimSuffix(s.text, "\n")+"\n")
					return err
				}
			}
			return fmt.Errorf("unknown schema %q; want %s", args[0], source.OneOf(args[0], names))
		},
	}
}
