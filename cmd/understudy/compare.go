package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/checkflags"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/query/sqlite"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

type compareFlags struct {
	outputs
	checkflags.Recording
	checkflags.Baseline
	scenario  string
	scenarios string
	seed      uint64
	now       beginning
	tolerance time.Duration
	masks     checkflags.List[report.Mask]
	keys      checkflags.List[[2]string]
	salt      saltFlag
}

func newCompare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare RECORDING... --scenario NAME",
		Short: "Compare the mock's answers with recorded ones",
		Long: `Compare the mock with the real service: replay the requests of a recording to a mock that
begins with a scenario, in their order and at their times, and report where its answers
differ from the recorded ones.

Ids and tokens that an answer chose stand for each other from then on, in paths, in
bodies and in later answers: what is 71 in the recording and 4 in the mock is the same
pool. Times may differ by --tolerance. Differences are of four kinds: another status;
another shape (a member is missing or extra, or has another type); another value; and
another behaviour, which is a later answer that shows another effect of an earlier
request. Places that the mock cannot know, such as the texts of errors, are masked; the
report lists the masks, and how many differences each hid.

The scenario should be the account that was recorded: one that understudy learn made of
it, or one of your own. A RECORDING is what understudy check takes. Each world of a
recording begins with the scenario anew.

Exit code 0: all answers agree. 1: an answer differs in a way that is not in the
baseline, or an entry of the baseline no longer occurs. 2: could not compare, because
input is bad or nothing in it can be replayed.`,
		Example: `  understudy compare traffic.ndjson --scenario scenarios/ours
  understudy compare traffic.har --scenario quickstart --report html=compare.html

  # Leave a place out, and say whose a recorded key was
  understudy compare traffic.ndjson --scenario scenarios/ours \
    --mask 'core.listJobs:/jobs/*/duration' --key 1a2b3c4d=1/write

  # Accept the differences of today; from now on only what is new fails
  understudy compare traffic.ndjson --scenario scenarios/ours --write-baseline differences.yaml
  understudy compare traffic.ndjson --scenario scenarios/ours --baseline differences.yaml`,
		RunE: f.run,
	}
	f.add(c)
	return c
}

func (f *compareFlags) add(c *cobra.Command) {
	flags := c.Flags()
	f.salt.add(flags)
	flags.StringVar(&f.scenario, "scenario", "",
		"the `NAME` of the scenario that the mock begins with, see understudy scenarios, or the path of\nyour own")
	complete(c, "scenario", scenarios.List())
	addScenariosFlag(c, &f.scenarios)
	flags.Uint64Var(&f.seed, "seed", 0, "the `NUMBER` that seeds everything random in the mock (default: the scenario's)")
	flags.Var(&f.now, "now",
		"the time at which the mock begins: that of the scenario, that of the first recorded exchange, or\nanother one, "+
			"such as 2026-01-15T09:30:00Z")
	complete(c, "now", []string{fromScenario, fromRecording})
	flags.DurationVar(&f.tolerance, "tolerance", contract.DefaultTolerance, "by how much times in answers may differ")
	f.masks, f.keys = checkflags.ListOf("OPERATION:POINTER", readMask), checkflags.ListOf("MARK=KEY", readKey)
	flags.Var(&f.masks, "mask",
		"do not compare the values at a place of the answers of operations, as in\n"+
			"'core.*:/**/url'; in the pointer, * is any name or index, and ** any number of them (repeatable)")
	flags.Var(&f.keys, "key",
		"the scenario's key that stands for a recorded one, by the mark in the place of that key or the\n"+
			"digest in the mark, as in 1a2b3c4d=1/write; all others are 1/admin (repeatable)")
	f.Recording.Add(c.Flags())
	f.Baseline.Add(c.Flags(), "differences", "differences")
	f.outputs.add(c)
}

func (f *compareFlags) run(c *cobra.Command, files []string) error {
	if len(files) == 0 {
		files = configurationOf(c).Recordings
	}
	if err := f.checkArguments(c, files); err != nil {
		return err
	}
	opts, err := f.options(c)
	if err != nil {
		return err
	}
	checker, err := contract.NewChecker(opts...)
	if err != nil {
		return configurationOf(c).locateErrors(err)
	}
	source, done, err := recordingSource(c, files, true)
	if err != nil {
		return err
	}
	defer done()
	r, err := f.compare(c, checker, source)
	if interrupted := c.Context().Err(); interrupted != nil {
		return interrupted // a report would look as if it were about the whole recording
	}
	if r == nil {
		return err
	}
	if err = checkflags.ExplainNothingMatched(err, r); r.Exchanges.Read > 0 {
		err = errors.Join(err, f.Outputs.Write(c.Context(), c.OutOrStdout(),
			checkflags.Result{Checker: checker, Source: source, Report: r}))
	}
	return conclude(c, &f.Baseline, r, err, f.isRead(c))
}

