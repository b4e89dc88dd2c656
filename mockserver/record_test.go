package mockserver_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs/recording"
)

// fullAfter is a disk with room for some lines.
type fullAfter struct {
	bytes.Buffer
	lines int
}

func (f *fullAfter) Write(b []byte) (int, error) {
	if f.lines--; f.lines < 0 {
		return 0, errors.New("the disk\nis full")
	}
	return f.Buffer.Write(b)
}

func TestWhatIsNotRecordedIsSaid(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	var told []string
	s, err := mockserver.New(mockserver.WithRecording(&fullAfter{lines: 2}),
		mockserver.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		mockserver.WithFailure(func(text string) { told = append(told, text) }))
	if err != nil {
		t.Fatal(err)
	}
	var headers []string
	for range 5 {
		a := mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		headers = append(headers, a.Header.Get("X-Understudy-Unrecorded"))
	}
	if diff := cmp.Diff([]string{"", "", "the disk is full", "the disk is full", "the disk is full"},
		headers); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	health := mocktest.Call(t, s, "GET", "/_understudy/health", "").Want(200).Body
	want := `{"recorded":2,"unrecorded":3,"error":"the disk\nis full"}`
	if diff := cmp.Diff(want, jsontree.Find(health, "recording").Raw()); diff != "" {
		t.Errorf("health (-want +got):\n%s", diff)
	}
	if n := strings.Count(log.String(), "answers are not recorded"); n != 1 || len(told) != 1 {
		t.Errorf("the log says so %d times, the test was told %d times, want once:\n%s", n, len(told), log.String())
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "3 of 5 exchanges were not recorded") {
		t.Errorf("the end says %v", err)
	}
}

func TestHealthWithoutRecording(t *testing.T) {
	t.Parallel()
	s := mocktest.NewServer(t)
	got := mocktest.Call(t, s, "GET", "/_understudy/health", "").Want(200).Body
	if jsontree.Find(got, "status").Text() != "ok" || jsontree.Find(got, "recording").Exists() {
		t.Errorf("health is %s", got)
	}
}

// held is a recording that takes nothing before it is let go, and signals when the first line comes.
type held struct {
	safeBuffer
	come, let chan struct{}
	once      sync.Once
}

func (h *held) Write(b []byte) (int, error) {
	h.once.Do(func() { close(h.come) })
	<-h.let
	return h.safeBuffer.Write(b)
}

func TestJournalIsFreeWhileALineIsWritten(t *testing.T) {
	t.Parallel()
	h := &held{come: make(chan struct{}), let: make(chan struct{})}
	s := mocktest.NewServer(t, mockserver.WithRecording(h))
	var wg sync.WaitGroup
	wg.Go(func() { mocktest.Call(t, s, "GET", "/workflow/api/pools", "") })
	<-h.come
	if got := s.World("").Calls("workflow.listPools"); got != 1 { // which waits for ever where the journal is held
		t.Errorf("%d calls are counted, want 1", got)
	}
	close(h.let)
	wg.Wait()
}

func TestStuckRecordingHangsNoWorld(t *testing.T) {
	t.Parallel()
	h := &held{come: make(chan struct{}), let: make(chan struct{})}
	defer close(h.let)
	s, err := mockserver.New(mockserver.WithRecording(h))
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		a := mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		if a.Header.Get("X-Understudy-Unrecorded") == "" {
			t.Fatal("an answer does not say that it is not recorded")
		}
	}
}

func TestRecordingKeepsTheOrderOfEachWorld(t *testing.T) {
	t.Parallel()
	var recorded safeBuffer
	s := mocktest.NewServer(t, mockserver.WithRecording(&recorded))
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for range 20 { // large and small ones, whose secrets take more and less time to be found
				body := fmt.Sprintf(`{"value":"%s"}`, strings.Repeat("key ", 1+i%2*5000))
				mocktest.Call(t, s, "PUT", "/workflow/api/projects/1/secrets/a", body)
			}
		})
	}
	wg.Wait()
	var seqs []int64
	for line := range strings.Lines(recorded.String()) {
		var e recording.Exchange
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		seqs = append(seqs, e.Seq)
	}
	want := make([]int64, 320)
	for i := range want {
		want[i] = int64(i + 1)
	}
	if diff := cmp.Diff(want, seqs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
