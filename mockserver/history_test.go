package mockserver_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// A fork before an exchange has what the world had, and nothing of what came.
func TestForkBefore(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithHistory(100))
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"first","concurrencyLimit":1}`).Want(201)
	mocktest.Call(t, s, "POST", "/_understudy/faults", `{"operation":"workflow.createPool","first":1,"status":503}`).Want(201)
	mocktest.Call(t, s, "POST", "/_understudy/clock", `{"advance":"1h"}`).Want(200)
	then := s.World("").Now()
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"second","concurrencyLimit":1}`).Want(503) // 2
	mocktest.Call(t, s, "DELETE", "/_understudy/faults", "").Want(204)
	mocktest.Call(t, s, "POST", "/_understudy/clock", `{"advance":"1h"}`).Want(200)
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"second","concurrencyLimit":1}`).Want(201) // 3
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)

	fork, err := s.World("").ForkBefore(2)
	if err != nil {
		t.Fatal(err)
	}
	if got := fork.Now(); !got.Equal(then) {
		t.Errorf("it is %v in the fork, want %v", got, then)
	}
	if journal, err := fork.Journal(); err != nil || len(journal) != 0 {
		t.Errorf("the fork's journal has %d exchanges, %v", len(journal), err)
	}
	if names := poolNames(t, fork); names != "default etl adhoc first" {
		t.Errorf("the fork has the pools %s", names)
	}
	mocktest.Call(t, fork, "POST", "/workflow/api/pools", `{"name":"other","concurrencyLimit":1}`).Want(503) // its fault is left
	mocktest.Call(t, fork, "POST", "/workflow/api/pools", `{"name":"other","concurrencyLimit":1}`).Want(201)
	if names := poolNames(t, s); names != "default etl adhoc first second" {
		t.Errorf("the original has the pools %s", names)
	}
	mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"third","fork":"default","before":3,"clock":"auto"}`).Want(201)
	if names := poolNames(t, s.World("third")); names != "default etl adhoc first" {
		t.Errorf("the fork has the pools %s", names)
	}
	fork.Reset()
	if names := poolNames(t, fork); names != "default etl adhoc first" {
		t.Errorf("after a reset, the fork has the pools %s", names)
	}
}

func poolNames(t *testing.T, h http.Handler) string {
	t.Helper()
	var names []string
	for _, p := range mocktest.Decode[mocktest.Pools](mocktest.Call(t, h, "GET", "/workflow/api/pools", "").Want(200)).Pools {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

// A clock that the wall clock moves goes on from the time of the exchange.
func TestForkBeforeByARealClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mocktest.NewServer(t, mockserver.WithHistory(100), mockserver.WithClock("real"))
		then := s.World("").Now()
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		<-time.After(time.Hour)
		fork, err := s.World("").ForkBefore(1)
		if err != nil {
			t.Fatal(err)
		}
		if now := fork.Now(); !now.Equal(then) {
			t.Errorf("it is %v in the fork, want %v", now, then)
		}
		<-time.After(time.Minute)
		if now := fork.Now(); !now.Equal(then.Add(time.Minute)) {
			t.Errorf("a minute later it is %v in the fork", now)
		}
	})
}

