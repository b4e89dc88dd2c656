package mockserver_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// The memory of a request is used again by later ones: none of it may show in the answers, the worlds and the journals
// of others.
func TestRequestsThatChangeWorldsShareNothing(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	var group sync.WaitGroup
	for n := range 8 {
		name := fmt.Sprintf("only in %d", n)
		w := s.World("").ForkFor(t)
		group.Go(func() {
			for range 30 {
				createAndDelete(t, w, name)
			}
			journal, err := w.Journal()
			if err != nil || len(journal) != 90 {
				t.Errorf("%d exchanges, error %v", len(journal), err)
			}
			for _, x := range journal {
				sent, answered := x.Request.Body, string(x.Response.Body.Bytes)
				if sent != nil && !strings.Contains(string(sent.Bytes), name) || !strings.Contains(answered, name) {
					t.Errorf("%s %s of %q: sent %v, answered %s", x.Request.Method, x.Request.URL, name, sent, answered)
				}
			}
		})
	}
	group.Wait()
}

func createAndDelete(t *testing.T, w *mockserver.World, name string) {
	t.Helper()
	created := mocktest.Call(t, w, "POST", "/workflow/api/pools", fmt.Sprintf(`{"name":%q,"concurrencyLimit":1}`, name))
	made := mocktest.Decode[mocktest.Pool](created)
	path := "/workflow/api/pools/" + made.ID
	got, deleted := mocktest.Call(t, w, "GET", path, ""), mocktest.Call(t, w, "DELETE", path, "")
	if made.Name != name || got.Body != created.Body || deleted.Body != created.Body {
		t.Errorf("of %q: created %s, got %s, deleted %s", name, created.Body, got.Body, deleted.Body)
	}
}

func TestTheDateIsTheTimeOfTheWorld(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	early, late := s.World("").ForkFor(t), s.World("").ForkFor(t)
	late.Advance(90 * time.Second)
	for range 2 {
		for w, want := range map[*mockserver.World]string{
			early: "Thu, 15 Jan 2026 09:30:00 GMT", late: "Thu, 15 Jan 2026 09:31:30 GMT",
		} {
			if got := mocktest.Call(t, w, "GET", "/workflow/api/pools", "").Header.Get("Date"); got != want {
				t.Errorf("the date is %s, want %s", got, want)
			}
		}
	}
}
