package mockserver_test

import (
	"net/http/httptest"
	"strconv"
	"strings"
	"io"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
)

func TestZStart(t *testing.T) {
	if os.Getenv("ZFILE") == "" {
		t.Skip()
	}
	for range 3 {
		var a, b syscall.Rusage
		syscall.Getrusage(0, &a)
		begin := time.Now()
		s, err := mockserver.New(mockserver.WithSpec("shop", os.Getenv("ZFILE")), mockserver.WithInterfaces("shop"), mockserver.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
		if err != nil {
			t.Fatal(err)
		}
		syscall.Getrusage(0, &b)
		t.Log(time.Since(begin), time.Duration(b.Utime.Nano()+b.Stime.Nano()-a.Utime.Nano()-a.Stime.Nano()))
		s.Close()
	}
}

func benchOwn(b *testing.B, method, path, body string) {
	s, err := mockserver.New(mockserver.WithScenario("empty"), mockserver.WithSpec("shop", "/tmp/shop.json"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.World("").Load([]byte("{workflow: {accountLimit: 100000}, interfaces: {shop: {products: [{id: p1, name: the first, price: 1, status: active}]}}}")); err != nil {
		b.Fatal(err)
	}
	s.World("").Checkpoint("a")
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n++; n%160 == 0 {
			s.World("").Restore("a")
		}
		r := httptest.NewRequest(method, path, strings.NewReader(strings.Replace(body, "NNN", strconv.Itoa(n), 1)))
		r.Header.Set("Authorization", "Bearer a")
		if strings.HasPrefix(path, "/workflow") {
			r.Header.Set("Authorization", "SVC1 1/admin")
		}
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 300 {
			b.Fatal(w.Code, w.Body)
		}
	}
}

func BenchmarkZOwnPost(b *testing.B) {
	benchOwn(b, "POST", "/shop/v1/products", `{"name":"product NNN","price":12.5,"status":"active","tags":["a","b"],"address":{"street":"Main Street 1","city":"Berlin"}}`)
}
func BenchmarkZOwnGet(b *testing.B) { benchOwn(b, "GET", "/shop/v1/products/p1", "") }
func BenchmarkZPoolPost(b *testing.B) {
	benchOwn(b, "POST", "/workflow/api/pools", `{"name":"pool NNN","concurrencyLimit":1}`)
}
func BenchmarkZPoolGet(b *testing.B) { benchOwn(b, "GET", "/workflow/api/pools/1", "") }
