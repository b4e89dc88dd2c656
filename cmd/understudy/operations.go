package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/manual"
)

type operationsFlags struct {
	iface      string
	only       []string
	format     *checkflags.Choice
	recordings []string
	bases      *checkflags.Pairs
	rewrites   checkflags.Rewrites
	specs      checkflags.Pairs
	extras     bool
}

func newOperations() *cobra.Command {
	var f operationsFlags
	c := &cobra.Command{
		Use:   "operations",
		Short: "List operations, and which of them a recording calls",
		Long: `List the operations of the platform's interfaces, or with --spec those of your own
documents. With recordings, also how often each was called, and how much was seen of its
documented responses, parameters, values of enumerations, and properties of bodies.

The extras, which clients call beside the operations, are listed in a separate section
and never counted. With --extras only they are listed.

understudy operations show NAME describes one of them in full, with an example call.`,
		Example: `  understudy operations --interface workflow
  understudy operations show workflow.deletePool
  understudy operations --format json
  understudy operations --recording traffic.har
  understudy operations --spec shop=openapi.yaml --recording traffic.har
  understudy operations --extras --format json`,
		Args: exactArgs(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().StringVar(&f.iface, "interface", "", "only the operations of the interface `NAME`")
	complete(c, "interface", specs.InterfaceNames())
	c.Flags().StringSliceVar(&f.only, "interfaces", nil,
		"only the operations of these interfaces, a list of `NAMES` such as shop,core (default: all)")
	f.format = addEnumFlag(c, "format", "the output format", checkflags.ChoiceOf("text", "json"))
	c.Flags().StringArrayVar(&f.recordings, "recording", nil,
		"count the calls in the recording `FILE`; - is standard input (repeatable)")
	f.bases = addPairsFlag(c, "base", "the base address of an interface in the recordings (repeatable)",
		checkflags.Pairs{What: "URL", Many: true})
	f.rewrites.Add(c.Flags())
	checkflags.AddSpecs(c.Flags(), &f.specs)
	c.Flags().BoolVar(&f.extras, "extras", false, "list the extras instead of the operations")
	c.AddCommand(newOperationsShow())
	return c
}

// operationRow is a line of the table.
type operationRow struct {
	Interface  specs.Interface  `json:"interface"`
	Operation  string           `json:"operation"`
	Method     string           `json:"method"`
	Path       string           `json:"path"` // with the base path
	Summary    string           `json:"summary"`
	Provenance specs.Provenance `json:"provenance"`      // of its method and path
	Calls      *int             `json:"calls,omitempty"` // when there are recordings
	Statuses   map[string]int   `json:"statuses,omitempty"`
	Coverage   []report.Axis    `json:"coverage,omitempty"` // of an operation that was called
}

func (f *operationsFlags) run(c *cobra.Command) error {
	documents, err := f.documents()
	if err != nil {
		return err
	}
	if f.iface != "" {
		if err := documents.Check(specs.Interface(f.iface)); err != nil {
			return err
		}
		documents.Only = []specs.Interface{specs.Interface(f.iface)}
	}
	rows, extras, err := listOperations(documents)
	if err != nil {
		return err
	}
	if len(f.recordings) > 0 {
		if err := f.count(c, rows, extras); err != nil {
			return err
		}
	}
	if f.extras {
		rows = extras
	}
	if f.format.Word == "json" {
		return writeIndented(c.OutOrStdout(), rows)
	}
	if f.extras {
		return writeTable(c.OutOrStdout(), rows)
	}
	err = writeOperations(c.OutOrStdout(), rows)
	if len(extras) > 0 {
		fmt.Fprintln(c.OutOrStdout(), "\nExtras, which clients call beside the operations, and which are not counted:")
		err = errors.Join(err, writeTable(c.OutOrStdout(), extras))
	}
	return err
}

// documents returns the documents to list: the user's own if there are some, or else the platform's.
func (f *operationsFlags) documents() (*specs.Set, error) {
	only := f.only
	for _, spec := range f.specs.List {
		if len(f.only) == 0 {
			only = append(only, spec[0])
		}
	}
	return f.specs.Documents(only, string(specs.Neutral))
}

// listOperations lists the operations of documents, and apart from them the extras.
func listOperations(documents *specs.Set) (rows, extras []operationRow, err error) {
	rows, extras = []operationRow{}, []operationRow{}
	for _, name := range documents.Names() {
		d, err := documents.Readable(name)
		if err != nil {
			return nil, nil, err
		}
		for _, op := range d.All() {
			row, err := describe(op)
			if err != nil {
				return nil, nil, err
			}
			if op.IsExtra() {
				extras = append(extras, row)
			} else {
				rows = append(rows, row)
			}
		}
	}
	return rows, extras, nil
}

func describe(op *specs.Operation) (operationRow, error) {
	place, err := op.Document.Place(op.Pointer)
	return operationRow{
		Interface: op.Interface, Operation: op.ID, Method: op.Method, Path: op.Document.BasePath + op.Path,
		Summary: op.Spec.Summary, Provenance: place.Provenance,
	}, err
}

// count adds how often each operation was called in the recordings.
func (f *operationsFlags) count(c *cobra.Command, rows, extras []operationRow) error {
	opts := f.rewrites.Options()
	for _, spec := range f.specs.List {
		opts = append(opts, contract.WithSpec(specs.Interface(spec[0]), spec[1]))
	}
	for _, base := range f.bases.List {
		opts = append(opts, contract.WithBaseURL(specs.Interface(base[0]), base[1]))
	}
	checker, err := contract.NewChecker(opts...)
	if err != nil {
		return err
	}
	source, done, err := recordingSource(c, f.recordings, false)
	if err != nil {
		return err
	}
	defer done()
	r, err := checker.Check(c.Context(), source)
	if err != nil {
		return checkflags.ExplainNothingMatched(err, r)
	}
	for i, row := range rows {
		touched, called := r.Coverage.Operations[string(row.Interface)+"."+row.Operation]
		rows[i].Calls, rows[i].Statuses = &touched.Exchanges, touched.Statuses
		if called {
			rows[i].Coverage = axesOf(&touched)
		}
	}
	for i, row := range extras {
		called := r.Coverage.Extras[string(row.Interface)+"."+row.Operation]
		extras[i].Calls, extras[i].Statuses = &called.Exchanges, called.Statuses
	}
	return nil
}

// axesOf returns the coverage of an operation on each axis.
func axesOf(touched *report.Touched) []report.Axis {
	var axes []report.Axis
	for _, name := range report.Axes() {
		parts := touched.Parts(name)
		if n := len(parts.Covered) + len(parts.Uncovered); n > 0 {
			axes = append(axes, report.Axis{Name: name, Covered: len(parts.Covered), Documented: n})
		}
	}
	return axes
}

// columns returns the axes that the table has columns for.
func columns() []string {
	return []string{report.Responses, report.Parameters, report.Enums, report.Properties}
}

// cells returns the coverage columns of a row, such as 2/7, or an empty cell if the operation has no such parts.
func (o *operationRow) cells() string {
	var text strings.Builder
	for _, name := range columns() {
		cell := "-"
		for _, axis := range o.Coverage {
			if axis.Name == name {
				cell = fmt.Sprintf("%d/%d", axis.Covered, axis.Documented)
			}
		}
		text.WriteString("\t" + cell)
	}
	return text.String()
}

func writeOperations(w io.Writer, rows []operationRow) error {
	if err := writeTable(w, rows); err != nil {
		return err
	}
	summary := fmt.Sprintf("\n%d operations", len(rows))
	if slices.ContainsFunc(rows, wasCounted) {
		called := 0
		for _, o := range rows {
			called += min(1, *o.Calls)
		}
		summary += fmt.Sprintf("; the recordings call %d of them", called)
	}
	_, err := fmt.Fprintln(w, summary+". For details of one: understudy operations show NAME")
	return err
}

func writeTable(w io.Writer, rows []operationRow) error {
	counted := slices.ContainsFunc(rows, wasCounted)
	covered := slices.ContainsFunc(rows, func(o operationRow) bool { return o.Coverage != nil }) // no extra ever is
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	header := "OPERATION\tMETHOD\tPATH"
	if counted {
		header += "\tCALLS"
	}
	if covered {
		header += "\t" + strings.ToUpper(strings.Join(columns(), "\t"))
	}
	fmt.Fprintln(t, header+"\tSUMMARY")
	for _, o := range rows {
		fmt.Fprintf(t, "%s.%s\t%s\t%s", o.Interface, o.Operation, o.Method, o.Path)
		if counted {
			fmt.Fprintf(t, "\t%d", *o.Calls)
		}
		if covered {
			fmt.Fprint(t, o.cells())
		}
		fmt.Fprintf(t, "\t%s\n", o.Summary)
	}
	return t.Flush()
}

// wasCounted reports whether there were recordings to count the calls of an operation in.
func wasCounted(o operationRow) bool { return o.Calls != nil }

type showFlags struct {
	format  *checkflags.Choice
	address manual.Address
	brand   string
	specs   checkflags.Pairs
}

func newOperationsShow() *cobra.Command {
	f := showFlags{address: manual.DefaultAddress()}
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show an operation's parameters, bodies and responses, with an example call",
		Long: `Show an operation in full: its parameters and bodies with their types and limits, its
responses, the source of each of these, and a curl command that works against a newly
started understudy serve, or against the scenario that the example names.

NAME is an interface and an id, as in workflow.deletePool, or only the id if it is
unique.`,
		Example: `  understudy operations show core.issueJob
  understudy operations show deletePool --url http://127.0.0.1:8080
  understudy operations show llm.createAgent --format json | jq -r .example.curl
  understudy operations show shop.createProduct --spec shop=openapi.yaml`,
		Args: exactArgs(1, "the name of one operation"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			documents, err := f.documents()
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			all, _ := entries(documents)
			for _, entry := range all {
				names = append(names, entry.Name())
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: f.run,
	}
	f.format = addEnumFlag(c, "format", "the output format", checkflags.ChoiceOf("text", "json"))
	c.Flags().StringVar(&f.address.URL, "url", f.address.URL, "the `ADDRESS` of the mock in the example")
	c.Flags().StringVar(&f.address.Key, "key", f.address.Key, "the API `KEY` in the example")
	checkflags.AddSpecs(c.Flags(), &f.specs)
	checkflags.AddBrand(c.Flags(), &f.brand)
	return c
}

func (f *showFlags) run(c *cobra.Command, args []string) error {
	if _, err := specs.ParseBrand(f.brand); err != nil {
		return err
	}
	documents, err := f.documents()
	if err != nil {
		return err
	}
	all, err := entries(documents)
	if err != nil {
		return err
	}
	entry, err := findEntry(all, args[0])
	if err != nil {
		return err
	}
	document, err := documents.Readable(entry.Interface)
	if err != nil {
		return err
	}
	page, err := manual.Of(document.Operation(entry.ID))
	if err != nil {
		return err
	}
	page.At(f.address)
	if f.format.Word == "text" {
		return page.WriteText(c.OutOrStdout())
	}
	return writeJSON(c.OutOrStdout(), page, false)
}

func (f *showFlags) documents() (*specs.Set, error) { return f.specs.Documents(nil, f.brand) }

// entries lists the operations and the extras.
func entries(documents *specs.Set) ([]specs.Entry, error) {
	list := specs.Catalogue()
	for _, name := range documents.Names() {
		if !name.IsOwn() {
			continue
		}
		d, err := documents.Load(name)
		if err != nil {
			return nil, err
		}
		for _, op := range d.Operations {
			list = append(list, specs.Entry{Interface: name, ID: op.ID, Method: op.Method, Path: op.Path})
		}
	}
	for _, name := range specs.Extras() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			return nil, err
		}
		for _, op := range d.Operations {
			list = append(list, specs.Entry{
				Interface: specs.Interface(path.Base(string(name))), ID: op.ID, Method: op.Method,
				Path: op.Path,
			})
		}
	}
	return list, nil
}

// findEntry finds an operation by its name, or by its id alone.
func findEntry(all []specs.Entry, name string) (specs.Entry, error) {
	var found []specs.Entry
	for _, entry := range all {
		if strings.EqualFold(name, entry.Name()) || strings.EqualFold(name, entry.ID) {
			found = append(found, entry)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return specs.Entry{}, fmt.Errorf("unknown operation %q; similar ones are %s; understudy operations lists all",
			name, strings.Join(nearestNames(all, name), ", "))
	}
	var several []string
	for _, entry := range found {
		several = append(several, entry.Name())
	}
	slices.Sort(several)
	return specs.Entry{},
		fmt.Errorf("several interfaces have an operation %q; want %s", name, strings.Join(several, " or "))
}

// nearestNames returns the three names that are most similar to a name.
func nearestNames(all []specs.Entry, name string) []string {
	wanted := strings.ToLower(name)
	distance := func(e specs.Entry) int {
		known := e.ID
		if strings.Contains(name, ".") {
			known = e.Name()
		}
		return levenshtein.ComputeDistance(wanted, strings.ToLower(known))
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b specs.Entry) int { return cmp.Compare(distance(a), distance(b)) })
	var names []string
	for _, e := range sorted[:3] {
		names = append(names, e.Name())
	}
	return names
}
