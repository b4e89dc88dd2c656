package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc.example/understudy/internal/version"
)

// newMan is for those who pack the command. Its pages have no date, so that the same commit gives the same bytes.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages for man(1)",
		Long: `Write a manual page for each command into the folder DIR, which is created if it does
not exist: understudy.1, understudy-serve.1 and so on.`,
		Example: `  understudy man ~/.local/share/man/man1
  man understudy-serve`,
		Args: exactArgs(1, "the folder to write to"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // pages are for every user
				return err
			}
			return writePages(c.Root(), args[0])
		},
	}
}

func writePages(c *cobra.Command, dir string) error {
	name := filepath.Join(dir, pageName(c)+".1")
	if err := os.WriteFile(name, manPage(c), 0o644); err != nil { //nolint:gosec // for every user
		return err
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if err := writePages(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// pageName returns the name of a command's page, such as understudy-spec-suggest.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the page of a command in the man macros, which every man(1) knows. The library that comes with cobra
// makes Markdown of the help first, in which indented lines, asterisks and underscores are lost, and gives a flag's
// default as its value.
func manPage(c *cobra.Command) []byte {
	c.InitDefaultHelpFlag()
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %s 1 \"\" %q %q\n", roff(strings.ToUpper(pageName(c))), "understudy "+version.Read().Version,
		"Understudy")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	if c.Long == "" {
		b.WriteString(roff(c.Short) + ".\n")
	}
	manText(&b, c.Long)
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "GLOBAL OPTIONS", c.InheritedFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		manVerbatim(&b, strings.Split(c.Example, "\n"))
	}
	manSeeAlso(&b, c)
	return b.Bytes()
}

// manText writes paragraphs. Indented ones stay as they are.
func manText(b *bytes.Buffer, text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		switch {
		case strings.HasPrefix(paragraph, " "):
			b.WriteString(".PP\n")
			manVerbatim(b, strings.Split(paragraph, "\n"))
			continue
		case i > 0:
			b.WriteString(".PP\n")
		}
		for line := range strings.Lines(paragraph) {
			b.WriteString(roff(strings.TrimSpace(line)) + "\n")
		}
	}
}

func manVerbatim(b *bytes.Buffer, lines []string) {
	b.WriteString(".nf\n")
	for _, line := range lines {
		b.WriteString(roff(line) + "\n")
	}
	b.WriteString(".fi\n")
}

func manFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fR, ", f.Shorthand)
		}
		fmt.Fprintf(b, "\\fB\\-\\-%s\\fR", roff(f.Name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
		}
		b.WriteString("\n" + roff(strings.ReplaceAll(usage, "\n", " ")))
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && !strings.Contains(usage, "(default") {
			fmt.Fprintf(b, " (default %s)", roff(f.DefValue))
		}
		b.WriteString("\n")
	})
}

func manSeeAlso(b *bytes.Buffer, c *cobra.Command) {
	var pages []string
	if c.HasParent() {
		pages = append(pages, pageName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, pageName(sub))
		}
	}
	if len(pages) == 0 {
		return
	}
	for i, page := range pages {
		pages[i] = ".BR " + roff(page) + " (1)"
	}
	b.WriteString(".SH SEE ALSO\n" + strings.Join(pages, " ,\n") + "\n")
}

// roff returns a line so that nothing in it is a command of roff.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}
