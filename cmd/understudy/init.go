package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
)

//go:embed understudy.yaml.tmpl
var configTemplate string

type initFlags struct {
	brand    string
	force    bool
	scenario string
}

func newInit() *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init [RECORDING...]",
		Short: "Write " + configName + ", the configuration of understudy in this folder",
		Long: `Write ` + configName + ` in the current folder, with every setting and its purpose, and
beside it the JSON Schema that editors use for completion.

With recordings (files, folders or globs), the recordings and the base addresses
guessed from them are written down as well, for you to confirm.

With --scenario, write a scenario to begin with into a folder instead: scenario.yaml
with comments, data in a CSV file, a story that plays it, and the JSON Schema.`,
		Example: `  understudy init
  understudy init 'recordings/**/*.har'

  # A scenario of your own, its checks, and its story against the mock
  understudy init --scenario scenarios/mine
  understudy scenarios check ./scenarios/mine
  understudy serve --scenario ./scenarios/mine
  understudy play scenarios/mine/story.txtar --url http://127.0.0.1:4010`,
		RunE: f.run,
	}
	c.Flags().BoolVar(&f.force, "force", false, "overwrite existing files")
	c.Flags().StringVar(&f.scenario, "scenario", "", "write a scenario to begin with into `FOLDER`")
	_ = c.MarkFlagDirname("scenario") // the flag is there
	checkflags.AddBrand(c.Flags(), &f.brand)
	return c
}

// configValues holds the values for the template.
type configValues struct {
	Brand      string
	Bases      map[string][]string
	Recordings []string
	Interfaces []string
}

func (f *initFlags) run(c *cobra.Command, files []string) error {
	if f.scenario != "" {
		return f.writeScenario(c, files)
	}
	const schema = "understudy.schema.json"
	if err := f.refuseExisting(configName, schema); err != nil {
		return err
	}
	brand, err := specs.ParseBrand(f.brand)
	if err != nil {
		return err
	}
	values := configValues{Brand: string(brand), Recordings: files, Interfaces: specs.InterfaceNames()}
	if values.Bases, err = f.bases(c, brand, files); err != nil {
		return err
	}
	quote := func(text string) string { return "'" + strings.ReplaceAll(filepath.ToSlash(text), "'", "''") + "'" }
	t, err := template.New(configName).Funcs(template.FuncMap{"quote": quote}).Parse(configTemplate)
	if err != nil {
		return err
	}
	write := func(path string, write func(io.Writer) error) {
		err = errors.Join(err, checkflags.WriteFile(path, write))
	}
	write(configName, func(w io.Writer) error { return t.Execute(w, values) })
	write(schema, func(w io.Writer) error { _, err := io.WriteString(w, configSchema); return err })
	if err == nil {
		fmt.Fprintf(c.OutOrStdout(), "wrote %s and %s\n", configName, schema)
	}
	return err
}

// refuseExisting returns an error if one of some files exists and may not be overwritten.
func (f *initFlags) refuseExisting(names ...string) error {
	for _, name := range names {
		if _, err := os.Lstat(name); err == nil && !f.force {
			return fmt.Errorf("%s exists already: overwrite it with --force", name)
		}
	}
	return nil
}

// bases guesses the addresses of interfaces in recordings, without those that are known by default.
func (f *initFlags) bases(c *cobra.Command, brand specs.Brand, files []string) (map[string][]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	checker, err := contract.NewChecker(contract.WithBrand(brand), contract.WithGuess(true))
	if err != nil {
		return nil, err
	}
	source, done, err := recordingSource(c, files, false)
	if err != nil {
		return nil, err
	}
	defer done()
	r, err := checker.Check(c.Context(), source)
	if r.Exchanges.Read == 0 && err != nil {
		return nil, err
	}
	bases := map[string][]string{}
	for _, base := range r.Bases {
		if !slices.Contains(bases[string(base.Interface)], base.URL) {
			bases[string(base.Interface)] = append(bases[string(base.Interface)], base.URL)
		}
		fmt.Fprintf(report.LogWriter(c.OutOrStdout()), "%s is at %s (%d exchanges): please verify\n",
			base.Interface, base.URL, base.Exchanges)
	}
	if err != nil && !errors.Is(err, contract.ErrNothingMatched) {
		fmt.Fprintln(c.ErrOrStderr(), "understudy: some recordings could not be read in full:", err)
	}
	return bases, nil
}

// firstScenario holds the files of a scenario to begin with.
//
//go:embed first_scenario
var firstScenario embed.FS

// writeScenario writes a scenario to begin with into a folder, which may be new.
func (f *initFlags) writeScenario(c *cobra.Command, recordings []string) error {
	if len(recordings) > 0 {
		return errors.New("--scenario writes a scenario to begin with: want no recordings beside it")
	}
	files := map[string][]byte{"scenario.schema.json": scenarios.BundledSchema()}
	names := []string{"scenario.yaml", "story.txtar", "orders.csv"}
	for _, name := range names {
		text, err := firstScenario.ReadFile("first_scenario/" + name)
		if err != nil {
			return err
		}
		files[name] = text
	}
	names = append(names, "scenario.schema.json")
	for _, name := range names {
		if err := f.refuseExisting(filepath.Join(f.scenario, name)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(f.scenario, 0o750); err != nil {
		return err
	}
	for _, name := range names {
		err := checkflags.WriteFile(filepath.Join(f.scenario, name), func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", filepath.Join(f.scenario, name))
	}
	return nil
}
