package simulation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTrialsAreTheSameEachTime makes a recording of a seed twice.
func TestTrialsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		if diff := cmp.Diff(written(newTrial(seed)), written(newTrial(seed))); diff != "" {
			t.Errorf("seed %d (-first +second):\n%s", seed, diff)
		}
	}
}

func written(t *trial) map[string]string {
	files := map[string]string{}
	for _, f := range t.files {
		files[f.name] = string(t.loss.bytes(f))
	}
	return files
}

// TestViolationsAreRecorded looks for what is planted in recordings of all kinds: it is never lost, and never planted
// in histories that are to be valid. All losses and all forms come up.
func TestViolationsAreRecorded(t *testing.T) {
	t.Parallel()
	want := append(allLosses(), ndjson, plain, har)
	for seed := range uint64(4 * len(violations())) {
		x := newTrial(seed)
		isPlanted := slices.ContainsFunc(numbered(x.files)[1:], func(e *event) bool { return e.isPlanted })
		if isPlanted != (x.violation != nil) {
			t.Errorf("seed %d: %+v: planted: %t", seed, x.violation, isPlanted)
		}
		want = slices.DeleteFunc(want, func(name string) bool { return x.loss.has(name) || x.loss.form == name })
	}
	if len(want) > 0 {
		t.Errorf("no recording with %v", want)
	}
}

// TestViolationsOfAllRules counts the ways to break each rule that speaks of several exchanges.
func TestViolationsOfAllRules(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, v := range violations() {
		count[v.rule]++
	}
	want := map[string]int{
		"pool-deletion": 3, "default-pool": 4, "pool-rule-order": 4, "attempt-resume": 8, "token-revocation": 3,
		"sub-user-removal": 4, "table-recovery": 5, "dwh-deletion": 4, "dwh-target": 3, "use-after-delete": 6,
		"ingestion-size": 3, "ingestion-auth": 3, "ingestion-time": 3,
	}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
