package proxy_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/contract/replay/proxy"
)

// A body that is left out, since it would take too long to search, is marked as such, and nothing of it stays.
func TestBodiesThatAreTooDearAreLeftOut(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("[" + strings.Repeat(`"\u0061",`, 1<<20) + strings.Repeat(`{"password":"geheim"},`, 700_000)))
	_ = z.Close()
	s := stand(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(packed.Bytes())
	}, func(c *proxy.Config) { c.BodyLimit = 4 << 20 })
	do(t, "GET", s.url("/api/pools"), "")
	e := s.record.only(t)
	body := e.Response.Body
	if !body.Truncated || body.Size == 0 || strings.Contains(string(body.Bytes), "geheim") {
		t.Errorf("recorded are %d bytes, %+v", len(body.Bytes), e.Notes)
	}
}
