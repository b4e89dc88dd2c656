package fault_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// A fault is for the calls that it describes, and for no others.
func TestFaultsWhichCalls(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"workflow.getPool nth=3":                          {200, 200, 503, 200, 200, 200},
		"workflow.getPool first=2":                        {503, 503, 200, 200, 200, 200},
		"workflow.getPool every=2":                        {200, 503, 200, 503, 200, 503},
		"workflow.getPool":                                {503, 503, 503, 503, 503, 503},
		"workflow.*":                                      {503, 503, 503, 503, 503, 503},
		"interface=workflow method=GET path=/api/pools/*": {503, 503, 503, 503, 503, 503},
		"path=/api/pools/1 caller=1/admin":                {503, 503, 503, 503, 503, 503},
		"":                                                {503, 503, 503, 503, 503, 503},
		"workflow.listPools":                              {200, 200, 200, 200, 200, 200},
		"path=/api/pools/2":                               {200, 200, 200, 200, 200, 200},
		"caller=1/write":                                  {200, 200, 200, 200, 200, 200},
		"request.headers.X-Try=1":                         {200, 200, 200, 200, 200, 200},
		"workflow.getPool after=1s":                       {200, 200, 200, 200, 200, 200},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t)
			mocktest.Plan(t, s.World(""), text+" status=503")
			if diff := cmp.Diff(want, mocktest.Statuses(t, s, 6, "GET", mocktest.OnePool, "")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	t.Run("after a time of the world's clock, from which calls count", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		mocktest.Plan(t, s.World(""), "workflow.getPool after=10m nth=2 status=503")
		before := mocktest.Statuses(t, s, 2, "GET", mocktest.OnePool, "")
		s.World("").Advance(10 * time.Minute)
		if diff := cmp.Diff([]int{200, 200, 200, 503, 200}, append(before, mocktest.Statuses(t, s, 3, "GET", mocktest.OnePool, "")...)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("of several the first that applies is used, and all are counted", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		first := mocktest.Plan(t, s.World(""), "workflow.getPool nth=1 status=503")
		second := mocktest.Plan(t, s.World(""), "workflow.* first=3 status=429")
		if diff := cmp.Diff([]int{503, 429, 429, 200}, mocktest.Statuses(t, s, 4, "GET", mocktest.OnePool, "")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if a, b := first.Hits(), second.Hits(); a != 1 || b != 2 {
			t.Errorf("hits are %d and %d, want 1 and 2", a, b)
		}
		if a, b := first.Calls(), second.Calls(); a != 4 || b != 4 {
			t.Errorf("calls are %d and %d", a, b)
		}
		exchanges, err := s.World("").Journal()
		if err != nil {
			t.Fatal(err)
		}
		var by []string
		for _, e := range exchanges {
			fault, _ := e.InjectedFault()
			by = append(by, fault.ID)
		}
		if diff := cmp.Diff([]string{first.ID(), second.ID(), second.ID(), ""}, by); diff != "" {
			t.Errorf("exchanges by their fault (-want +got)\n%s", diff)
		}
	})
}

// The same seed gives the same faults, and another one gives others.
func TestFaultsBySeed(t *testing.T) {
	t.Parallel()
	draw := func(seed uint64) []int {
		s := mocktest.NewServer(t, mockserver.WithSeed(seed))
		mocktest.Plan(t, s.World(""), "workflow.getPool probability=0.3 status=503")
		return mocktest.Statuses(t, s, 200, "GET", mocktest.OnePool, "")
	}
	first := draw(1)
	hits := len(slices.DeleteFunc(slices.Clone(first), func(status int) bool { return status == 200 }))
	if hits < 40 || hits > 80 {
		t.Errorf("of 200 calls %d failed, want about 60", hits)
	}
	if !slices.Equal(first, draw(1)) {
		t.Error("the same seed gives other faults")
	}
	if slices.Equal(first, draw(2)) {
		t.Error("another seed gives the same faults")
	}
}

// Operations take effect as often as the fault says, and the answer and the journal say how often.
func TestFaultEffects(t *testing.T) {
	t.Parallel()
	const create, body = "/workflow/api/pools", `{"name":"p","concurrencyLimit":1}`
	count := func(t *testing.T, s *mockserver.Server, name string) int {
		t.Helper()
		return strings.Count(mocktest.Call(t, s, "GET", create, "").Want(200).Body, `"name":"`+name+`"`)
	}
	for text, want := range map[string]struct {
		status, pools int
		fault         string
	}{
		"status=503":              {503, 0, "fault-1; answer=injected; effect=none"},
		"status=503 effect=once":  {503, 1, "fault-1; answer=injected; effect=once"},
		"status=503 effect=none":  {503, 0, "fault-1; answer=injected; effect=none"},
		"delay=1ms":               {201, 1, "fault-1; answer=own; effect=once"},
		"effect=twice":            {201, 1, "fault-1; answer=own; effect=once"}, // the name is taken then
		"status=503 effect=twice": {503, 1, "fault-1; answer=injected; effect=once"},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t)
			mocktest.Plan(t, s.World(""), "workflow.createPool "+text)
			a := mocktest.Call(t, s, "POST", create, body).Want(want.status)
			if got := a.Header.Get("X-Understudy-Fault"); got != want.fault {
				t.Errorf("the fault is %q, want %q", got, want.fault)
			}
			entries, err := s.World("").Journal()
			if err != nil || entries[0].Fault != want.fault {
				t.Errorf("the journal has %q, %v", entries[0].Fault, err)
			}
			if strings.Contains(text, "twice") && !strings.Contains(strings.Join(entries[0].Notes, ""), "second delivery was refused") {
				t.Errorf("notes: %q", entries[0].Notes)
			}
			if n := count(t, s, "p"); n != want.pools {
				t.Errorf("there are %d such pools, want %d", n, want.pools)
			}
		})
	}
	t.Run("an operation that is refused has no effect", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		mocktest.Plan(t, s.World(""), "workflow.createPool status=503 effect=once")
		a := mocktest.Call(t, s, "POST", create, `{"name":""}`).Want(503)
		entries, _ := s.World("").Journal()
		if got := a.Header.Get("X-Understudy-Fault"); !strings.HasSuffix(got, "effect=none") || len(entries[0].Notes) == 0 {
			t.Errorf("the fault is %q, with notes %q", got, entries[0].Notes)
		}
	})
	t.Run("an event that is delivered twice is there twice", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		mocktest.Plan(t, s.World(""), "ingestion.* effect=twice first=1")
		a := mocktest.Call(t, s, "POST", "/ingestion/postback/v3/event/sample/carts", `{"user":"u"}`, "X-SVC-Write-Key", "1/write").Want(200)
		if got := a.Header.Get("X-Understudy-Fault"); got != "fault-1; answer=own; effect=twice" {
			t.Errorf("the fault is %q", got)
		}
	})
}

