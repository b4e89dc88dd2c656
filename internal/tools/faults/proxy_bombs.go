package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/internal/tools/must"
	"svc.example/understudy/internal/tools/plant"
)

var proxyBombs = promise{
	name: "proxy-bombs",
	says: "An answer that is long or dear to search for secrets does not hold up others through `proxy --record`.",
	tried: "12 bombs at once, three times (gzip, deflate, br, zstd, texts in texts, lines, parts, fields, archives), " +
		"and small requests beside them; peak memory, times, and the recording",
	try: tryProxyBombs,
}

const (
	besideBombs    = time.Second
	proxyMemory    = 768 << 10 // KiB
	roundsOfBombs  = 3
	secretOfAnswer = "geheim-0815"
)

func tryProxyBombs(ctx context.Context, t *trial) string {
	bombs := map[string]plant.Bomb{}
	for _, bomb := range plant.Bombs() {
		bombs["/api/"+bomb.Name] = bomb
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if bomb, ok := bombs[r.URL.Path]; ok {
			maps.Copy(w.Header(), bomb.Header)
			_, _ = w.Write(bomb.Body)
			return
		}
		w.Header().Set("Content-Type", jsonType)
		fmt.Fprintf(w, `{"name":"nightly","password":%q}`, secretOfAnswer)
	}))
	defer service.Close()
	file := t.file("traffic.ndjson")
	m := t.begin(ctx, t.binary, "proxy", "--listen", "127.0.0.1:0", "--target", "workflow="+service.URL,
		"--record", file)
	begin := time.Now()
	small := m.sendBombs(ctx, slices.Sorted(maps.Keys(bombs)))
	took, peak := time.Since(begin), m.status("VmHWM")
	if code := m.terminate(10 * time.Second); code != 0 {
		must.Fatalf("after SIGTERM: exit code %d: %s", code, m.stderr())
	}
	text := readSince(file, 0)
	sent := roundsOfBombs*len(bombs) + len(small.all)
	switch recorded := must.Get(readRecording(text)); {
	case len(recorded.exchanges) != sent:
		must.Fatalf("%d exchanges are recorded of %d", len(recorded.exchanges), sent)
	case strings.Contains(string(text), secretOfAnswer):
		must.Fatalf("a secret is in the recording")
	case small.worst() > besideBombs || peak > proxyMemory:
		must.Fatalf("a small request took %v, and the process %d MiB", ms(small.worst()), peak>>10)
	}
	return fmt.Sprintf("%d bombs in %v; %d small requests beside them, half of them within %v, the last after %v; "+
		"all are recorded, in %d KiB; at most %d MiB of memory", roundsOfBombs*len(bombs), ms(took), len(small.all),
		ms(small.quantile(0.5)), ms(small.worst()), len(text)>>10, peak>>10)
}

// sendBombs asks for all bombs at once, some times, and for something small beside them.
func (m *mock) sendBombs(ctx context.Context, paths []string) (small *times) {
	small = &times{}
	sent := make(chan error, 1)
	go func() {
		sent <- must.Catch(func() {
			each(len(paths), roundsOfBombs*len(paths), func(i int) {
				m.want(ctx, http.StatusOK, http.MethodGet, "/workflow"+paths[i%len(paths)], "")
			})
		})
	}()
	for {
		small.add(m.want(ctx, http.StatusOK, http.MethodGet, "/workflow/api/pools", "").took)
		select {
		case err := <-sent:
			must.Do(err)
			return small
		case <-time.After(10 * time.Millisecond):
		}
	}
}
