package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A service may answer while it is still being sent the request.
func TestBothDirectionsAtOnce(t *testing.T) {
	t.Parallel()
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		_ = c.EnableFullDuplex()
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() {
			_, _ = fmt.Fprintln(w, "echo", lines.Text())
			_ = c.Flush()
		}
	})
	out, in := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), "POST", s.url("/api/pools"), out)
	if err != nil {
		t.Fatal(err)
	}
	go fmt.Fprintln(in, "0")
	response, err := plainClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for i := range 5 {
		if line, err := lines.ReadString('\n'); line != fmt.Sprintf("echo %d\n", i) {
			t.Fatalf("line %d is %q, %v", i, line, err)
		}
		if i < 4 {
			fmt.Fprintln(in, i+1)
		}
	}
	_ = in.Close()
	if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
		t.Errorf("the end: %q, %v", rest, err)
	}
}

func TestBrokenAnswersAreRecordedAsBroken(t *testing.T) {
	t.Parallel()
	s := stand(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "only this")
	})
	request, _ := http.NewRequestWithContext(t.Context(), "GET", s.url("/api/pools"), http.NoBody)
	response, err := plainClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("the client got %q as if it were all", text)
	}
	if e := s.record.only(t); !e.Response.Body.Truncated || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "broke off after 9 bytes") {
		t.Errorf("recorded is %+v, %q", e.Response.Body, e.Notes)
	}
}

func TestClientsThatGoAwayAreNoted(t *testing.T) {
	t.Parallel()
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "the beginning")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	request, _ := http.NewRequestWithContext(t.Context(), "GET", s.url("/api/pools"), http.NoBody)
	response, err := plainClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = response.Body.Read(make([]byte, 5))
	response.Body.Close()
	for s.proxy.Health().Recorded == 0 {
		time.Sleep(time.Millisecond)
	}
	if e := s.record.only(t); !e.Response.Body.Truncated || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "client closed") {
		t.Errorf("recorded is %+v, %q", e.Response, e.Notes)
	}
}
