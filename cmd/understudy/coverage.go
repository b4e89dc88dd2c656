package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs"
)

type coverageFlags struct {
	format   *checkflags.Choice
	iface    string
	missed   bool
	minimums checkflags.Minimums
}

func newCoverage() *cobra.Command {
	var f coverageFlags
	c := &cobra.Command{
		Use:   "coverage REPORT.json...",
		Short: "Combine the coverage of several reports of check",
		Long: `Combine the coverage of reports written by check --format json, for example of several
test suites or runs. A documented part counts as seen if any of the reports saw it.
- is standard input.

The axes are operations, requests (media types), responses (status and media type),
parameters that were sent, values of enumerations, properties of bodies that were
seen with a value other than null, and rules that had something to judge.

Exit code 1: coverage is below --min. 2: a report cannot be read.`,
		Example: `  understudy check --format json -o unit.json unit.ndjson
  understudy check --format json -o e2e.json e2e.har
  understudy coverage --min operations=80 unit.json e2e.json
  understudy coverage --interface workflow --missed unit.json
  understudy coverage --interface shop --missed shop.json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("want a report, as check --format json writes it; see %s --help", c.CommandPath())
			}
			return nil
		},
		RunE: f.run,
	}
	f.format = addEnumFlag(c, "format", "the output format", checkflags.ChoiceOf("text", "json"))
	c.Flags().StringVar(&f.iface, "interface", "", "only the interface `NAME`")
	complete(c, "interface", specs.InterfaceNames())
	c.Flags().BoolVar(&f.missed, "missed", false, "list what was never seen")
	f.minimums.Add(c.Flags())
	return c
}

func (f *coverageFlags) run(c *cobra.Command, files []string) error {
	merged, err := readCoverage(c, files)
	if err != nil {
		return err
	}
	if f.iface != "" {
		if err := checkflags.KnownInterface(f.iface, merged.Interfaces()); err != nil {
			return err
		}
		merged = merged.Of(specs.Interface(f.iface))
	}
	if err := f.write(report.LogWriter(c.OutOrStdout()), &merged); err != nil {
		return err
	}
	return checkMinimums(f.minimums.Values, &merged)
}

// readCoverage reads all reports and merges them. One error lists all that are unusable.
func readCoverage(c *cobra.Command, files []string) (report.Coverage, error) {
	var list []report.Coverage
	var rules [][]report.Rule
	var errs []error
	for _, file := range files {
		covered, err := readReport(c, file)
		errs = append(errs, err)
		list, rules = append(list, covered.Coverage), append(rules, covered.Rules)
	}
	if err := errors.Join(errs...); err != nil {
		return report.Coverage{}, err
	}
	merged := report.MergeCoverage(list...)
	for i := range merged.Axes {
		if merged.Axes[i].Name == report.RulesAxis {
			merged.Axes[i] = report.AxisOfRules(report.MergeRules(rules...))
		}
	}
	return merged, nil
}

func readReport(c *cobra.Command, file string) (report.Covered, error) {
	if stream := streamOf(c, file); stream != nil {
		return report.ReadCoverage(shownName(file), stream)
	}
	in, err := os.Open(file)
	if err != nil {
		return report.Covered{}, err
	}
	defer in.Close()
	return report.ReadCoverage(file, in)
}

// checkMinimums returns an error that lists all axes with too little coverage.
func checkMinimums(minimums []report.Threshold, c *report.Coverage) error {
	var low []string
	for _, t := range minimums {
		i := slices.IndexFunc(c.Axes, func(a report.Axis) bool { return a.Name == t.Axis })
		if i < 0 {
			return fmt.Errorf("coverage of %s is not available for a single interface", t.Axis)
		}
		if t.Got = c.Axes[i].Percent(); t.Missed() {
			low = append(low, fmt.Sprintf("%.1f %% of %s, want %v %%", t.Got, t.Axis, t.Want))
		}
	}
	if len(low) > 0 {
		return &exitError{exitViolations, errors.New("coverage is too low: " + strings.Join(low, "; "))}
	}
	return nil
}

func (f *coverageFlags) write(w io.Writer, c *report.Coverage) error {
	if f.format.Word == "json" {
		return writeJSON(w, c, false)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	names := []string{f.iface}
	if f.iface == "" {
		writeAxes(t, "all interfaces", c)
		names = c.Interfaces()
	}
	for _, name := range names {
		own := c.Of(specs.Interface(name))
		writeAxes(t, name, &own)
		if f.missed {
			writeMissed(t, &own)
		}
	}
	return t.Flush()
}

func writeAxes(w io.Writer, title string, c *report.Coverage) {
	exchanges := 0
	for touched := range maps.Values(c.Operations) {
		exchanges += touched.Exchanges
	}
	fmt.Fprintf(w, "%s, %d exchanges\n", title, exchanges)
	for _, axis := range c.Axes {
		if axis.Documented == 0 {
			continue // all of nothing
		}
		fmt.Fprintf(w, "  %s\t%s\t%5.1f %%\t%d of %d\n", axis.Name, bar(axis.Percent()), axis.Percent(), axis.Covered,
			axis.Documented)
	}
	fmt.Fprintln(w)
}

// bar draws a percentage. It is full only when nothing is missing, and empty only when there is nothing.
func bar(percent float64) string {
	const width = 20
	full := int(percent / 100 * width)
	if full == 0 && percent > 0 {
		full = 1
	}
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// writeMissed lists what was never seen: operations, then parts of those that were.
func writeMissed(w io.Writer, c *report.Coverage) {
	if len(c.Untouched) > 0 {
		fmt.Fprintln(w, "  never called")
		for _, name := range slices.Sorted(maps.Keys(c.Untouched)) {
			fmt.Fprintf(w, "    %s\n", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Operations)) {
		var lines []string
		for _, axis := range report.Axes() {
			for _, part := range c.Operations[name].Parts(axis).Uncovered {
				lines = append(lines, fmt.Sprintf("    %s: %s", axis, part))
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(w, "  never seen of %s\n%s\n", name, strings.Join(lines, "\n"))
		}
	}
	fmt.Fprintln(w)
}