func TestForkBeforeIsRefused(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithHistory(3))
	want := func(body, message string) {
		t.Helper()
		a := mocktest.Call(t, s, "POST", "/_understudy/worlds", body).Want(400)
		if !strings.Contains(a.Body, message) || !strings.Contains(a.Body, `"field":"before"`) {
			t.Errorf("%s: %s, want %s", body, a.Body, message)
		}
	}
	want(`{"fork":"default","before":1}`, "exchange 1 has not been served in world default; the last one is 0")
	for range 5 {
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	}
	want(`{"fork":"default","before":2}`, "the history of world default has the exchanges 3 to 5; --history or WithHistory")
	mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"fork":"default","before":3}`).Want(201)
	want(`{"before":3}`, "want the world to fork, too")
	want(`{"fork":"default","before":0}`, "before")
	mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
	want(`{"fork":"default","before":5}`, "the history of world default is empty; it begins with the next exchange, 6")
	s = mocktest.NewServer(t)
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	want(`{"fork":"default","before":1}`, "start it with --history 1000")
	if _, err := s.World("").ForkBefore(1); err == nil || !strings.Contains(err.Error(), "WithHistory(1000)") {
		t.Errorf("error %v", err)
	}
	if _, err := mockserver.New(mockserver.WithHistory(-1)); err == nil {
		t.Error("a history of -1 exchanges is accepted")
	}
}

// kept is a request with its answer, by the number of the exchange.
type kept struct {
	method, target, body, key string
	status                    int
	answer                    string
}

// keeping passes requests on, and keeps them with their answers.
type keeping struct {
	http.Handler

	mu   sync.Mutex
	kept map[string]kept
}

func (k *keeping) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	one := kept{method: r.Method, target: r.URL.String(), body: string(body), key: r.Header.Get("Authorization")}
	recorder := httptest.NewRecorder()
	k.Handler.ServeHTTP(recorder, r)
	one.status, one.answer = recorder.Code, recorder.Body.String()
	if number := recorder.Header().Get("X-Understudy-Exchange"); number != "" {
		k.mu.Lock()
		k.kept[number] = one
		k.mu.Unlock()
	}
	maps.Copy(w.Header(), recorder.Header())
	w.WriteHeader(recorder.Code)
	_, _ = recorder.Body.WriteTo(w)
}

// replay sends every request once more, to a fork of the world before it, which answers alike.
func (k *keeping) replay(t *testing.T) {
	t.Helper()
	for number, one := range k.kept {
		id := "before-" + number
		mocktest.Call(t, k.Handler, "POST", "/_understudy/worlds", `{"id":"`+id+`","fork":"default","before":`+number+`}`).Want(201)
		a := mocktest.Call(t, k.Handler, one.method, one.target, one.body, "Authorization", one.key, "X-Understudy-World", id)
		if a.Status != one.status || a.Body != one.answer {
			t.Errorf("exchange %s, %s %s: status %d, was %d (-was +again)\n%s", number, one.method, one.target, a.Status,
				one.status, cmp.Diff(one.answer, a.Body))
		}
		mocktest.Call(t, k.Handler, "DELETE", "/_understudy/worlds/"+id, "").Want(204)
	}
}

// Whatever the request is, a fork of the world before it answers as the world did: with clocks that requests move, and
// with faults that count them.
func TestForksBeforeAnswerAlike(t *testing.T) {
	t.Parallel()
	for _, clock := range []mockserver.ClockMode{"frozen", "auto"} {
		t.Run(string(clock), func(t *testing.T) {
			t.Parallel()
			s := mocktest.NewServer(t, mockserver.WithScenario("full-account"), mockserver.WithClock(clock),
				mockserver.WithHistory(10_000), mockserver.WithJournalLimit(1<<30))
			for _, words := range []string{
				"core.* every=7 status=503 effect=once", "workflow.createPool every=2 effect=twice",
				"workflow.* probability=0.1 status=500", "llm.* nth=3 status=429",
			} {
				f, err := fixtures.ParseFault(words)
				if err == nil {
					_, err = s.World("").Fault(f)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			k := &keeping{Handler: s, kept: map[string]kept{}}
			v := checktest.NewVisitor(t, 7, k, []string{"1/admin", "1/write"})
			for range 400 {
				v.Act()
			}
			if k.replay(t); len(k.kept) < 150 {
				t.Errorf("only %d requests were sent", len(k.kept))
			}
		})
	}
}

// Under concurrency, each exchange has the world that its own transaction began with.
func TestForksBeforeConcurrentExchanges(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithHistory(10_000))
	f, err := fixtures.ParseFault("workflow.createPool every=3 status=503")
	if err == nil {
		_, err = s.World("").Fault(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	k := &keeping{Handler: s, kept: map[string]kept{}}
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for m := range 50 {
				mocktest.Call(t, k, "POST", "/workflow/api/pools", fmt.Sprintf(`{"name":"pool-%d-%d","concurrencyLimit":1}`, n, m))
				mocktest.Call(t, k, "GET", "/workflow/api/pools", "")
			}
		})
	}
	group.Wait()
	if k.replay(t); len(k.kept) != 800 {
		t.Errorf("%d requests were sent", len(k.kept))
	}
}

// A request that waits for its turn to write sees the world as it is by then.
func TestForkBeforeAnExchangeInTurn(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithHistory(10))
	k := &keeping{Handler: s, kept: map[string]kept{}}
	done := make(chan mocktest.Answer, 1)
	s.World("").Holding(7, "workflow.pool", func() {
		go func() {
			done <- mocktest.Call(t, k, "POST", "/workflow/api/pools", `{"name":"own","concurrencyLimit":1}`)
		}()
		mocktest.Eventually(t, "it waits", func() bool {
			buffer := make([]byte, 4<<20)
			for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
				if strings.Contains(stack, "(*World).Write") && strings.Contains(stack, "TestForkBeforeAnExchangeInTurn") {
					return true
				}
			}
			return false
		})
	})
	soon(t, "an answer", done).Want(201)
	k.replay(t)
}

// A request that waits for a query sees the world as it is when the query has ended.
func TestForkBeforeAnExchangeThatWaited(t *testing.T) {
	t.Parallel()
	s, e, _, leave := newStuck(t, `{"query":"SELECT stuck"}`, mockserver.WithHistory(10))
	leave()
	soon(t, "the query is given up", e.ended)
	waits := make(chan mocktest.Answer, 1)
	go func() { waits <- mocktest.Call(t, s, "GET", "/core/v3/job/status/1", "", inA, "a") }()
	soon(t, "the query begins again", e.started)
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"meanwhile","concurrencyLimit":1}`, inA, "a").Want(201)
	close(e.released)
	number := soon(t, "an answer", waits).Want(200).Header.Get("X-Understudy-Exchange")
	mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"b","fork":"a","before":`+number+`}`).Want(201)
	if names := poolNames(t, s.World("b")); !strings.HasSuffix(names, "meanwhile") {
		t.Errorf("the fork has the pools %s", names)
	}
}
