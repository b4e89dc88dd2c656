package contract_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// recorded returns the exchanges of an NDJSON file.
func recorded(t *testing.T, file string) (list []*recording.Exchange) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		e := &recording.Exchange{}
		if err := json.Unmarshal([]byte(line), e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// full puts faults of all kinds before each exchange: answers that no document allows, and none at all.
func full(list []*recording.Exchange) (all []*recording.Exchange, injected int) {
	for _, e := range list {
		for _, answer := range []*recording.Response{
			nil,
			{Status: 503, Headers: recording.Headers{{"Retry-After", "2"}}, Body: &recording.Body{Bytes: []byte("{}")}},
			{Status: 418, Headers: recording.Headers{{"Content-Type", "text/html"}}, Body: &recording.Body{Bytes: []byte("<p>")}},
			{Status: 200, Headers: jsonHeaders(), Body: &recording.Body{Bytes: []byte(`{"id":7}`)}},
		} {
			one := *e
			one.Response, one.Fault = answer, "fault-1; answer=injected; effect=none"
			all = append(all, &one)
			injected++
		}
		own := *e
		all = append(all, &own)
	}
	for i, e := range all {
		e.Seq, e.Overlaps = int64(i+1), 0
	}
	return all, injected
}

// inHAR returns a HAR, in which the faults with an answer stand only in its headers, and the others are left out.
func inHAR(t *testing.T, list []*recording.Exchange) []byte {
	t.Helper()
	var answered []*recording.Exchange
	for _, e := range list {
		if e.Response == nil {
			continue
		}
		one := *e
		if e.Fault != "" {
			response := *e.Response
			response.Headers = append(slices.Clip(response.Headers), [2]string{recording.FaultHeader, e.Fault})
			one.Fault, one.Response = "", &response
		}
		answered = append(answered, &one)
	}
	for i, e := range answered {
		e.Seq = int64(i + 1)
	}
	var b bytes.Buffer
	if err := recording.WriteHAR(&b, slices.Values(answered)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestInjectedFaults(t *testing.T) {
	t.Parallel()
	for file, violations := range map[string]int{"testdata/pools.ndjson": 0, "testdata/pools-broken.ndjson": 1} {
		list := recorded(t, file)
		alone := checked(t, contract.Exchanges(slices.Values(list)))
		all, n := full(list)
		for form, source := range map[string]struct {
			contract.Source
			injected int
		}{
			"memory": {contract.Exchanges(slices.Values(all)), n},
			"HAR":    {contract.Read("faults.har", bytes.NewReader(inHAR(t, all))), n * 3 / 4},
		} {
			t.Run(file+" in "+form, func(t *testing.T) {
				t.Parallel()
				r := checked(t, source.Source)
				if r.Failed() != (violations > 0) || r.Exchanges.Injected != source.injected {
					t.Errorf("failed %t, %d injected, want %t, %d: %+v", r.Failed(), r.Exchanges.Injected, violations > 0,
						source.injected, r.Findings)
				}
				if diff := cmp.Diff(verdictsOf(alone), verdictsOf(r)); diff != "" {
					t.Errorf("verdicts without and with faults (-want +got):\n%s", diff)
				}
				sayFaults(t, r)
			})
		}
	}
}

func verdictsOf(r *contract.Report) (list []string) {
	for i := range r.Groups {
		g := &r.Groups[i]
		list = append(list, strings.Join([]string{g.ID, g.Rule, string(g.Verdict), string(g.Severity)}, " "))
	}
	return list
}

// sayFaults expects each form of a report to say how many faults there were, and the violation if there is one.
func sayFaults(t *testing.T, r *contract.Report) {
	t.Helper()
	for format, want := range map[string]string{
		"text": "injected fault", "json": `"injected": `, "html": "injected fault", "markdown": "injected fault",
		"junit": `<property name="injected-faults"`, "sarif": `"injected": `, "github": "injected fault",
	} {
		var b strings.Builder
		err := r.Write(&b, format)
		text := b.String()
		isFound := !r.Failed() || strings.Contains(text, "pool-deletion")
		if err != nil || !strings.Contains(text, want) || !isFound {
			t.Errorf("%s lacks %q or the violation (%v):\n%s", format, want, err, text)
		}
	}
}

func TestBodiesThatAFaultCutAreNotJudged(t *testing.T) {
	t.Parallel()
	const fault = "fault-1; answer=own; effect=once"
	cut, marked, late := getting(poolsURL, `{"pools":[{"id":`), getting(poolsURL, `{"poo`), getting(poolsURL, poolsOK)
	empty := getting(poolsURL, "")
	cut.Response.Headers = append(jsonHeaders(), [2]string{"Content-Length", "16"})
	marked.Response.Body.Truncated = true
	for _, e := range []*recording.Exchange{cut, marked, late, empty} {
		e.Fault = fault
		e.Request.Headers = recording.Headers{{"Authorization", "SVC1 1/admin"}}
	}
	r := checked(t, of(cut, marked, late, empty))
	want := report.Judged{Bodies: 1, Unjudged: 3, Reasons: []report.Reason{{Reason: "an injected fault cut it", Count: 3}}}
	if diff := cmp.Diff(want, r.Judged); diff != "" || len(r.Findings) > 0 || r.Exchanges.Injected > 0 {
		t.Errorf("%+v (-want +got):\n%s", r.Findings, diff)
	}
}

func TestRequestsWithInjectedAnswersAreJudged(t *testing.T) {
	t.Parallel()
	e := posting(poolsURL, "application/json", `{"name":7}`)
	e.Response.Status, e.Fault = 201, "fault-1; answer=injected; effect=none"
	r := checked(t, of(e))
	if len(r.Findings) == 0 || r.Failed() || r.Findings[0].Severity != report.Warning {
		t.Errorf("findings %+v, failed %t: want warnings of the request", r.Findings, r.Failed())
	}
}

func TestNothingIsLearnedFromInjectedAnswers(t *testing.T) {
	t.Parallel()
	hidden, seen := getting(poolsURL, strings.ReplaceAll(poolsOK, "default\"", "phantom\"")), getting(poolsURL, poolsOK)
	hidden.Fault = "fault-1; answer=injected; effect=none"
	write := posting(poolsURL, "application/json", `{"name":"b","concurrencyLimit":1}`)
	write.Response = nil
	write.Fault = "fault-2; answer=injected; effect=once"
	after := getting(poolsURL, poolsOK)
	learned, err := checker(t).Learn(t.Context(), of(hidden, seen, write, after), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Left out: GET /workflow/api/pools, into which the fault fault-1 was injected.",
		"# Left out: POST /workflow/api/pools, into which the fault fault-2 was injected.",
		"# The story ends here",
	} {
		if !strings.Contains(string(learned.Story), want) {
			t.Errorf("the story lacks %q:\n%s", want, learned.Story)
		}
	}
	if strings.Contains(string(learned.Scenario), "phantom") || strings.Count(string(learned.Story), "GET /workflow") != 2 {
		t.Errorf("%s\n%s", learned.Scenario, learned.Story)
	}
	if want := []string{"2 exchanges were left out, since faults were injected into them"}; !slices.Equal(learned.Notes, want) {
		t.Errorf("notes %q, want %q", learned.Notes, want)
	}
}
