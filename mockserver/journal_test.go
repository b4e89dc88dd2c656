package mockserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs/recording"
)

func TestJournal(t *testing.T) {
	t.Parallel()
	t.Run("counts a call before its answer arrives", func(t *testing.T) {
		t.Parallel()
		s := mockserver.Start(t)
		client := mocktest.Keyed{Key: "1/admin"}
		for n := 1; n <= 50; n++ {
			client.Do(t, "GET", s.URL("workflow")+"/api/pools", "")
			if got := s.World("").Calls("workflow.listPools"); got != n {
				t.Fatalf("%d answers have arrived, %d calls are counted", n, got)
			}
		}
	})
	t.Run("numbers every answer", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		for n := 1; n <= 3; n++ {
			a := mocktest.Call(t, s, "GET", "/workflow/api/pools", "")
			if got := a.Header.Get("X-Understudy-Exchange"); got != fmt.Sprint(n) {
				t.Errorf("exchange %s, want %d", got, n)
			}
		}
	})
	t.Run("is filtered by operation, counted by it, and cleared", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t)
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "")
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "")
		mocktest.Call(t, s, "GET", "/workflow/api/projects", "")
		mocktest.Call(t, s, "GET", "/workflow/api/nothing", "")
		har := mocktest.Call(t, s, "GET", "/_understudy/journal.har?operation=workflow.listPools", "").Want(200).Body
		var archive struct {
			Log struct {
				Entries []struct{ Request struct{ URL string } }
			}
		}
		if err := json.Unmarshal([]byte(har), &archive); err != nil || len(archive.Log.Entries) != 2 {
			t.Errorf("%d entries, %v", len(archive.Log.Entries), err)
		}
		counts := mocktest.Call(t, s, "GET", "/_understudy/journal/counts", "").Want(200).Body
		want := `{"operations":{"unknown":1,"workflow.listPools":2,"workflow.listProjects":1},"total":4,"world":"default"}`
		if counts != want {
			t.Errorf("counts %s, want %s", counts, want)
		}
		mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
		if got := s.World("").Calls("workflow.listPools"); got != 0 {
			t.Errorf("after clearing it, %d calls are counted", got)
		}
	})
	t.Run("counts headers, too", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithJournalLimit(20_000))
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "X-Large", strings.Repeat("x", 30_000))
		if journal, err := s.World("").Journal(); err == nil || len(journal) != 0 {
			t.Errorf("%d exchanges, error %v", len(journal), err)
		}
	})
	t.Run("is bounded in bytes, and says what it forgot", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithJournalLimit(20_000))
		for range 100 {
			mocktest.Call(t, s, "GET", "/workflow/api/pools", "")
		}
		journal, err := s.World("").Journal()
		if err == nil || len(journal) == 0 || len(journal) > 40 {
			t.Errorf("%d exchanges, error %v", len(journal), err)
		}
		if journal[len(journal)-1].Seq != 100 || s.World("").Calls("workflow.listPools") != 100 {
			t.Error("the newest exchanges, or the counts, are lost")
		}
		if body := mocktest.Call(t, s, "GET", "/_understudy/journal", "").Body; strings.Contains(body, `"dropped":{"entries":0`) {
			t.Error("it does not say that it forgot")
		}
	})
}

// Where the clock stands still, only the numbers show what was under way at the same time.
func TestJournalTellsWhatOverlapped(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "")
	body, rest := io.Pipe()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/workflow/api/pools", body)
	r.Header.Set("Authorization", mocktest.Admin)
	r.Header.Set("Content-Type", "application/json")
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.ServeHTTP(httptest.NewRecorder(), r)
	}()
	if _, err := io.WriteString(rest, `{"name":"nightly",`); err != nil { // now it is under way
		t.Fatal(err)
	}
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "")
	_, _ = io.WriteString(rest, `"concurrencyLimit":2}`)
	_ = rest.Close()
	<-over
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "")
	journal, err := s.World("").Journal()
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, e := range journal {
		got = append(got, e.Overlaps)
	}
	if diff := cmp.Diff([]int64{0, 0, 1, 0}, got); diff != "" {
		t.Errorf("overlaps (-want +got):\n%s", diff)
	}
}

// TestSecrets looks for secrets in everything that leaves.
func TestSecrets(t *testing.T) {
	t.Parallel()
	var recorded bytes.Buffer
	s := mocktest.NewServer(t, mockserver.WithRecording(&recorded))
	const secret = "hunter2-very-secret"
	mocktest.Call(t, s, "PUT", "/workflow/api/projects/1/secrets/db.password", `{"value":"`+secret+`"}`).Want(204)
	mocktest.Call(t, s, "PUT", "/workflow/api/projects/1/secrets/db.password", `{"value":"`+secret).Want(400)
	mocktest.Call(t, s, "GET", "/workflow/api/pools?write_key="+secret, "", "X-SVC-Write-Key", secret).Want(200)
	state, err := s.World("").State()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"journal.har":    mocktest.Call(t, s, "GET", "/_understudy/journal.har", "").Body,
		"journal.ndjson": mocktest.Call(t, s, "GET", "/_understudy/journal.ndjson", "").Body,
		"journal":        mocktest.Call(t, s, "GET", "/_understudy/journal", "").Body,
		"recording":      recorded.String(),
		"state":          string(state),
	} {
		if strings.Contains(text, secret) || (name != "state" && strings.Contains(text, "1/admin")) {
			t.Errorf("%s holds a secret:\n%s", name, text)
		}
		if name != "state" && !strings.Contains(text, "SVC1 "+recording.Mark) {
			t.Errorf("%s does not show that the key was redacted", name)
		}
	}
}

func TestRecording(t *testing.T) {
	t.Parallel()
	t.Run("holds every exchange of every world, one a line", func(t *testing.T) {
		t.Parallel()
		var recorded safeBuffer
		s := mocktest.NewServer(t, mockserver.WithRecording(&recorded))
		var wg sync.WaitGroup
		for range 20 {
			world := s.World("").Fork()
			wg.Go(func() {
				for range 10 {
					mocktest.Call(t, s, "GET", "/workflow/api/pools", "", "X-Understudy-World", world.ID())
				}
			})
		}
		wg.Wait()
		lines := strings.Split(strings.TrimSpace(recorded.String()), "\n")
		if len(lines) != 200 {
			t.Fatalf("%d lines, want 200", len(lines))
		}
		for _, line := range lines {
			var e recording.Exchange
			if err := json.Unmarshal([]byte(line), &e); err != nil || e.Operation != "workflow.listPools" {
				t.Fatalf("%v in %s", err, line)
			}
		}
	})
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
