package contract_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// exchangesOf returns the exchanges of a source.
func exchangesOf(t *testing.T, source contract.Source) (list []*recording.Exchange) {
	t.Helper()
	for item, err := range source.Items() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, item.Exchange)
	}
	return list
}

// writtenReport returns a report as JSON, with an error.
func writtenReport(t *testing.T, r *contract.Report, err error) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%serror: %v\n", b.String(), err)
}

// altered returns a recording of which a part was lost, put elsewhere or changed.
func altered(list []*recording.Exchange, random *rand.Rand) []*recording.Exchange {
	var copies []*recording.Exchange
	for i, e := range list {
		c := *e
		switch random.IntN(10) {
		case 0:
			continue
		case 1:
			c.Request.Headers = nil
		case 2:
			c.Response = nil
		case 3:
			c.Response = &recording.Response{Status: []int{200, 404, 418, 500}[random.IntN(4)]}
		case 4:
			c.Request.Method = []string{"DELETE", "PUT", "GET"}[random.IntN(3)]
		case 5:
			if other := list[random.IntN(len(list))]; other.Response != nil {
				c.Response = other.Response
			}
		case 6:
			c.Seq = int64(i + random.IntN(5))
		}
		copies = append(copies, &c)
	}
	random.Shuffle(len(copies)/10, func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
	return copies
}

// The report on a recording that grows is, at any time, that on all of it so far, byte for byte.
func TestLiveReportsAreThoseOfACheck(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	recordings := map[string][]*recording.Exchange{
		"nothing":       nil,
		"hostile":       exchangesOf(t, hostile(t)),
		"many findings": faulty(1500),
		"many altered":  altered(faulty(1500), random),
		"long":          faulty(10_000),
	}
	files, _ := filepath.Glob("testdata/*.ndjson")
	for _, file := range files {
		list := exchangesOf(t, contract.Files(file))
		recordings[file] = list
		for i := range 4 {
			recordings[fmt.Sprint(file, " altered ", i)] = altered(list, random)
		}
	}
	settings := map[string][]contract.Option{
		"by default": {contract.WithEngine(libopenapi.New())},
		"with options": {
			contract.WithoutRules("undeclared-field"), contract.WithSeverity("schema", "workflow.*", contract.Off),
			contract.WithIgnoredPaths("/*/things"), contract.WithGaps(true), contract.WithMaxInconclusive(3),
			contract.WithThreshold("operations", 10), contract.WithDisputed(true), contract.WithComplete(contract.CompleteNever),
		},
	}
	for setting, opts := range settings {
		c, err := contract.NewChecker(opts...)
		if err != nil {
			t.Fatal(err)
		}
		for name, list := range recordings {
			seed := random.Uint64()
			t.Run(setting+"/"+name, func(t *testing.T) {
				t.Parallel()
				isAsChecked(t, c, list, rand.New(rand.NewPCG(seed, 0)))
			})
		}
	}
}

// isAsChecked adds a recording in batches, and holds the report after some of them against that of a check.
func isAsChecked(t *testing.T, c *contract.Checker, list []*recording.Exchange, random *rand.Rand) {
	t.Helper()
	l, err := c.Live("memory", nil)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; ; {
		next := min(len(list), at+1+random.IntN(1+len(list)/2))
		l.Add(list[at:next]...)
		if at = next; random.IntN(2) == 0 && at < len(list) {
			continue
		}
		live, err := l.Report(t.Context())
		got := writtenReport(t, live, err)
		once, err := c.Check(t.Context(), contract.Exchanges(slices.Values(list[:at])))
		if diff := cmp.Diff(writtenReport(t, once, err), got); diff != "" {
			t.Fatalf("after %d of %d exchanges (-check +live):\n%.4000s", at, len(list), diff)
		}
		if diff := cmp.Diff(sums(once), sums(live)); diff != "" {
			t.Fatalf("after %d of %d exchanges (-check +live):\n%.4000s", at, len(list), diff)
		}
		if at == len(list) {
			break
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// sums returns what the JSON of a report does not hold.
func sums(r *contract.Report) any {
	return []any{r.Exchanges, r.Checks, r.Judged, r.Engines, r.Omitted, r.Gaps, r.Bases, r.Failed(), r.Outcome()}
}

// What a Live says of single exchanges adds up to its report. Of requests without credentials only the first of each
// operation are kept.
func TestLiveVerdictsAddUp(t *testing.T) {
	t.Parallel()
	l, err := checker(t).Live("memory", nil)
	if err != nil {
		t.Fatal(err)
	}
	list := faulty(500)
	for i, e := range list {
		e.Seq = int64(i + 1)
	}
	for _, v := range l.Add(list...) {
		if !v.Pending {
			t.Errorf("%+v is not pending", v)
		}
	}
	r, err := l.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sums, findings := map[string]report.Rule{}, 0
	for _, e := range list {
		v := l.Verdicts(e.Seq)[0]
		for _, c := range v.Checks {
			sum := sums[c.Rule]
			sum.ID, sum.Triggered = c.Rule, sum.Triggered+c.Pass+c.Fail+c.Inconclusive
			sum.Pass, sum.Fail, sum.Inconclusive = sum.Pass+c.Pass, sum.Fail+c.Fail, sum.Inconclusive+c.Inconclusive
			sums[c.Rule] = sum
		}
		findings += len(v.Findings)
		if v.Pending || v.Seq != e.Seq || len(v.Findings) > 0 && v.Outcome != "fail" && v.Outcome != "inconclusive" {
			t.Errorf("%+v, want the settled verdict on %d", v, e.Seq)
		}
	}
	for _, rule := range r.Rules {
		if sum := sums[rule.ID]; rule.ID != "auth-scheme" && rule.Triggered > 0 && rule != sum {
			t.Errorf("%+v, and the verdicts add up to %+v", rule, sum)
		}
	}
	if want := len(r.Findings) + r.Omitted; findings != want {
		t.Errorf("the verdicts have %d findings, want %d", findings, want)
	}
}

// settled adds exchanges one by one, and returns which verdicts changed after each, as text.
func settled(t *testing.T, l *contract.Live, list []*recording.Exchange) (changes []string) {
	t.Helper()
	for _, e := range list {
		l.Add(e)
		changed, err := l.Settle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, v := range changed {
			said = append(said, fmt.Sprintf("%d %s%s", v.Seq, v.Outcome, map[bool]string{true: "!"}[v.Breaks]))
		}
		changes = append(changes, strings.Join(said, ", "))
	}
	return changes
}

// A later exchange may show what an earlier one was: then that one's verdict changes, and is given again.
func TestLiveVerdictsChange(t *testing.T) {
	t.Parallel()
	l, err := checker(t).Live("default", nil)
	if err != nil {
		t.Fatal(err)
	}
	changes := settled(t, l, exchangesOf(t, contract.Files("testdata/pools-broken.ndjson")))
	want := []string{"1 pass", "2 pass", "3 pass", "4 fail!", "5 pass", "6 pass"}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changed verdicts (-want +got):\n%s", diff)
	}
	v := l.Verdicts(4)[0]
	f := v.Findings[0]
	if f.Rule != "pool-deletion" || !slices.Equal(f.Evidence, []int64{2, 3, 4}) || f.Spec.File != "workflow.yaml" ||
		f.Spec.Excerpt == nil || f.Spec.Excerpt.First > f.Spec.Line || f.Spec.Line >= f.Spec.Excerpt.First+len(f.Spec.Excerpt.Lines) {
		t.Errorf("finding %+v", f)
	}
	noneAgain, err := l.Settle(t.Context())
	if err != nil || len(noneAgain) > 0 {
		t.Errorf("nothing was added, and %+v changed, error %v", noneAgain, err)
	}

	// That a request has no credentials is a fault as soon as another one has some.
	if l, err = checker(t).Live("default", nil); err != nil {
		t.Fatal(err)
	}
	bare, keyed := plainGET("/pool_rules", ""), plainGET("/pool_rules", "1/key")
	bare.Seq, keyed.Seq = 71, 72
	if diff := cmp.Diff([]string{"71 inconclusive", "71 fail!, 72 pass"}, settled(t, l, []*recording.Exchange{bare, keyed})); diff != "" {
		t.Errorf("changed verdicts (-want +got):\n%s", diff)
	}
}

// A check may have several findings, and one that only warns fails as well: what a page shows beside a world is counted
// as in all forms of a report.
func TestWhatIsShownLiveIsCountedAsInReports(t *testing.T) {
	t.Parallel()
	const pools = "https://workflow.svc.example/api/pools"
	for name, bodies := range map[string][]string{
		"nothing wrong":                {poolsOK},
		"several findings of a body":   {`{"pools":[{}]}`},
		"the same one twice":           {`{"pools":[{}]}`, `{"pools":[{}]}`},
		"an undeclared field":          {`{"pools":[],"more":1}`},
		"a violation between requests": {poolsOK, `{"pools":[]}`},
		"a body that is not there":     {poolsOK, ""},
		"a body that is cut":           {poolsOK, `{"pools":[`},
	} {
		l, err := checker(t).Live("memory", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range bodies {
			e := getting(pools, text)
			if text == "" {
				e.Response.Body = nil
			}
			l.Add(e)
		}
		if _, err := l.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := l.Report(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := r.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		shown, report := l.Overview(), strings.Join(strings.Fields(text.String()), " ")
		if want := "findings " + shown.Count; shown.Count == "" || !strings.Contains(report, want) {
			t.Errorf("%s: the report does not say %q:\n%s", name, want, text.String())
		}
		for _, rule := range shown.Rules {
			if rule.Count != "" && !strings.Contains(report, ": "+rule.Count) {
				t.Errorf("%s: the report does not say %q of %s:\n%s", name, rule.Count, rule.ID, text.String())
			}
		}
	}
}
