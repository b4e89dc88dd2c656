package rule_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// isAsSure checks that no finding is less sure than its rule says of itself.
func isAsSure(t *testing.T, id string, r *contract.Report) {
	t.Helper()
	for _, f := range r.Findings {
		if said := r.Docs[id].Provenance; f.Rule == id && report.LeastSure(said, f.Provenance) != said {
			t.Errorf("it is %s that %s; the rule says that it is %s", f.Provenance, f.Message, said)
		}
	}
}

// cutStillViolates checks that the evidence of a violation is enough to show it again.
func cutStillViolates(t *testing.T, id string, exchanges []*recording.Exchange, r *contract.Report) {
	t.Helper()
	violations := 0
	for _, f := range r.Findings {
		if f.Rule != id || f.Verdict != report.Fail {
			continue
		}
		violations++
		var cut bytes.Buffer
		if err := contract.WriteEvidence(&cut, contract.Exchanges(slices.Values(exchanges)), &f); err != nil {
			t.Fatal(err)
		}
		if !finds(t, f.ID, contract.Read("cut", &cut)) {
			t.Errorf("cut to exchanges %v, it is no longer found that %s", f.Evidence, f.Message)
		}
	}
	if violations > 0 {
		isMinimal(t, id, exchanges, r)
	}
}

func finds(t *testing.T, id string, source contract.Source) bool {
	t.Helper()
	r, err := checker(t).Check(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(r.Findings, func(f contract.Finding) bool { return f.ID == id })
}

// isMinimal checks that the smallest recordings of violations show them, and would not without any of their exchanges.
func isMinimal(t *testing.T, id string, exchanges []*recording.Exchange, r *contract.Report) {
	t.Helper()
	dir := t.TempDir()
	if err := checker(t).Minimize(t.Context(), contract.Exchanges(slices.Values(exchanges)), r, dir); err != nil {
		t.Fatal(err)
	}
	for _, group := range r.Groups {
		if group.Rule != id || group.Verdict != report.Fail {
			continue
		}
		var smallest []*recording.Exchange
		for record, err := range contract.Files(filepath.Join(dir, id+"-"+group.ID+".ndjson")) {
			if err != nil {
				t.Fatal(err)
			}
			item, err := record.Decode()
			if err != nil {
				t.Fatal(err)
			}
			smallest = append(smallest, item.Exchange)
		}
		if len(smallest) > len(group.Evidence) || !finds(t, group.ID, contract.Exchanges(slices.Values(smallest))) {
			t.Errorf("%d exchanges do not show that %s", len(smallest), group.Message)
		}
		for i := range smallest {
			rest := slices.Delete(slices.Clone(smallest), i, i+1)
			if len(rest) > 0 && finds(t, group.ID, contract.Exchanges(slices.Values(rest))) {
				t.Errorf("without exchange %d of %d it is still found that %s", i+1, len(smallest), group.Message)
			}
		}
		partsHoldNothing(t, smallest, &group)
	}
}
