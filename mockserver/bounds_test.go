package mockserver_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

// An unreadable request is the client's fault on every operation, whether or not its document has a status for that.
func TestNoRequestIsTheMocksFault(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("full-account"))
	for _, name := range append(specs.Interfaces(), specs.Control) {
		doc, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		prefix := "/" + string(name) + doc.BasePath
		if name == specs.Control {
			prefix = "/_understudy"
		}
		for _, operation := range doc.All() {
			t.Run(operation.Name(), func(t *testing.T) {
				t.Parallel()
				path := prefix + strings.NewReplacer("{", "", "}", "").Replace(operation.Path)
				for what, r := range map[string][]string{
					"a query that is not escaped": {path + "?%zz", ""},
					"a form that is not UTF-8":    {path, "query=%FF&%FF=1", "Content-Type", "application/x-www-form-urlencoded"},
					"JSON that is not UTF-8":      {path, "{\"name\":\"\xff\",\"\xff\":1}", "Content-Type", "application/json"},
					"a body that is no gzip":      {path, "x", "Content-Encoding", "gzip"},
					"a boundary that is missing":  {path, "x", "Content-Type", "multipart/form-data"},
				} {
					if a := mocktest.Call(t, s, operation.Method, r[0], r[1], r[2:]...); a.Status >= 500 {
						t.Errorf("%s: %d %s", what, a.Status, a.Body)
					}
				}
			})
		}
	}
}

// conditions are a pool rule with so many conditions, none of which is right, compressed.
func conditions(t *testing.T, count int) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprintf(w, `{"poolId":"2","priority":10,"conditions":[%s{}]}`, strings.Repeat("{},", count-1))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// What a request costs has to do with its length, not with what it unpacks to or with how many mistakes are in it.
func TestManySmallMembers(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	s := mocktest.NewServer(t)
	for _, test := range []struct {
		count, status int
		most          uint64 // bytes
	}{{5_000_000, http.StatusBadRequest, 96 << 20}, {190_000, http.StatusBadRequest, 64 << 20}} {
		body := conditions(t, test.count)
		mocktest.Call(t, s, "GET", "/workflow/api/pool_rules", "") // the interface is loaded
		before := mocktest.Allocated()
		a := mocktest.Call(t, s, "POST", "/workflow/api/pool_rules", body, "Content-Encoding", "gzip").Want(test.status)
		cost := mocktest.Allocated() - before
		t.Logf("%d members cost %d MiB", test.count, cost>>20)
		if cost > test.most {
			t.Errorf("%d members, %d bytes, cost %d MiB, want %d at most", test.count, len(body), cost>>20, test.most>>20)
		}
		if len(a.Body) > 2000 {
			t.Errorf("the answer has %d bytes", len(a.Body))
		}
	}
}

// A client that leaves while its large body waits for room is not waited for.
func TestLargeBodiesTakeTurns(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	release := s.TakeAllRoom()
	body := `{"name":"` + strings.Repeat("x", 1<<20) + `"}`
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://mock/workflow/api/pools", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if response, err := s.World("").Client().Do(r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("response %v, error %v", response, err)
	}
	mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"small","concurrencyLimit":1}`).Want(http.StatusCreated)
	release()
	mocktest.Call(t, s, "POST", "/workflow/api/pools", body).Want(http.StatusBadRequest)
}

// The process keeps nothing of worlds that were made with seeds and times of their own, and deleted.
func TestDeletedWorldsAreForgotten(t *testing.T) { //nolint:paralleltest // it counts what the process keeps
	s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
	before := mockserver.SharedWorlds()
	for i := range 50 {
		body := fmt.Sprintf(`{"id":"w","seed":%d,"now":"2026-02-01T00:00:%02dZ","clock":"frozen"}`, i+1, i)
		mocktest.Call(t, s, "POST", "/_understudy/worlds", body).Want(http.StatusCreated)
		mocktest.Call(t, s, "DELETE", "/_understudy/worlds/w", "").Want(http.StatusNoContent)
	}
	if after := mockserver.SharedWorlds(); after != before {
		t.Errorf("%d worlds are kept, and %d before", after, before)
	}
}

// A handler that finds very many mistakes lists some of them.
func TestManyMistakesAreToldInPart(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t, mockserver.WithScenario("full-account"))
	for _, entry := range []string{`{}`, `{"config":{}}`} {
		body := `{"name":"n","basic_configs":{"type":"databricks","catalog":"c","svc_authentication_id":7},"output_config":{"database":"d"},"advanced_configs":[` +
			strings.Repeat(entry+",", 60_000) + entry + `]}`
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/dwh/v1/dwh/", strings.NewReader(body))
		r.Header.Set("Authorization", mocktest.Admin)
		r.Header.Set("Content-Type", "application/json")
		refused := mocktest.Send(t, s, r).Want(http.StatusBadRequest).Body
		cancel()
		if len(refused) > 10_000 || !strings.Contains(refused, " more mistakes") {
			t.Errorf("the answer has %d bytes, and begins with %.300s", len(refused), refused)
		}
	}
}
