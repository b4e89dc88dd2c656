package report

import (
	_ "embed"
	"encoding/json"
	"io"
	"maps"
	"slices"
)

// JSONSchema is the JSON Schema, draft 2020-12, of a report's JSON form.
//
//go:embed report.schema.json
var JSONSchema string

type wire struct {
	Exchanges Exchanges `json:"exchanges"`
	Checks    Checks    `json:"checks"`
	Findings  []Finding `json:"findings"`
	Omitted   int       `json:"omitted"`
	Rules     []Rule    `json:"rules"`
	Coverage  Coverage  `json:"coverage"`
	Shown     []Line    `json:"shown"`
	Notes     []string  `json:"notes"`
	Failed    bool      `json:"failed"`
}

// MarshalJSON implements json.Marshaler. Lists are never null.
func (r *Report) MarshalJSON() ([]byte, error) {
	w := wire{
		Exchanges: r.Exchanges, Checks: r.Checks, Findings: r.Findings, Omitted: r.Omitted, Rules: r.Rules,
		Coverage: r.Coverage, Notes: r.Notes, Failed: r.Failed(), Shown: []Line{},
	}
	for _, number := range slices.Sorted(maps.Keys(r.Shown)) {
		w.Shown = append(w.Shown, r.Shown[number])
	}
	if w.Findings == nil {
		w.Findings = []Finding{}
	}
	if w.Rules == nil {
		w.Rules = []Rule{}
	}
	if w.Notes == nil {
		w.Notes = []string{}
	}
	if w.Coverage.Operations == nil {
		w.Coverage.Operations = map[string]Touched{}
	}
	return json.Marshal(w)
}

// WriteJSON writes the report in its JSON form.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
