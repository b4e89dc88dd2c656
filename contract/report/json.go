package report

import (
	_ "embed"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"svc.example/understudy/specs"
)

// JSONSchema is the JSON Schema, draft 2020-12, of a report's JSON form.
//
//go:embed report.schema.json
var JSONSchema string

// Version is that of the report's JSON form. It goes up when a member changes its name or meaning.
const Version = 2

type wire struct {
	Version   int       `json:"version"`
	Exchanges Exchanges `json:"exchanges"`
	Checks    Checks    `json:"checks"`
	Judged    Judged    `json:"judged"`
	Engines   []Engine  `json:"engines"`
	Findings  []Finding `json:"findings"`
	Omitted   int       `json:"omitted"`
	Rules     []Rule    `json:"rules"`
	Coverage  Coverage  `json:"coverage"`
	Shown     []Line    `json:"shown"`
	Notes     []string  `json:"notes"`
	Failed    bool      `json:"failed"`

	Problems   []Problem   `json:"problems"`
	Bases      []Base      `json:"bases"`
	Unmatched  []Unmatched `json:"unmatched"`
	Gaps       []Gap       `json:"gaps,omitempty"`
	Baseline   *Baseline   `json:"baseline,omitempty"`
	Thresholds []Threshold `json:"thresholds"`

	MaxInconclusive *Limit `json:"max_inconclusive,omitempty"`
}

// MarshalJSON implements json.Marshaler. Lists are never null.
func (r *Report) MarshalJSON() ([]byte, error) {
	w := wire{
		Version: Version, Exchanges: r.Exchanges, Checks: r.Checks, Judged: r.Judged, MaxInconclusive: r.MaxInconclusive,
		Findings: r.Findings, Omitted: r.Omitted,
		Engines: list(r.Engines), Rules: r.Rules, Coverage: r.Coverage, Notes: r.Notes, Failed: r.Failed(), Shown: []Line{},
	}
	for _, number := range slices.Sorted(maps.Keys(r.Shown)) {
		w.Shown = append(w.Shown, r.Shown[number])
	}
	w.Judged.Reasons = list(w.Judged.Reasons)
	w.Problems, w.Bases, w.Unmatched = list(r.Problems), list(r.Bases), list(r.Unmatched)
	w.Gaps, w.Baseline, w.Thresholds = r.Gaps, r.Baseline, list(r.Thresholds)
	w.Findings, w.Rules, w.Notes, w.Coverage.Axes = list(w.Findings), list(w.Rules), list(w.Notes), list(w.Coverage.Axes)
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

// list returns a list that is never null.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// WriteJSON writes the report in its JSON form.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(jsonSpelling.guard(w))
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// MarshalJSON implements json.Marshaler. Lists are never null.
func (p Parts) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Seen   []string `json:"seen"`
		Missed []string `json:"missed"`
	}{list(p.Seen), list(p.Missed)})
}
