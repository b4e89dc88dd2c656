package mockserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

const ticks = "http://localhost/_understudy/journal/ticks"

func tick(total, last, dropped int) string {
	return fmt.Sprintf(`event: tick data: {"total":%d,"last":%d,"dropped":{"entries":%d,"bytes":`, total, last, dropped)
}

// A page beside a load test gets few ticks, and the last one says how it ended.
func TestTicks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, client, shutdown := inPipes(t, mockserver.WithWriteTimeout(time.Second))
		live := follow(t, client, ticks)
		got := []string{live.next(t)}
		var group sync.WaitGroup
		group.Go(func() {
			for got[len(got)-1] != "EOF" {
				got = append(got, live.next(t))
			}
		})
		for range 500 { // in 5 seconds
			mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
			<-time.After(10 * time.Millisecond)
		}
		<-time.After(time.Minute) // in which there are comments
		mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
		<-time.After(time.Second)
		shutdown()
		group.Wait()
		if n := len(got); n < 25 || n > 29 {
			t.Fatalf("got %d events, want five a second, two for what was over, one at first, and the end", n)
		}
		for i, want := range map[int]string{
			0: tick(0, 0, 0), len(got) - 3: tick(500, 500, 0), len(got) - 2: tick(0, 500, 0),
		} {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("event %d of %d is %s, want %s", i, len(got), got[i], want)
			}
		}
	})
}

func TestTicksEnd(t *testing.T) {
	t.Parallel()
	s := mockserver.Start(t)
	fork := s.World("").Fork()
	stream := follow(t, &http.Client{}, s.URL("control")+"/worlds/"+fork.ID()+"/journal/ticks")
	if got := stream.next(t); !strings.HasPrefix(got, tick(0, 0, 0)) {
		t.Errorf("got %s", got)
	}
	if err := fork.Delete(); err != nil {
		t.Fatal(err)
	}
	stream.want(t, "EOF")
	mocktest.Eventually(t, "nobody follows it", func() bool { return mockserver.Watchers(s) == 0 })
	mocktest.Call(t, s, "HEAD", "/_understudy/journal/ticks", "").Want(200)
}
