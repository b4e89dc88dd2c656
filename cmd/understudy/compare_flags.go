package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/fixtures"
	"svc.example/understudy/specs/source"
)

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

// maskFlag is the value of a repeatable flag that masks places: OPERATION:POINTER.
type maskFlag struct{ list []report.Mask }

func (m *maskFlag) String() string { return "" }

func (m *maskFlag) Type() string { return "OPERATION:POINTER" }

func (m *maskFlag) Set(text string) error {
	operation, pointer, found := strings.Cut(text, ":")
	if !found || operation == "" || !strings.HasPrefix(pointer, "/") {
		return fmt.Errorf("want %s, as in core.listJobs:/jobs/*/duration or 'core.*:/**/url'", m.Type())
	}
	m.list = append(m.list, report.Mask{Operation: operation, Pointer: pointer, Reason: "asked for with --mask"})
	return nil
}

// allMasks lists the masks of the command line and of the configuration.
func (f *compareFlags) allMasks(c *cobra.Command) []report.Mask {
	list := slices.Clone(f.masks.list)
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

// keyFlag is the value of a repeatable flag that gives keys to recorded ones: MARK=KEY.
type keyFlag struct{ list [][2]string }

func (k *keyFlag) String() string { return "" }

func (k *keyFlag) Type() string { return "MARK=KEY" }

func (k *keyFlag) Set(text string) error {
	at := strings.LastIndexByte(text, '=')
	if at <= 0 || at == len(text)-1 {
		return fmt.Errorf("want %s, as in 1a2b3c4d=1/write", k.Type())
	}
	k.list = append(k.list, [2]string{text[:at], text[at+1:]})
	return nil
}

// digest matches the digest of a recorded key.
var digest = regexp.MustCompile(`^[0-9a-f]{8}$`)

// apply gives the keys to a subject. They must be keys of the scenario.
func (k *keyFlag) apply(s *contract.Subject, account fixtures.Account) error {
	var known []string
	for _, key := range account.Keys {
		known = append(known, key.Key)
	}
	for _, pair := range k.list {
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
