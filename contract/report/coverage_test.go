package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

func coverageOf(operation string, exchanges int, seen, missed []string) report.Coverage {
	return report.Coverage{
		Operations: map[string]report.Touched{operation: {
			Exchanges: exchanges, Statuses: map[string]int{"200": exchanges},
			Responses: report.Parts{Covered: seen, Uncovered: missed},
		}},
		Untouched: map[string][]string{"core.b": {"200", "404"}, "workflow.a": {"200", "404"}, "workflow.c": {"204"}},
		Covered:   1, Documented: 3,
		Axes: []report.Axis{
			{Name: report.Operations, Covered: 1, Documented: 3},
			{Name: report.Responses, Covered: len(seen), Documented: 5},
			{Name: report.RulesAxis, Covered: 2, Documented: 4},
		},
		Totals: map[specs.Interface]map[string]int{
			"core": {report.Operations: 1, report.Responses: 2}, "workflow": {report.Operations: 2, report.Responses: 3},
		},
	}
}

func TestMergedCoverageIsWhatAnyReportSaw(t *testing.T) {
	t.Parallel()
	a := coverageOf("workflow.a", 2, []string{"200"}, []string{"404"})
	b := coverageOf("workflow.a", 3, []string{"404"}, []string{"200"})
	c := coverageOf("core.b", 1, []string{"200"}, []string{"404"})
	for _, each := range []report.Coverage{a, b, c} {
		for name := range each.Operations {
			delete(each.Untouched, name)
		}
	}
	got := report.MergeCoverage(a, b, c)
	want := report.Coverage{
		Operations: map[string]report.Touched{
			"workflow.a": {
				Exchanges: 5, Statuses: map[string]int{"200": 5},
				Responses: report.Parts{Covered: []string{"200", "404"}, Uncovered: []string{}},
			},
			"core.b": {
				Exchanges: 1, Statuses: map[string]int{"200": 1},
				Responses: report.Parts{Covered: []string{"200"}, Uncovered: []string{"404"}},
			},
		},
		Untouched: map[string][]string{"workflow.c": {"204"}},
		Covered:   2, Documented: 3,
		Axes: []report.Axis{
			{Name: report.Operations, Covered: 2, Documented: 3},
			{Name: report.Requests},
			{Name: report.Responses, Covered: 3, Documented: 5},
			{Name: report.Parameters},
			{Name: report.Enums},
			{Name: report.Properties},
			{Name: report.RulesAxis, Covered: 2, Documented: 4},
		},
		Totals: a.Totals,
	}
	emptyIsNil := cmp.FilterValues(func(x, y []string) bool { return len(x) == 0 && len(y) == 0 }, cmp.Ignore())
	if diff := cmp.Diff(want, got, emptyIsNil); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(got, report.MergeCoverage(c, report.MergeCoverage(b, a)), emptyIsNil); diff != "" {
		t.Errorf("the order matters (-abc +cba):\n%s", diff)
	}
	own := got.Of("workflow")
	if diff := cmp.Diff([]report.Axis{
		{Name: report.Operations, Covered: 1, Documented: 2},
		{Name: report.Requests},
		{Name: report.Responses, Covered: 2, Documented: 3},
		{Name: report.Parameters},
		{Name: report.Enums},
		{Name: report.Properties},
	}, own.Axes); diff != "" {
		t.Errorf("of one interface (-want +got):\n%s", diff)
	}
}

func TestMergedRulesAreAddedUp(t *testing.T) {
	t.Parallel()
	merged := report.MergeRules(
		[]report.Rule{{ID: "schema", Triggered: 2, Pass: 2}, {ID: "role"}},
		[]report.Rule{{ID: "schema", Triggered: 1, Fail: 1}, {ID: "role"}},
	)
	if diff := cmp.Diff([]report.Rule{{ID: "schema", Triggered: 3, Pass: 2, Fail: 1}, {ID: "role"}}, merged); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if got := report.AxisOfRules(merged); got != (report.Axis{Name: report.RulesAxis, Covered: 1, Documented: 2}) {
		t.Errorf("axis %+v", got)
	}
}

func wireOf(tb testing.TB, r *report.Report) string {
	tb.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

func TestAReportIsReadBack(t *testing.T) {
	t.Parallel()
	r := &report.Report{
		Coverage: coverageOf("workflow.a", 2, []string{"200"}, []string{"404"}),
		Rules:    []report.Rule{{ID: "schema", Triggered: 1, Pass: 1}},
	}
	got, err := report.ReadCoverage("r.json", strings.NewReader(wireOf(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(r.Coverage)
	have, _ := json.Marshal(got.Coverage)
	if diff := cmp.Diff(string(want), string(have)); diff != "" || len(got.Rules) != 1 {
		t.Errorf("rules %v, coverage (-want +got):\n%s", got.Rules, diff)
	}
}

func TestWhatIsNoReportIsToldOfWithItsPlace(t *testing.T) {
	t.Parallel()
	good := wireOf(t, &report.Report{})
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":       {"  \n", "r.json is empty"},
		"no JSON":       {"{\n\"exchanges\": x}", "r.json:2 is not JSON"},
		"half of it":    {good[:len(good)/2], "is not JSON: unexpected EOF"},
		"two of them":   {good + good, "unexpected data after the report"},
		"another thing": {`{"coverage": 1}`, "at /coverage/ expected object"},
		"a wrong count": {strings.Replace(good, `"covered": 0`, `"covered": -1`, 1), "at /coverage/covered/"},
		"a huge number": {
			strings.Replace(good, `"covered": 0`, `"covered": 1e99999999`, 1),
			"a number that is out of range",
		},
		"an older form": {
			strings.Replace(good, `"version": 2,`, "", 1),
			"r.json is a report of version 1, but this program reads version 2: check the recording again",
		},
		"a newer form":    {strings.Replace(good, `"version": 2`, `"version": 3`, 1), "a report of version 3"},
		"a recorded line": {`{"request":{"method":"GET","url":"/"}}`, "missing properties"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := report.ReadCoverage("r.json", strings.NewReader(tt.text)); err == nil ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzReadCoverage(f *testing.F) {
	f.Add(wireOf(f, &report.Report{Coverage: coverageOf("workflow.a", 2, []string{"200"}, nil)}))
	f.Add(`{"coverage":{"covered":1e999999999}}`)
	f.Fuzz(func(t *testing.T, text string) {
		covered, err := report.ReadCoverage("r.json", strings.NewReader(text))
		if err == nil {
			merged := report.MergeCoverage(covered.Coverage, covered.Coverage)
			for _, axis := range merged.Axes {
				if axis.Covered > axis.Documented {
					t.Errorf("%+v", axis)
				}
			}
		}
	})
}