// checkArguments returns an error for what would otherwise fail only after a long recording was read.
func (f *compareFlags) checkArguments(c *cobra.Command, files []string) error {
	if err := wantRecordings(c, files); err != nil {
		return err
	}
	if f.scenario == "" {
		return fmt.Errorf("want --scenario NAME, the account as it was when the recording began: one that understudy learn "+
			"makes of the recording, or one of understudy scenarios; see %s --help", c.CommandPath())
	}
	return errors.Join(f.Outputs.Check(), checkflags.CheckOverwrites(f.files(files)))
}

// files lists the files that a comparison reads and writes.
func (f *compareFlags) files(recordings []string) (written, read []checkflags.File) {
	written, read = f.Baseline.Files()
	return append(written, f.Outputs.Files()...), append(f.Recording.Files(recordings), read...)
}

func (f *compareFlags) options(c *cobra.Command) ([]contract.Option, error) {
	recorded, err := f.Recording.Options()
	if err == nil {
		recorded.Salt, err = f.salt.bytes()
	}
	opts := append(recorded.List(), contract.WithTolerance(f.tolerance))
	opts = append(opts, f.Baseline.Options()...)
	for _, mask := range f.allMasks(c) {
		opts = append(opts, contract.WithMask(mask.Operation, mask.Pointer, mask.Reason))
	}
	return opts, err
}

// compare compares the recording with a mock of the scenario.
func (f *compareFlags) compare(c *cobra.Command, checker *contract.Checker, source contract.Source) (
	r *contract.Report, err error,
) {
	library, err := openLibrary(f.scenarios)
	if err != nil {
		return nil, err
	}
	loaded, err := library.LoadBranded(f.scenario, specs.Brand(f.Brand))
	if err != nil {
		return nil, err
	}
	begun, err := checker.Begin(c.Context(), source)
	if err != nil {
		return nil, err
	}
	now := f.now.of(loaded.Now, begun)
	subject, closeSubject, err := newSubject(library, f.scenario, specs.Brand(f.Brand), f.mock(c, now)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeSubject()) }()
	if err := f.giveKeys(&subject, loaded.Fixture.Account); err != nil {
		return nil, err
	}
	r, err = checker.Compare(c.Context(), source, subject)
	if r != nil {
		r.Notes = append(r.Notes, append(notesOfTimes(now, begun), f.unusedMasks(c, r)...)...)
	}
	return r, err
}

// mock returns the options of the mock that are not the scenario's.
func (f *compareFlags) mock(c *cobra.Command, now time.Time) []mockserver.Option {
	opts := []mockserver.Option{mockserver.WithExtras(f.Extras.Word == checkflags.AllExtras)}
	if f.scenarios != "" {
		opts = append(opts, mockserver.WithScenarios(f.scenarios))
	}
	if c.Flags().Changed("seed") {
		opts = append(opts, mockserver.WithSeed(f.seed))
	}
	if !now.IsZero() {
		opts = append(opts, mockserver.WithNow(now))
	}
	opts = append(opts, checkflags.Documents(&f.Specs, mockserver.WithSpec, mockserver.WithOverlay)...)
	return opts
}

// Words for the time at which the mock of a comparison begins.
const (
	fromScenario  = "scenario"
	fromRecording = "recorded"
)

// beginning is the value of a flag that takes one of these words, or a time.
type beginning struct {
	word string
	at   time.Time
}

func (b *beginning) String() string {
	if !b.at.IsZero() {
		return b.at.Format(time.RFC3339Nano)
	}
	if b.word == "" {
		return fromScenario
	}
	return b.word
}

func (b *beginning) Type() string { return fromScenario + "|" + fromRecording + "|TIME" }

func (b *beginning) Set(text string) (err error) {
	*b = beginning{word: text}
	if text == fromScenario || text == fromRecording {
		return nil
	}
	if b.at, err = time.Parse(time.RFC3339, text); err != nil {
		return fmt.Errorf("want %s, %s or a time, as in 2026-01-15T09:30:00Z", fromScenario, fromRecording)
	}
	return nil
}

// of returns the time at which the mock begins. A scenario that leaves it open begins with the recording.
func (b *beginning) of(scenario, recorded time.Time) time.Time {
	switch {
	case !b.at.IsZero():
		return b.at
	case b.word == fromRecording, scenario.IsZero():
		return recorded
	}
	return scenario
}

