package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/specs"
)

type learnFlags struct {
	checkflags.Recording

	salt   saltFlag
	out    string
	force  bool
	effort int
}

func newLearn() *cobra.Command {
	var f learnFlags
	c := &cobra.Command{
		Use:   "learn RECORDING... --out DIR",
		Short: "Make a scenario of recorded traffic",
		Long: `Make a scenario of recorded traffic: the account as it was when the recording began,
and a story that plays the recorded requests.

What a recording shows and does not make was there before. Jobs keep their results,
attempts their outcomes and durations, agents what they said. Ids stay, so that clients
that have stored some go on working. What had to be guessed is marked in scenario.yaml,
where it stands. What a mock cannot begin with is left out, and listed with the reason.
Secrets are never in it: API keys become 1/admin and the like, and a table says which
recorded key each stands for, by its digest. That is the same in all recordings, as long
as --salt is.

The story names what it makes itself by what the answers say, waits where the recording
waited, and plays against a mock of the scenario as against the service. It wants no
answer in which the two differ.

Several recordings of one account make one scenario. A RECORDING is what understudy
check takes.

In the end what was learned from, which is the first 10,000 exchanges of the account, is
compared with a mock that begins with the new scenario, as understudy compare does. Exit
code 0: all answers agree. 1: some answers differ; they are listed. 2: nothing could be
learned, or what was could not be tried.`,
		Example: `  understudy proxy --target workflow=https://workflow.example.com --record traffic.ndjson
  understudy learn traffic.ndjson --out scenarios/ours
  understudy serve --scenario scenarios/ours`,
		RunE: f.run,
	}
	c.Flags().StringVar(&f.out, "out", "", "write the scenario to the folder `DIR`, which is created")
	c.Flags().BoolVar(&f.force, "force", false, "overwrite a scenario that is in the folder")
	c.Flags().IntVar(&f.effort, "effort", contract.DefaultEffort,
		"replay up to `N` recorded exchanges to find out who may do what; 0 takes what answers show")
	f.salt.add(c.Flags())
	f.Recording.Add(c.Flags())
	return c
}

func (f *learnFlags) run(c *cobra.Command, files []string) error {
	if err := wantRecordings(c, files); err != nil {
		return err
	}
	if err := f.checkOut(); err != nil {
		return err
	}
	checker, err := f.checker(c)
	if err != nil {
		return err
	}
	source, done, err := recordingSource(c, files, true)
	if err != nil {
		return err
	}
	defer done()
	tuneGarbageCollection(100, 640<<20) // which trials of 10,000 exchanges need
	build, endTrials := watchTrials(c.ErrOrStderr(), f.build)
	learned, err := checker.Learn(c.Context(), source, build)
	endTrials()
	if learned == nil {
		return err
	}
	if writeErr := f.write(f.out, learned); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	if interrupted := c.Context().Err(); interrupted != nil {
		return interrupted
	}
	subject, buildErr := f.build(learned)
	if buildErr != nil {
		return errors.Join(err, buildErr)
	}
	defer subject.Close()
	r, compareErr := checker.Compare(c.Context(), source, subject)
	if compareErr != nil {
		return errors.Join(err, compareErr)
	}
	f.summarize(c.OutOrStdout(), learned, r)
	if err == nil && r.Failed() {
		return &exitError{exitViolations, errors.Join(errors.New(r.Outcome()))}
	}
	return err
}

// checkOut requires a folder that holds no scenario yet.
func (f *learnFlags) checkOut() error {
	if f.out == "" {
		return errors.New("want --out DIR, the folder to write the scenario to")
	}
	_, err := os.Stat(filepath.Join(f.out, "scenario.yaml"))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && f.force:
		return nil
	case err == nil:
		return fmt.Errorf("--out %s: there is a scenario in it: choose another folder, or overwrite it with --force", f.out)
	}
	return fmt.Errorf("--out %s: %w", f.out, err)
}

func (f *learnFlags) checker(c *cobra.Command) (*contract.Checker, error) {
	opts, err := f.Recording.Options()
	if err == nil {
		opts.Salt, err = f.salt.bytes()
	}
	if err != nil {
		return nil, err
	}
	checker, err := contract.NewChecker(append(opts.List(), contract.WithEffort(f.effort))...)
	return checker, configurationOf(c).locateErrors(err)
}

// build returns a mock that begins with what was learned, which is in a folder of its own until then.
func (f *learnFlags) build(learned *contract.Learned) (subject contract.Subject, err error) {
	folder, err := os.MkdirTemp("", "understudy-learn-")
	if err != nil {
		return subject, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := f.write(folder, learned); err != nil {
		return subject, err
	}
	opts := append(checkflags.Documents(&f.Specs, mockserver.WithSpec, mockserver.WithOverlay),
		mockserver.WithExtras(f.Extras.Word == checkflags.AllExtras), mockserver.WithBrand(specs.Brand(f.Brand)),
		mockserver.WithScenario(folder), mockserver.WithClock(mockserver.ClockFrozen),
		mockserver.WithQueryEngine(sqlite.New()))
	server, err := mockserver.New(opts...)
	if err != nil {
		return subject, err
	}
	subject = subjectOf(server.World(""))
	subject.Name, subject.Keys, subject.First = "the scenario "+f.out, map[string]string{}, contract.MaxLearned
	for _, key := range learned.Keys {
		for _, digest := range key.Recorded {
			subject.Keys[digest] = key.Key
		}
	}
	subject.Close = func() { _ = server.Close() }
	return subject, nil
}

// write writes the files of a scenario to a folder.
func (f *learnFlags) write(folder string, learned *contract.Learned) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	files := maps.Clone(learned.Files)
	if files == nil {
		files = map[string][]byte{}
	}
	files["scenario.yaml"], files["story.txtar"] = learned.Scenario, learned.Story
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(folder, name), files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// summarize says what was learned, what was guessed, and where the mock still differs.
func (f *learnFlags) summarize(w io.Writer, learned *contract.Learned, r *contract.Report) {
	names := append([]string{"scenario.yaml", "story.txtar"}, slices.Sorted(maps.Keys(learned.Files))...)
	fmt.Fprintf(w, "wrote %s: %s\n", f.out, strings.Join(names, ", "))
	for _, key := range learned.Keys {
		if len(key.Recorded) > 0 {
			fmt.Fprintf(w, "key %s of %s stands for the recorded key %s\n", key.Key, key.User, strings.Join(key.Recorded, ", "))
		}
	}
	for _, note := range learned.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	const most = 20
	for i, guess := range learned.Guesses {
		if i == most {
			fmt.Fprintf(w, "guessed: and %d more values, each marked in scenario.yaml\n", len(learned.Guesses)-most)
			break
		}
		fmt.Fprintf(w, "guessed: %s: %s\n", guess.Path, guess.Reason)
	}
	fmt.Fprintf(w, "%d of %d recorded answers agree with a mock of the scenario\n", r.Comparison.Agree,
		r.Comparison.Compared)
	if r.Failed() {
		fmt.Fprintln(w)
		_ = r.WriteText(w)
	}
}
