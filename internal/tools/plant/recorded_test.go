package proxy_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/internal/plant"
)

// TestNoSecretIsRecorded sends secrets through the proxy, 2,000 unless PLANT says how many. None is in the recording.
func TestNoSecretIsRecorded(t *testing.T) {
	t.Parallel()
	want, _ := strconv.Atoi(os.Getenv("PLANT"))
	if want == 0 {
		want = 2000
	}
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	const limit = 3000
	var now *plant.Exchange
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		maps.Copy(w.Header(), now.Answer.Header)
		w.WriteHeader(now.Status)
		_, _ = w.Write(now.Answer.Body)
	}))
	t.Cleanup(back.Close)
	s := before(t, back, func(c *proxy.Config) { c.BodyLimit = limit })
	generator := plant.New(seed, limit)
	planted, leaks := 0, 0
	for planted < want && leaks < 5 {
		now = generator.Next()
		planted += now.Secrets
		s.record.text.Reset()
		do(t, now.Method, s.url(now.Path), string(now.Request.Body), flat(now.Request.Header)...)
		if left := plant.Find(s.record.text.Bytes()); len(left) > 0 {
			leaks++
			t.Errorf("%s: left is %q", now.Kind, left)
		}
		if bytes.Count(s.record.text.Bytes(), []byte("\n")) != 1 {
			t.Fatalf("%s: recorded is %q", now.Kind, s.record.text.Bytes())
		}
	}
	t.Logf("%d secrets", planted)
}

// flat returns names and values in turns.
func flat(header http.Header) (list []string) {
	for name, values := range header {
		for _, value := range values {
			list = append(list, name, value)
		}
	}
	return list
}
