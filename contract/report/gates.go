package report

import "fmt"

// gate is a condition of a report beside its findings.
type gate struct {
	name   string   // what has to hold
	level  string   // what it means if it does not: error fails the check, warning and note do not
	faults []string // in which ways it does not hold, a sentence each
}

func (g *gate) fails() bool { return g.level == levelError && len(g.faults) > 0 }

// first returns the first fault, shortened.
func (g *gate) first() string { return short(g.faults[0], 300) }

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
		readable.faults = append(readable.faults,
			plain(fmt.Sprintf("%s could not be read, and was skipped: %s", p.place(), p.Message)))
	}
	list := []gate{readable}
	if len(r.Gaps) > 0 {
		complete := gate{"the recording is complete", levelWarning, nil}
		if r.Complete {
			complete.level = levelError
		}
		for i := range r.Gaps {
			complete.faults = append(complete.faults, plain(r.Gaps[i].inWords()))
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
			current.faults = append(current.faults,
				plain(fmt.Sprintf("%s: %s no longer occurs (%s): remove it", r.Baseline.File, e.ID, e.inWords())))
		}
		list = append(list, current)
	}
	for _, t := range r.Thresholds {
		covered := gate{"coverage of " + t.Axis, levelError, nil}
		if t.Missed() {
			covered.faults = []string{fmt.Sprintf("coverage of %s is %.1f %%, want %v %%", t.Axis, t.Got, t.Want)}
		}
		list = append(list, covered)
	}
	if r.MaxInconclusive != nil {
		judged := gate{"enough could be judged", levelError, nil}
		if r.MaxInconclusive.Exceeded() {
			judged.faults = []string{r.MaxInconclusive.inWords()}
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
