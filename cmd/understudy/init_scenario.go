package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/scenarios"
)

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
