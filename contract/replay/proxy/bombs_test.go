package proxy_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"svc.example/understudy/contract/replay/proxy"
	"svc.example/understudy/internal/plant"
)

// bombs are answers that are short on the wire, and long or dear to search for secrets.
var bombs = map[string]struct{ mediaType, coding, plain string }{
	"objects":         {"application/json", "gzip", "[" + strings.Repeat("{},", 5<<20) + "{}]"},
	"secrets":         {"application/json", "deflate", "[" + strings.Repeat(`{"password":"p"},`, 1<<20) + "{}]"},
	"lines":           {"application/x-ndjson", "br", strings.Repeat("{\"token\":1}\n", 1<<20)},
	"texts in texts":  {"application/json", "zstd", nested(strings.Repeat("key ", 1<<21), 6)},
	"members":         {"text/plain", "gzip", strings.Repeat(`"key": "a\"`, 1<<20)},
	"parts":           {"multipart/form-data; boundary=b", "gzip", strings.Repeat("--b\r\nA: b\r\n\r\nkey\r\n", 1<<19) + "--b--"},
	"fields":          {"application/x-www-form-urlencoded", "br", strings.Repeat("token=1&", 1<<20)},
	"addresses":       {"text/plain", "zstd", strings.Repeat("a://x:y/", 1<<20) + "@"},
	"an archive":      {"application/gzip", "", string(plant.Compress("gzip", bytes.Repeat([]byte("key=1\n"), 4<<20)))},
	"archives inside": {"application/gzip", "gzip", string(plant.Compress("gzip", make([]byte, 256<<20)))},
	"zeros":           {"application/msgpack", "br", string(make([]byte, 64<<20))},
	"lists in a text": {"application/json", "gzip", `{"a":` + quoted("["+strings.Repeat("[],", 4<<20)+`"key"]`) + `}`},
}

func nested(text string, depth int) string {
	for range depth {
		text = quoted([]string{text})
	}
	return text
}

// TestSmallRequestsPassBesideBombs sends all bombs at once. A small request beside them is answered and recorded as if it were
// alone, what the proxy takes is bounded, and so is how long a bomb waits.
func TestSmallRequestsPassBesideBombs(t *testing.T) { //nolint:paralleltest // it measures memory and time
	const wait, memory = 5 * time.Second, 1 << 30
	coded := map[string][]byte{}
	for name, bomb := range bombs {
		coded[name] = plant.Compress(bomb.coding, []byte(bomb.plain))
	}
	s := stand(t, func(w http.ResponseWriter, r *http.Request) {
		name := strings.ReplaceAll(strings.TrimPrefix(r.URL.Path, "/api/"), "_", " ")
		if bomb, ok := bombs[name]; ok {
			w.Header().Set("Content-Type", bomb.mediaType)
			w.Header().Set("Content-Encoding", bomb.coding)
			_, _ = w.Write(coded[name])
			return
		}
		_, _ = io.WriteString(w, `{"name":"nightly","password":"geheim"}`)
	}, func(c *proxy.Config) { c.Recording = io.Discard })
	stop := make(chan struct{})
	highest := make(chan uint64)
	go func() {
		var most uint64
		for {
			select {
			case <-stop:
				highest <- most
				return
			case <-time.After(20 * time.Millisecond):
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
		}
	}()
	var under sync.WaitGroup
	begin := time.Now()
	for name := range bombs {
		under.Go(func() {
			do(t, "GET", s.url("/api/"+strings.ReplaceAll(name, " ", "_")), "")
			t.Logf("%s: %v", name, time.Since(begin))
		})
	}
	for range 10 {
		asked := time.Now()
		do(t, "GET", s.url("/api/pools"), "")
		if took := time.Since(asked); took > wait {
			t.Errorf("a small request took %v", took)
		} else {
			t.Logf("small: %v", took)
		}
		time.Sleep(50 * time.Millisecond)
	}
	under.Wait()
	close(stop)
	most := <-highest
	t.Logf("all took %v and %d MiB", time.Since(begin), most>>20)
	if took := time.Since(begin); took > 6*wait || most > memory {
		t.Errorf("all took %v and %d MiB", took, most>>20)
	}
	if health := s.proxy.Health(); health.Recorded != int64(len(bombs)+10) || health.Unrecorded != 0 {
		t.Errorf("recorded are %+v", health)
	}
}

func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // no such value is made here
	}
	return string(text)
}
