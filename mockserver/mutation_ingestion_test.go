package mockserver_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// The mock puts the time of receipt in place of one that is too old or too far ahead. An answer that shows the claimed
// time instead, as of a platform without that rule, is noticed.
func TestTheTimeOfAnEvent(t *testing.T) {
	t.Parallel()
	const claimed = 1_000_000_000 // in 2001
	s := mocktest.NewServer(t)
	hire(t, s)
	mocktest.Call(t, s, "POST", eventPath, fmt.Sprintf(`{"id":"7","svc_record_time":%d}`, claimed)).Want(http.StatusOK)
	mocktest.Call(t, s, "GET", coreBase+"/table/tail/shop/orders", "").Want(http.StatusOK)
	journal, err := s.World("").Journal()
	if err != nil {
		t.Fatal(err)
	}
	if got := timeVerdict(t, journal); got != "pass" {
		t.Errorf("the mock: %s", got)
	}
	last := &journal[len(journal)-1]
	before, _, found := strings.Cut(string(last.Response.Body.Bytes), `"time":`)
	if !found {
		t.Fatalf("%s", last.Response.Body.Bytes)
	}
	last.Response.Body = &recording.Body{Bytes: []byte(before + fmt.Sprintf(`"time":%d}]`, claimed))}
	last.Response.Headers = slices.DeleteFunc(slices.Clone(last.Response.Headers), func(h [2]string) bool {
		return strings.EqualFold(h[0], "Content-Length")
	})
	if got := timeVerdict(t, journal); got != "fail" {
		t.Errorf("without the rule: %s", got)
	}
}

// timeVerdict returns the contract suite's verdict on the time of the one event of a journal.
func timeVerdict(t *testing.T, journal []recording.Exchange) string {
	t.Helper()
	checker, err := contract.NewChecker(contract.WithTrust(specs.Assumed), contract.WithRules("ingestion-time"),
		contract.WithBaseURL(specs.Core, "http://example.com/core/v3"),
		contract.WithBaseURL(specs.Ingestion, "http://example.com/ingestion"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := checker.Check(t.Context(), checktest.Journal(journal))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, r := range found.Rules {
		if r.ID == "ingestion-time" {
			fmt.Fprint(&out, strings.Repeat("pass", r.Pass), strings.Repeat("fail", r.Fail),
				strings.Repeat("inconclusive", r.Inconclusive))
		}
	}
	return out.String()
}