// A request may ask for a fault of its own.
func TestInjectHeader(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	a := mocktest.Call(t, s, "GET", mocktest.OnePool, "", "X-Understudy-Inject",
		"status=429 retryAfter=1500ms message=slow").Want(429)
	if got := mocktest.Decode[mocktest.Message](a); got != (mocktest.Message{Message: "slow", Status: 429}) || a.Header.Get("Retry-After") != "2" {
		t.Errorf("got %+v, %v", got, a.Header)
	}
	if got := a.Header.Get("X-Understudy-Fault"); got != "inject; answer=injected; effect=none" {
		t.Errorf("the fault is %q", got)
	}
	mocktest.Call(t, s, "GET", mocktest.OnePool, "").Want(200)
	for text, want := range map[string]string{
		"nth=3 status=503": "nth: is not allowed here", "status=99": "status: want an integer from 200",
		"stats=1": `unknown member \"stats\"; want status`, "nonsense=1": `unknown member \"nonsense\"; want one of id, status,`,
	} {
		a := mocktest.Call(t, s, "GET", mocktest.OnePool, "", "X-Understudy-Inject", text).Want(400)
		if !strings.Contains(a.Body, "X-Understudy-Inject: "+want) {
			t.Errorf("%s: %s", text, a.Body)
		}
		if got := a.Header.Get("X-Understudy-Fault"); got != "inject; answer=injected; effect=none" {
			t.Errorf("%s: the fault is %q", text, got)
		}
	}
	if entries, _ := s.World("").Journal(); len(entries[0].Request.Headers.Value("X-Understudy-Inject")) > 0 {
		t.Error("the header is in the journal")
	}
}

// Forks, checkpoints, dumps and resets have the plan, with what was counted.
func TestFaultsAreStateOfTheWorld(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	w := s.World("")
	mocktest.Plan(t, w, "workflow.getPool nth=3 status=503 request.body.a.b=1")
	mocktest.Plan(t, w, "workflow.getPool nth=3 delay.median=1ms delay.sigma=0.1 status=500 message=x")
	mocktest.Statuses(t, s, 2, "GET", mocktest.OnePool, "")
	w.Checkpoint("two")
	fork := w.ForkFor(t)
	dump, err := w.State()
	if err != nil {
		t.Fatal(err)
	}
	next := func(what string, want int) {
		t.Helper()
		if got := mocktest.Call(t, s, "GET", mocktest.OnePool, "").Status; got != want {
			t.Errorf("%s: the next call is answered with %d, want %d", what, got, want)
		}
	}
	next("the third", 500)
	next("the fourth", 200)
	if got := mocktest.Call(t, fork, "GET", mocktest.OnePool, "").Status; got != 500 {
		t.Errorf("in the fork the third call is answered with %d", got)
	}
	if err := w.Restore("two"); err != nil {
		t.Fatal(err)
	}
	next("after restoring", 500)
	if err := w.Load(dump); err != nil {
		t.Fatal(err)
	}
	next("after loading", 500)
	if err := w.Load([]byte(`{"workflow":{}}`)); err != nil || len(w.Faults()) != 0 {
		t.Error("a fixture leaves the faults")
	}
}

// What is wrong with a fault is an error, and plans nothing.
func TestFaultRefuses(t *testing.T) {
	t.Parallel()
	w := mocktest.NewServer(t).World("")
	for _, test := range []struct {
		fault fixtures.Fault
		want  string
	}{
		{fixtures.Fault{}, "nothing happens to these calls"},
		{fixtures.Fault{Status: 99, Nth: -1}, "nth: want 1 or more"},
		{fixtures.Fault{Calls: fixtures.Calls{Operation: "core.isueJob"}, Status: 503}, "want perhaps core.issueJob"},
	} {
		if _, err := w.Fault(test.fault); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	planned, err := w.Fault(fixtures.Fault{ID: "a", Status: 503})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Fault(fixtures.Fault{ID: "a", Status: 503}); err == nil || !strings.Contains(err.Error(), "planned already") {
		t.Errorf("got %v", err)
	}
	if err := planned.Remove(); err != nil || len(w.Faults()) != 0 {
		t.Errorf("%d faults are left, %v", len(w.Faults()), err)
	}
	if err := planned.Remove(); err == nil {
		t.Error("it is removed twice")
	}
}
