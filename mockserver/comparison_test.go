package mockserver_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// mockDiffers lists which exchanges of the journal have notes on differences, with the first of these.
func mockDiffers(t *testing.T, s *mockserver.Server) (list []string) {
	t.Helper()
	journal, err := s.World("").Journal()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range journal {
		for _, note := range e.Notes {
			list = append(list, fmt.Sprintf("%d %s: %s", e.Seq, e.Operation, note))
		}
	}
	return list
}

// The mock is asked what the target was asked, with the ids that it knows things by. What is written is written in its
// world, too. Differences are notes of the exchange, and in the report; nothing else shows what the mock answered.
func TestTargetsAreCompared(t *testing.T) {
	t.Parallel()
	there := mocktest.NewServer(t, mockserver.WithSeed(5))
	mocktest.Call(t, there, "POST", "/workflow/api/pools", `{"name":"only there","concurrencyLimit":1}`).Want(201) // so that numbers differ
	handler, err := there.Interface(specs.Workflow)
	if err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(handler)
	t.Cleanup(service.Close)
	checker, err := contract.NewChecker(contract.WithMockOnAllHosts(),
		contract.WithTolerance(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	live, err := checker.CompareLive(contract.Subject{Name: "the mock", Key: "1/admin"})
	if err != nil {
		t.Fatal(err)
	}
	var log, recorded bytes.Buffer
	s := mocktest.NewServer(t, mockserver.WithTarget(specs.Workflow, service.URL), mockserver.WithComparison(live.Compare),
		mockserver.WithRecording(&recorded),
		mockserver.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))

	made := mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"mine","concurrencyLimit":2}`).Want(201)
	id := jsontree.Find(made.Body, "id").Text()
	mocktest.Call(t, s, "GET", "/workflow/api/pools/"+id, "").Want(200)
	mocktest.Call(t, there, "PATCH", "/workflow/api/pools/"+id, `{"concurrencyLimit":7}`).Want(200) // behind the mock's back
	mocktest.Call(t, s, "GET", "/workflow/api/pools/"+id, "").Want(200)
	mocktest.Call(t, s, "DELETE", "/workflow/api/pools/"+id, "").Want(200)
	mocktest.Call(t, s, "GET", "/workflow/api/pools/"+id, "").Want(404)
	mocktest.Call(t, s, "GET", "/core/v3/database/list", "").Want(200) // which the mock answers
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const differs = "the mock differs: /response/body/concurrencyLimit: 7 was recorded, and 2 is answered"
	want := []string{"3 workflow.getPool: " + differs, "4 workflow.deletePool: " + differs}
	if diff := cmp.Diff(want, mockDiffers(t, s)); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	for range 2 { // a report ends nothing
		r := live.Report()
		if c := r.Comparison; c.Compared != 5 || c.Agree != 3 || c.With != "the mock" || len(r.Groups) != 2 || len(c.Operations) != 3 {
			t.Errorf("compared %d, of which %d agree, in %d operations, with %d findings", c.Compared, c.Agree,
				len(c.Operations), len(r.Groups))
		}
	}
	if n := strings.Count(log.String(), "msg=request"); n != 6 || strings.Count(recorded.String(), "\n") != 6 ||
		s.World("").Calls("workflow.getPool") != 3 {
		t.Errorf("%d requests are in the log, want 6; the recording:\n%s", n, &recorded)
	}
}

// No client waits for a comparison. Those that come while too many wait are not compared, and the log says how many.
func TestNoClientWaitsForComparisons(t *testing.T) {
	t.Parallel()
	service := newRealService(t, answerPools)
	begun, goOn, compared := make(chan bool), make(chan bool), 0
	var log bytes.Buffer
	s := mocktest.NewServer(t, mockserver.WithTarget(specs.Workflow, service.URL),
		mockserver.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		mockserver.WithComparison(func(context.Context, http.Handler, *recording.Exchange) []string {
			if compared++; compared == 1 {
				begun <- true
				<-goOn
			}
			return []string{"it"}
		}))
	get := func() { mocktest.Call(t, s, "GET", mocktest.OnePool, "").Want(200) }
	get()
	<-begun
	for range 1005 {
		get()
	}
	goOn <- true
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if compared != 1001 || len(mockDiffers(t, s)) != compared || !strings.Contains(log.String(), "exchanges=5") {
		t.Errorf("%d are compared, %d have notes; the log:\n%s", compared, len(mockDiffers(t, s)), &log)
	}
}

// The journal lists ten differences of an exchange, and says how many more there are.
func TestManyDifferencesOfAnExchange(t *testing.T) {
	t.Parallel()
	service := newRealService(t, answerPools)
	s := mocktest.NewServer(t, mockserver.WithTarget(specs.Workflow, service.URL),
		mockserver.WithComparison(func(_ context.Context, _ http.Handler, e *recording.Exchange) []string {
			return strings.Split("abcdefghijklm"[:8+2*e.Seq], "")
		}))
	for range 2 {
		mocktest.Call(t, s, "GET", mocktest.OnePool, "").Want(200)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	list := mockDiffers(t, s)
	want := []string{
		"1 workflow.getPool: the mock differs: j", "2 workflow.getPool: the mock differs: a",
		"2 workflow.getPool: the mock differs: j", "2 workflow.getPool: the mock differs in 2 more places",
	}
	if len(list) != 21 || !slices.Equal([]string{list[9], list[10], list[19], list[20]}, want) {
		t.Errorf("the journal has %d notes:\n%s", len(list), strings.Join(list, "\n"))
	}
}

// What the journal has forgotten before its turn is not compared, and the log says how many.
func TestForgottenExchangesAreNotCompared(t *testing.T) {
	t.Parallel()
	service := newRealService(t, answerPools)
	begun, compared := make(chan bool), 0
	var log bytes.Buffer
	s := mocktest.NewServer(t, mockserver.WithTarget(specs.Workflow, service.URL), mockserver.WithJournalLimit(4096),
		mockserver.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		mockserver.WithComparison(func(context.Context, http.Handler, *recording.Exchange) []string {
			if compared++; compared == 1 {
				begun <- true
				<-begun
			}
			return nil
		}))
	const all = 100
	for range all {
		mocktest.Call(t, s, "GET", mocktest.OnePool, "").Want(200)
		if s.World("").Calls("workflow.getPool") == 1 {
			<-begun
		}
	}
	begun <- true
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	missed := fmt.Sprintf("exchanges=%d", all-compared)
	if compared < 2 || compared > all/2 || !strings.Contains(log.String(), missed) {
		t.Errorf("%d of %d are compared; the log:\n%s", compared, all, &log)
	}
}

// A comparison that panics, or is too long, fails the test or is logged, and ends with the server.
func TestAComparisonThatFailsIsReported(t *testing.T) {
	t.Parallel()
	service := newRealService(t, answerPools)
	var failures []string
	s := mocktest.NewServer(t, mockserver.WithTarget(specs.Workflow, service.URL),
		mockserver.WithLogger(slog.New(slog.DiscardHandler)),
		mockserver.WithFailure(func(message string) { failures = append(failures, message) }),
		mockserver.WithComparison(func(context.Context, http.Handler, *recording.Exchange) []string { panic("ouch") }))
	mocktest.Call(t, s, "GET", mocktest.OnePool, "").Want(200)
	if err := s.Close(); err != nil || len(failures) != 1 || !strings.Contains(failures[0], "ouch") {
		t.Errorf("close: %v; failures: %q", err, failures)
	}
}
