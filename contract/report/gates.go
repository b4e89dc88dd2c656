package report

import "fmt"

// gate is a condition of a report beside its findings.
type gate struct {
	Name   string   // what has to hold
	Level  string   // what it means if it does not: error fails the check, warning and note do not
	Faults []string // in which ways it does not hold, a sentence each
}

// Fails reports whether the gate fails the check.
func (g gate) Fails() bool { return g.Level == levelError && len(g.Faults) > 0 }

// First returns the first fault, shortened.
func (g gate) First() string { return short(g.Faults[0], 300) }

// More returns the number of the others.
func (g gate) More() int { return len(g.Faults) - 1 }

// Levels of gates, in the words of SARIF.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelNote    = "note"
)

// gates lists what has to hold of a report beside its findings.
func (r *Report) gates() []gate {
	readable := gate{"the recording can be read", levelError, nil}
	for i := range r.Problems {
		p := &r.Problems[i]
		readable.Faults = append(readable.Faults,
			plain(fmt.Sprintf("%s could not be read, and was skipped: %s", p.place(), p.Message)))
	}
	list := []gate{readable}
	if len(r.Gaps) > 0 {
		complete := gate{"the recording is complete", levelWarning, nil}
		if r.Complete {
			complete.Level = levelError
		}
		for i := range r.Gaps {
			complete.Faults = append(complete.Faults, plain(r.Gaps[i].inWords()))
		}
		list = append(list, complete)
	}
	if c := r.Comparison; c != nil && c.skippedInWords() != "" {
		list = append(list, gate{"every exchange was compared", levelNote, []string{"not compared: " + c.skippedInWords()}})
	}
	if r.Baseline != nil {
		current := gate{"the baseline is up to date", levelError, nil}
		for i := range r.Baseline.Stale {
			e := &r.Baseline.Stale[i]
			current.Faults = append(current.Faults,
				plain(fmt.Sprintf("%s: %s no longer occurs (%s): remove it", r.Baseline.File, e.ID, e.inWords())))
		}
		list = append(list, current)
	}
	for _, t := range r.Thresholds {
		covered := gate{"coverage of " + t.Axis, levelError, nil}
		if t.Missed() {
			covered.Faults = []string{fmt.Sprintf("coverage of %s is %.1f %%, want %v %%", t.Axis, t.Got, t.Want)}
		}
		list = append(list, covered)
	}
	if r.MaxInconclusive != nil {
		judged := gate{"enough could be judged", levelError, nil}
		if r.MaxInconclusive.Exceeded() {
			judged.Faults = []string{r.MaxInconclusive.inWords()}
		}
		list = append(list, judged)
	}
	done, outcome := "checked", plain(r.Outcome())
	if r.Comparison != nil {
		done = "compared"
	}
	if r.isNothing() {
		list = append(list, gate{"at least one exchange was " + done, levelError, []string{outcome}})
	}
	if r.more && r.tally("")[0].Count == 0 {
		list = append(list, gate{"no " + r.fault() + " was left out", levelError, []string{outcome}})
	}
	return list
}
