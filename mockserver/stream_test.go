package mockserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// events reads server-sent events.
type events struct {
	body io.ReadCloser
	*bufio.Reader
}

// follow opens the stream of a journal.
func follow(t *testing.T, client *http.Client, url string, headers ...string) *events {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("status %d, type %s", response.StatusCode, got)
	}
	return &events{response.Body, bufio.NewReader(response.Body)}
}

// next returns the fields of the next event, or the end of the stream; comments do not count.
func (e *events) next(t *testing.T) string {
	t.Helper()
	var fields []string
	for {
		line, err := e.ReadString('\n')
		switch line = strings.TrimSuffix(line, "\n"); {
		case err != nil:
			return err.Error()
		case line == "" && fields != nil:
			return strings.Join(fields, " ")
		case strings.HasPrefix(line, "data: ") && strings.HasPrefix(fields[len(fields)-1], "event: exchange"):
			fields = append(fields, jsontree.Find(line[6:], "operation").Text()) // enough to know it by
		case line != "" && line[0] != ':':
			fields = append(fields, line)
		}
	}
}

func (e *events) want(t *testing.T, want ...string) {
	t.Helper()
	for _, want := range want {
		if got := e.next(t); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	s := mockserver.Start(t)
	url := s.URL("control") + "/journal/stream"
	client := &http.Client{}
	live, pools := follow(t, client, url), follow(t, client, url+"?operation=workflow.listPools")
	issue(t, s, "select 1")
	mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
	const job, pool = "id: 1 event: exchange core.issueJob", "id: 2 event: exchange workflow.listPools"
	live.want(t, job, pool)
	pools.want(t, pool)
	t.Run("what was served before can be had", func(t *testing.T) {
		t.Parallel()
		follow(t, client, url+"?after=0").want(t, job, pool)
	})
	t.Run("a client that comes back resumes", func(t *testing.T) {
		t.Parallel()
		follow(t, client, url+"?after=0", "Last-Event-ID", "1").want(t, pool)
		follow(t, client, url, "Last-Event-ID", "99").want(t, job, pool) // of a server that ran before
	})
	t.Run("data are those of the journal", func(t *testing.T) {
		t.Parallel()
		stream := follow(t, client, url+"?after=1")
		var data string
		for !strings.HasPrefix(data, "data: ") {
			line, err := stream.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			data = line
		}
		_, line, _ := strings.Cut(mocktest.Call(t, s, "GET", "/_understudy/journal.ndjson", "").Want(200).Body, "\n")
		if diff := cmp.Diff(line, data[6:]); diff != "" {
			t.Errorf("(-journal +stream)\n%s", diff)
		}
		if strings.Contains(data, "1/admin") {
			t.Errorf("a secret is in %s", data)
		}
	})
	t.Run("wrong numbers are refused", func(t *testing.T) {
		t.Parallel()
		for _, id := range []string{"x", "-1", "1.5"} {
			mocktest.Call(t, s, "GET", "/_understudy/journal/stream", "", "Last-Event-Id", id).Want(400)
		}
	})
	t.Run("HEAD has no events, and ends", func(t *testing.T) {
		t.Parallel()
		a := mocktest.Call(t, s, "HEAD", "/_understudy/journal/stream?after=0", "").Want(200)
		if a.Body != "" || a.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("HEAD answers %v, %q", a.Header, a.Body)
		}
	})
}

// What the journal dropped before it could be sent is a gap, which a client that resumes does not see again.
func TestStreamHasGaps(t *testing.T) {
	t.Parallel()
	s := mockserver.Start(t)
	url := s.URL("control") + "/journal/stream"
	issue(t, s, "select 1", "select 2")
	mocktest.Call(t, s, "DELETE", "/_understudy/journal", "").Want(204)
	issue(t, s, "select 3")
	const last = "id: 3 event: exchange core.issueJob"
	follow(t, &http.Client{}, url+"?after=0").
		want(t, `id: 2 event: gap data: {"world":"default","after":0,"lost":2}`, last)
	follow(t, &http.Client{}, url, "Last-Event-ID", "2").want(t, last)
}

