package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs/source"
)

func newRules() *cobra.Command {
	var format *checkflags.Choice
	c := &cobra.Command{
		Use:   "rules [NAME]",
		Short: "List the rules that check applies, or show one",
		Long: `List the rules that understudy check applies to recorded traffic, or show one in full:
what must hold, what it checks, how certain its source is, what counts as a violation,
what makes it inconclusive, and what looks like a violation but is not.

The source is that of the least certain part of the rule: documented by the platform,
public, known from client code, or assumed. Each finding shows its own source.`,
		Example: `  understudy rules
  understudy rules pool-deletion
  understudy rules --format json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("want the name of one rule, or none; see %s --help", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return contract.Rules(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return showRule(c.OutOrStdout(), args[0], format.Word)
			}
			if format.Word == "json" {
				return writeIndented(c.OutOrStdout(), contract.RuleDocs())
			}
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, doc := range contract.RuleDocs() {
				fmt.Fprintf(t, "%s\t%s\t%s\n", doc.ID, doc.Provenance, doc.Title)
			}
			return t.Flush()
		},
	}
	format = addEnumFlag(c, "format", "the output format", checkflags.ChoiceOf("text", "json"))
	c.AddCommand(newRulesShow())
	return c
}

func newRulesShow() *cobra.Command {
	var format *checkflags.Choice
	c := &cobra.Command{
		Use:     "show NAME",
		Short:   "Show a rule in full",
		Example: `  understudy rules show use-after-delete`,
		Args:    exactArgs(1, "the name of one rule"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return contract.Rules(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return showRule(c.OutOrStdout(), args[0], format.Word) },
	}
	format = addEnumFlag(c, "format", "the output format", checkflags.ChoiceOf("text", "json"))
	return c
}

func showRule(w io.Writer, name, format string) error {
	docs := contract.RuleDocs()
	i := slices.IndexFunc(docs, func(doc report.RuleDoc) bool { return doc.ID == name })
	if i < 0 {
		return fmt.Errorf("unknown rule %q; want %s", name, source.OneOf(name, contract.Rules()))
	}
	if format == "json" {
		return writeIndented(w, docs[i])
	}
	return writeRule(w, docs[i])
}

func writeRule(w io.Writer, doc report.RuleDoc) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n%s\n", doc.ID, doc.Provenance, wrapped(doc.Title, ""))
	for _, part := range [][2]string{
		{"What it checks", doc.Watches},
		{"What counts as a violation", doc.Evidence},
		{"What makes it inconclusive", doc.Inconclusive},
		{"What looks like a violation but is not", doc.Passes},
	} {
		fmt.Fprintf(&b, "\n%s\n%s\n", part[0], wrapped(part[1], "  "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrapped breaks a text into lines of a terminal.
func wrapped(text, indent string) string {
	const width = 80
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(indent)+len(line)+1+len(word) > width {
			lines, line = append(lines, indent+line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, indent+line), "\n")
}

func writeIndented(w io.Writer, value any) error { return writeJSON(w, value, true) }

// writeJSON writes JSON for people. To escape HTML is for what has always done so.
func writeJSON(w io.Writer, value any, escapeHTML bool) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(escapeHTML)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
