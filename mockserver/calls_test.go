package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

const counts, wait = "/_understudy/journal/counts", "/_understudy/journal/wait"

// issue issues jobs of these queries.
func issue(t *testing.T, s http.Handler, queries ...string) {
	t.Helper()
	for _, query := range queries {
		mocktest.Call(t, s, "POST", "/core/v3/job/issue/trino/shop", fmt.Sprintf(`{"query":%q,"priority":1}`, query)).Want(200)
	}
}

// Calls are counted by everything that a description can give, the body included.
func TestCountCalls(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	issue(t, s, "select 1", "select 2", "select 1")
	mocktest.Call(t, s, "GET", "/workflow/api/pools?a=b", "", "X-Try", "2").Want(200)
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "Authorization", "SVC1 1/write").Want(403)
	mocktest.Call(t, s, "GET", "/workflow/api/nothing", "").Want(404)
	for body, want := range map[string]string{
		`{}`:                            "[1,2,3,4,5]",
		`{"operation":"core.issueJob"}`: "[1,2,3]",
		`{"operation":"core.issueJob","request":{"body":{"query":"select 1"}}}`: "[1,3]",
		`{"request":{"body":{"query":"select 1","priority":2}}}`:                "[]",
		`{"path":"/v3/job/issue/*/shop","method":"post"}`:                       "[1,2,3]",
		`{"interface":"workflow","caller":"1/write"}`:                           "[5]",
		`{"interface":"workflow","request":{"query":{"a":"b"}}}`:                "[4]",
		`{"request":{"headers":{"x-try":"2"}}}`:                                 "[4]",
	} {
		answer := mocktest.Call(t, s, "POST", counts, body).Want(200).Body
		if got := jsontree.Find(answer, "exchanges").Raw(); got != want {
			t.Errorf("%s: exchanges %s, want %s", body, got, want)
		}
		if got := jsontree.Find(answer, "count").Int(); got != int64(jsontree.Find(answer, "exchanges").Len()) {
			t.Errorf("%s: count %d of %s", body, got, answer)
		}
	}
	refused := mocktest.Call(t, s, "POST", counts, `{"operation":"core.isueJob"}`).Want(400).Body
	if !strings.Contains(refused, "core.issueJob") || jsontree.Find(refused, "error.field").Text() != "operation" {
		t.Errorf("the refusal does not say what would be right: %s", refused)
	}
}

func TestWaitForCalls(t *testing.T) {
	t.Parallel()
	t.Run("calls that were seen already count", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		issue(t, s, "select 1", "select 2", "select 1")
		body := mocktest.Call(t, s, "POST", wait, `{"operation":"core.*","count":2}`).Want(200).Body
		if got := jsontree.Find(body, "exchanges").Raw(); got != "[1,2]" {
			t.Errorf("exchanges %s", got)
		}
		mocktest.Call(t, s, "POST", wait, `{"operation":"core.*","after":3,"timeout":"1ms"}`).Want(408)
	})
	t.Run("the answer says what was seen when the time is over", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		issue(t, s, "select 1", "select 2")
		body := mocktest.Call(t, s, "POST", wait,
			`{"request":{"body":{"query":"select 2"}},"count":3,"timeout":"1ms"}`).Want(408).Body
		const want = `{"error":{"message":"saw 1 of 3 calls in 1ms"},"world":"default","count":1,"exchanges":[2]}`
		if body != want {
			t.Errorf("got %s, want %s", body, want)
		}
	})
	t.Run("calls that come are waited for", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := mocktest.NewServer(t)
			var got mocktest.Answer
			var group sync.WaitGroup
			group.Go(func() {
				got = mocktest.Call(t, s, "POST", wait, `{"operation":"core.issueJob","count":2,"timeout":"10m"}`)
			})
			synctest.Wait()
			issue(t, s, "select 1")
			mocktest.Call(t, s, "GET", "/workflow/api/pools", "")
			synctest.Wait()
			issue(t, s, "select 2")
			group.Wait()
			if numbers := jsontree.Find(got.Want(200).Body, "exchanges").Raw(); numbers != "[1,3]" {
				t.Errorf("exchanges %s", numbers)
			}
		})
	})
	t.Run("a deleted world ends the wait", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := mocktest.NewServer(t)
			fork := s.World("").Fork()
			var got mocktest.Answer
			var group sync.WaitGroup
			group.Go(func() { got = mocktest.Call(t, s, "POST", "/_understudy/worlds/"+fork.ID()+"/journal/wait", `{}`) })
			synctest.Wait()
			if err := fork.Delete(); err != nil {
				t.Error(err)
			}
			group.Wait()
			got.Want(404)
		})
	})
	t.Run("a client that leaves ends the wait, and too many are refused", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := mocktest.NewServer(t)
			mocktest.Call(t, s, "GET", "/_understudy/livez", "").Want(200)
			ctx, leave := context.WithCancel(t.Context())
			var group sync.WaitGroup
			for range 1000 {
				group.Go(func() {
					r := httptest.NewRequestWithContext(ctx, http.MethodPost, wait, strings.NewReader(`{"timeout":"10m"}`))
					r.Header.Set("Content-Type", "application/json")
					mocktest.Send(t, s, r)
				})
			}
			synctest.Wait()
			refused := mocktest.Call(t, s, "POST", wait, `{"timeout":"1ms"}`).Want(429).Body
			if !strings.Contains(refused, "1000 clients wait") {
				t.Errorf("refused with %s", refused)
			}
			leave()
			group.Wait()
			synctest.Wait()
			mocktest.Call(t, s, "POST", wait, `{"timeout":"1ms"}`).Want(408)
		})
	})
}

// The same in Go.
func TestWorldWaitFor(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	w := s.World("")
	issue(t, s, "select 1", "select 2")
	second := fixtures.Calls{
		Operation: "core.issueJob", Request: fixtures.RequestParts{Body: map[string]any{"query": "select 2"}},
	}
	found, err := w.WaitFor(t.Context(), second, 1)
	if err != nil || len(found) != 1 || found[0].Seq != 2 {
		t.Errorf("waited for %v, %v", found, err)
	}
	found, err = w.Exchanges(second)
	if err != nil || len(found) != 1 || strings.Contains(fmt.Sprint(found[0].Request.Headers), "1/admin") {
		t.Errorf("found %v, %v", found, err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	found, err = w.WaitFor(gone, second, 2)
	if len(found) != 1 || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "saw 1 of 2 calls") {
		t.Errorf("waited for %v, %v", found, err)
	}
	for _, err := range []error{
		errorOf(w.Exchanges(fixtures.Calls{Operation: "core.isueJob"})),
		errorOf(w.WaitFor(t.Context(), fixtures.Calls{Operation: "core.isueJob"}, 1)),
		errorOf(w.WaitFor(t.Context(), second, 0)),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
	small := mocktest.NewServer(t, mockserver.WithJournalLimit(1))
	issue(t, small, "select 1")
	if _, err := small.World("").Exchanges(second); err == nil || !strings.Contains(err.Error(), "WithJournalLimit") {
		t.Errorf("a journal that has dropped exchanges: %v", err)
	}
}

func errorOf[T any](_ T, err error) error { return err }
