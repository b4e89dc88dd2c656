package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/specs"
)

// JSONSchema is the JSON Schema, draft 2020-12, of a report's JSON form.
//
//go:embed report.schema.json
var JSONSchema string

// Version is the version of the report's JSON form. It increases when a member changes its name or meaning.
const Version = 2

type wire struct {
	Version   int       `json:"version"`
	Exchanges Exchanges `json:"exchanges"`
	Checks    Checks    `json:"checks"`

	Tally map[string]int `json:"tally"`

	Judged   Judged         `json:"judged"`
	Engines  []Engine       `json:"engines"`
	Findings []Finding      `json:"findings"`
	Omitted  int            `json:"omitted"`
	Rules    []Rule         `json:"rules"`
	Coverage Coverage       `json:"coverage"`
	Shown    []ExchangeLine `json:"shown"`
	Notes    []string       `json:"notes"`
	Failed   bool           `json:"failed"`

	Problems   []Problem   `json:"problems"`
	Bases      []Base      `json:"bases"`
	Unmatched  []Unmatched `json:"unmatched"`
	Gaps       []Gap       `json:"gaps,omitempty"`
	Baseline   *Baseline   `json:"baseline,omitempty"`
	Comparison *Comparison `json:"comparison,omitempty"`
	Thresholds []Threshold `json:"thresholds"`

	MaxInconclusive *Limit `json:"max_inconclusive,omitempty"`
}

// MarshalJSON implements json.Marshaler. Lists are never null.
func (r *Report) MarshalJSON() ([]byte, error) {
	w := wire{
		Version: Version, Exchanges: r.Exchanges, Checks: r.Checks, Tally: r.tallyByLabel(),
		Judged: r.Judged, MaxInconclusive: r.MaxInconclusive,
		Findings: r.Findings, Omitted: r.Omitted,
		Engines: neverNil(r.Engines), Rules: r.Rules, Coverage: r.Coverage, Notes: r.Notes, Failed: r.Failed(),
		Shown: []ExchangeLine{},
	}
	for _, number := range slices.Sorted(maps.Keys(r.Shown)) {
		w.Shown = append(w.Shown, r.Shown[number])
	}
	if r.Comparison != nil {
		c := *r.Comparison
		c.Operations, c.Skipped, c.Masks = neverNil(c.Operations), neverNil(c.Skipped), neverNil(c.Masks)
		w.Comparison = &c
	}
	w.Judged.Reasons = neverNil(w.Judged.Reasons)
	w.Problems, w.Bases, w.Unmatched = neverNil(r.Problems), neverNil(r.Bases), neverNil(r.Unmatched)
	w.Gaps, w.Baseline, w.Thresholds = r.Gaps, r.Baseline, neverNil(r.Thresholds)
	w.Findings, w.Rules, w.Notes, w.Coverage.Axes = neverNil(w.Findings), neverNil(w.Rules), neverNil(w.Notes),
		neverNil(w.Coverage.Axes)
	if w.Coverage.Operations == nil {
		w.Coverage.Operations = map[string]Touched{}
	}
	if w.Coverage.Untouched == nil {
		w.Coverage.Untouched = map[string][]string{}
	}
	if w.Coverage.Totals == nil {
		w.Coverage.Totals = map[specs.Interface]map[string]int{}
	}
	return json.Marshal(w)
}

// neverNil returns a list, empty instead of nil.
func neverNil[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// WriteJSON writes the report in its JSON form.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(escaped{jsonSpelling.guard(w)})
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// escaped writes JSON with escapes for what would change how the rest is shown, as evidence.Plain takes it: JSON may
// hold a delete and the second set of control characters as they are. Each write holds whole characters, as an
// encoder's does.
type escaped struct{ w io.Writer }

func (v escaped) Write(p []byte) (int, error) {
	from := 0
	for i, c := range string(p) {
		if c < 0x7f || !evidence.IsHidden(c) {
			continue
		}
		if _, err := fmt.Fprintf(v.w, "%s\\u%04x", p[from:i], c); err != nil {
			return from, err
		}
		from = i + utf8.RuneLen(c)
	}
	if _, err := v.w.Write(p[from:]); err != nil {
		return from, err
	}
	return len(p), nil
}

// MarshalJSON implements json.Marshaler. Lists are never null.
func (p Parts) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Seen   []string `json:"seen"`
		Missed []string `json:"missed"`
	}{neverNil(p.Covered), neverNil(p.Uncovered)})
}
