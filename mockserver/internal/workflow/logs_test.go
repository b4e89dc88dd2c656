package workflow_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

type logFile struct {
	FileName, TaskName, FileTime, FileTimestamp, AgentID string
	FileSize                                             int
	Direct                                               *string
}

func (c client) logs(id, query string) []logFile {
	c.Helper()
	return decode[struct{ Files []logFile }](c.Get("/api/logs/" + id + "/files?" + query).Want(http.StatusOK)).Files
}

func names(files []logFile) (all []string) {
	for _, f := range files {
		all = append(all, f.FileName)
	}
	return all
}

func TestLogs(t *testing.T) {
	t.Parallel()
	logged := func(t *testing.T) (client, attempt) {
		t.Helper()
		c := newClient(t)
		c.upload("shop", "v1", map[string]string{
			"w": "+b:\n  +y: {echo>: hello}\n  +x: {echo>: x}\n+a: {fail>: no, _retry: {limit: 1, interval: 60}}\n",
		})
		a := c.start("shop", "w")
		c.Advance(500 * time.Millisecond)
		return c, a
	}
	const first = 0x6968b398 // 2026-01-15T09:30:00Z
	t.Run("a file for each try of a task, by name", func(t *testing.T) {
		t.Parallel()
		c, a := logged(t)
		if got := names(c.logs(a.ID, "")); len(got) != 1 {
			t.Errorf("while the first task runs: %v", got)
		}
		c.Advance(500*time.Millisecond + 62*time.Second)
		if got := c.attempt(a.ID).Status; got != "running" {
			t.Fatalf("the attempt is %s", got)
		}
		files := c.logs(a.ID, "")
		want := []string{
			"+w+a@6968b39a00000000.agent-1.log.gz", "+w+a@6968b3d700000000.agent-1.log.gz",
			"+w+b+x@6968b39900000000.agent-1.log.gz", "+w+b+y@6968b39800000000.agent-1.log.gz",
		}
		if diff := cmp.Diff(want, names(files)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		at := time.Unix(first, 0).UTC().Format(time.RFC3339)
		if f := files[3]; f.FileTime != at || f.TaskName != "+w+b+y" || f.AgentID != "agent-1" {
			t.Errorf("the first file is %v", f)
		}
	})
	t.Run("the time stamp of a file is that of its name, to the microsecond", func(t *testing.T) {
		t.Parallel()
		c := newClient(t, mockserver.WithNow(mocktest.Now.Add(123_456_789)))
		c.upload("shop", "v1", map[string]string{"w": "+x: {echo>: hello}\n"})
		f := c.logs(c.start("shop", "w").ID, "")[0]
		want := logFile{
			FileName: "+w+x@6968b398075bca00.agent-1.log.gz", TaskName: "+w+x", AgentID: "agent-1",
			FileTime: "2026-01-15T09:30:00Z", FileTimestamp: "2026-01-15T09:30:00.123456Z",
			FileSize: f.FileSize, Direct: f.Direct,
		}
		if diff := cmp.Diff(want, f); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		c = newClient(t)
		c.upload("shop", "v1", map[string]string{"w": "+x: {echo>: hello}\n"})
		if f := c.logs(c.start("shop", "w").ID, "")[0]; f.FileTimestamp != "2026-01-15T09:30:00.000000Z" {
			t.Errorf("on the full second it is %s", f.FileTimestamp)
		}
	})
	t.Run("task keeps the names that begin with it", func(t *testing.T) {
		t.Parallel()
		c, a := logged(t)
		c.Advance(2 * time.Second)
		for prefix, want := range map[string]int{"+w+b": 2, "+w+b+x": 1, "+w": 3, "+b": 0, "": 3, "+w+a": 1} {
			if got := len(c.logs(a.ID, "task="+url.QueryEscape(prefix))); got != want {
				t.Errorf("%s: %d, want %d", prefix, got, want)
			}
		}
	})
	t.Run("direct is an address that answers, or left out", func(t *testing.T) {
		t.Parallel()
		c, a := logged(t)
		f := c.logs(a.ID, "direct_download=true")[0]
		u, err := url.Parse(*f.Direct)
		if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(u.EscapedPath(), "/workflow")
		if got := len(c.Get(path).Want(http.StatusOK).Body); got != f.FileSize {
			t.Errorf("%s has %d bytes, but fileSize is %d", *f.Direct, got, f.FileSize)
		}
		if f := c.logs(a.ID, "direct_download=false")[0]; f.Direct != nil {
			t.Errorf("direct is %s", *f.Direct)
		}
		if f := c.logs(a.ID, "direct_download=perhaps")[0]; f.Direct != nil { // neither true nor false is false
			t.Errorf("direct is %s", *f.Direct)
		}
	})
	t.Run("a file is gzip and tells what the task did", func(t *testing.T) {
		t.Parallel()
		c, a := logged(t)
		c.Advance(64 * time.Second)
		for i, want := range [][]string{
			{"fail>: no", "is retried"}, {"fail>: no", "ERROR", "no"}, {"echo>: x", "success"},
		} {
			name := c.logs(a.ID, "")[i].FileName
			answer := c.Get("/api/logs/" + a.ID + "/files/" + url.PathEscape(name)).Want(http.StatusOK)
			z, err := gzip.NewReader(strings.NewReader(answer.Body))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range want {
				if !strings.Contains(string(text), word) {
					t.Errorf("%s does not say %q:\n%s", name, word, text)
				}
			}
		}
	})
	t.Run("an attempt that waits has no files", func(t *testing.T) {
		t.Parallel()
		c, _ := withPool(t, 1)
		list := c.startMany("shop", "wait", 1, 2)
		if got := c.logs(list[1].ID, ""); got == nil || len(got) != 0 {
			t.Errorf("got %v", got)
		}
	})
	t.Run("an attempt or a file that does not exist", func(t *testing.T) {
		t.Parallel()
		c, a := logged(t)
		for _, id := range []string{"99", "0", "-1", "one", "99999999999999999999"} {
			c.Get("/api/logs/"+id+"/files").Refused(http.StatusNotFound, "attempt")
			c.Get("/api/logs/"+id+"/files/x").Refused(http.StatusNotFound, "attempt")
		}
		c.Get("/api/logs/"+a.ID+"/files/none.log.gz").Refused(http.StatusNotFound, "none.log.gz")
		c.Get("/api/logs/" + a.ID + "/files/..%2Fsecret").Refused(http.StatusNotFound)
	})
}