// notesOfTimes returns a note if the mock and the recording begin at times so far apart that those in answers cannot
// agree.
func notesOfTimes(mock, recorded time.Time) []string {
	const most = 24 * time.Hour
	if mock.IsZero() || recorded.IsZero() || recorded.Sub(mock).Abs() <= most {
		return nil
	}
	return []string{fmt.Sprintf("the mock begins at %s and the recording at %s, so that times from before the recording "+
		"cannot agree: use a scenario of the time of the recording, or --now %s",
		mock.UTC().Format(time.RFC3339), recorded.UTC().Format(time.RFC3339), fromRecording)}
}

// readMask reads a place that is masked: OPERATION:POINTER.
func readMask(text string) (report.Mask, error) {
	operation, pointer, found := strings.Cut(text, ":")
	if !found || operation == "" || !strings.HasPrefix(pointer, "/") {
		return report.Mask{}, errors.New("want OPERATION:POINTER, as in core.listJobs:/jobs/*/duration or 'core.*:/**/url'")
	}
	return report.Mask{Operation: operation, Pointer: pointer, Reason: "asked for with --mask"}, nil
}

// allMasks lists the masks of the command line and of the configuration.
func (f *compareFlags) allMasks(c *cobra.Command) []report.Mask {
	list := slices.Clone(f.masks.Values)
	for _, m := range configurationOf(c).Compare.Masks {
		list = append(list, report.Mask{Operation: m.Operation, Pointer: m.Pointer, Reason: m.Reason})
	}
	return list
}

// unusedMasks returns notes on masks that hid no difference.
func (f *compareFlags) unusedMasks(c *cobra.Command, r *contract.Report) (notes []string) {
	for _, own := range f.allMasks(c) {
		isUnused := func(m report.Mask) bool { own.Count = 0; return m == own }
		if slices.ContainsFunc(r.Comparison.Masks, isUnused) {
			notes = append(notes, fmt.Sprintf("the mask %s:%s hid no difference: it may be left out",
				own.Operation, own.Pointer))
		}
	}
	return notes
}

// readKey reads a key that is given to a recorded one: MARK=KEY.
func readKey(text string) ([2]string, error) {
	at := strings.LastIndexByte(text, '=')
	if at <= 0 || at == len(text)-1 {
		return [2]string{}, errors.New("want MARK=KEY, as in 1a2b3c4d=1/write")
	}
	return [2]string{text[:at], text[at+1:]}, nil
}

// digest matches the digest of a recorded key.
var digest = regexp.MustCompile(`^[0-9a-f]{8}$`)

// giveKeys gives the keys to a subject. They must be keys of the scenario.
func (f *compareFlags) giveKeys(s *contract.Subject, account fixtures.Account) error {
	var known []string
	for _, key := range account.Keys {
		known = append(known, key.Key)
	}
	for _, pair := range f.keys.Values {
		if !slices.Contains(known, pair[1]) {
			return fmt.Errorf("--key %s: unknown key of the scenario: want %s", pair[1], source.OneOf(pair[1], known))
		}
		if digest.MatchString(pair[0]) {
			s.Keys[pair[0]] = pair[1]
		}
		s.Keys[contract.KeyDigest(pair[0])] = pair[1]
	}
	return nil
}

// newSubject returns a mock with a scenario, to hold against recordings, and what closes it. Its clock stands still
// where the scenario begins.
func newSubject(library scenarios.Library, scenario string, brand specs.Brand, opts ...mockserver.Option) (
	contract.Subject, func() error, error,
) {
	loaded, err := library.LoadBranded(scenario, brand)
	if err != nil {
		return contract.Subject{}, nil, err
	}
	server, err := mockserver.New(append([]mockserver.Option{
		mockserver.WithScenario(scenario), mockserver.WithBrand(brand), mockserver.WithClock(mockserver.ClockFrozen),
		mockserver.WithQueryEngine(sqlite.New()),
	}, opts...)...)
	if err != nil {
		return contract.Subject{}, nil, err
	}
	s := subjectOf(server.World(""))
	s.Name, s.Keys = "the scenario "+scenario, map[string]string{}
	for _, key := range loaded.Fixture.Account.Keys {
		for _, digest := range key.Recorded { // of the recorded keys that it stands for
			s.Keys[digest] = key.Key
		}
	}
	return s, server.Close, nil
}

// subjectOf returns a world as a server to hold against recordings.
func subjectOf(w *mockserver.World) contract.Subject {
	return contract.Subject{
		Handler: w,
		Clock: func(at time.Time) error {
			if !at.After(w.Now()) {
				return nil
			}
			if err := w.SetClock(mockserver.ClockFrozen, at); err != nil {
				return err
			}
			if now := w.Now(); now.Before(at) {
				return fmt.Errorf("too much is due until then: the clock stopped at %s", now.Format(time.RFC3339))
			}
			return nil
		},
		Fork:  func() (contract.Subject, error) { return subjectOf(w.Fork()), nil },
		Close: func() { _ = w.Delete() },
		Key:   "1/admin",
	}
}
