package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/manual"
)

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
			all, _ := entries(f.documents())
			var names []string
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
	documents := f.documents()
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
	encoder := json.NewEncoder(c.OutOrStdout())
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(page)
}

func (f *showFlags) documents() *specs.Set { return specs.SetOf(f.specs.List, nil, specs.Brand(f.brand)) }

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