func TestStreamEnds(t *testing.T) {
	t.Parallel()
	t.Run("with its world", func(t *testing.T) {
		t.Parallel()
		s := mockserver.Start(t)
		fork := s.World("").Fork()
		stream := follow(t, &http.Client{}, s.URL("control")+"/worlds/"+fork.ID()+"/journal/stream")
		if err := fork.Delete(); err != nil {
			t.Fatal(err)
		}
		stream.want(t, "EOF")
	})
	for name, tls := range map[string][]mockserver.Option{"": nil, ", over HTTP/2": {mockserver.WithTLS()}} {
		t.Run("with its client, and nothing is left of it"+name, func(t *testing.T) {
			t.Parallel()
			s := mockserver.Start(t, tls...)
			client := &http.Client{}
			if tls != nil {
				client = s.Client()
			}
			ctx, leave := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL("control")+"/journal/stream", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			mocktest.Eventually(t, "it is followed", func() bool { return mockserver.Watchers(s) == 1 })
			leave()
			mocktest.Eventually(t, "nobody follows it", func() bool { return mockserver.Watchers(s) == 0 })
		})
	}
}

const stream = "http://localhost/_understudy/journal/stream"

// A stream, and a wait, outlast the time that other requests have, and end when the server is to stop.
func TestStreamLasts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, client, shutdown := inPipes(t, mockserver.WithWriteTimeout(time.Second))
		live := follow(t, client, stream+"?operation=core.issueJob")
		if first, err := live.ReadString('\n'); err != nil || first != ": exchanges of the world default\n" {
			t.Fatalf("the stream begins with %q, %v", first, err)
		}
		waited := make(chan string)
		go func() {
			response, err := client.Post("http://localhost"+wait, "application/json", //nolint:noctx // the test ends it
				strings.NewReader(`{"timeout":"9m"}`))
			if err != nil {
				waited <- err.Error()
				return
			}
			defer response.Body.Close()
			waited <- response.Status
		}()
		for range 5 * 4 { // which takes five minutes
			live.heartbeat(t, ": still here\n")
		}
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		if got := <-waited; got != "200 OK" {
			t.Errorf("the wait ends with %s", got)
		}
		live.heartbeat(t, ": still here\nid: 1\n") // what it resumes from, though it did not want the exchange
		issue(t, s, "select 1")
		live.want(t, "id: 2 event: exchange core.issueJob")
		var group sync.WaitGroup
		group.Go(shutdown) // which waits for the stream
		live.want(t, "EOF")
		group.Wait()
		if n := mockserver.Watchers(s); n != 0 {
			t.Errorf("%d clients still follow", n)
		}
	})
}

func (e *events) heartbeat(t *testing.T, want string) {
	t.Helper()
	var got string
	for got == "" || !strings.HasSuffix(got, "\n\n") {
		line, err := e.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if got += line; got == "\n" {
			got = ""
		}
	}
	if got != want+"\n" {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A client that does not read holds up nothing: it is left when its time is over, and finds a gap when it comes back.
func TestSlowReaderOfAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, client, shutdown := inPipes(t, mockserver.WithJournalLimit(64<<10))
		slow := follow(t, client, stream)
		for n := range 500 {
			issue(t, s, fmt.Sprintf("select %d", n))
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		if n := mockserver.Watchers(s); n != 0 {
			t.Errorf("%d clients still follow", n)
		}
		_ = slow.body.Close()
		again := follow(t, client, stream, "Last-Event-ID", "1")
		if got := again.next(t); !strings.Contains(got, "event: gap") {
			t.Errorf("a client that comes back gets %s", got)
		}
		_ = again.body.Close()
		shutdown()
	})
}
