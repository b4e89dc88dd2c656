package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/internal/plant"
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

func tryProxyBombs(ctx context.Context, t *trial) (string, error) {
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
	m := must(t.begin(ctx, t.binary, "proxy", "--listen", "127.0.0.1:0", "--target", "workflow="+service.URL,
		"--record", file))
	begin := time.Now()
	small, err := m.sendBombs(ctx, slices.Sorted(maps.Keys(bombs)))
	took := time.Since(begin)
	peak, peakErr := m.status("VmHWM")
	check(errors.Join(err, peakErr))
	if code, err := m.terminate(10 * time.Second); err != nil || code != 0 {
		return "", fmt.Errorf("after SIGTERM: exit code %d, %w: %s", code, err, m.stderr())
	}
	text := must(readSince(file, 0))
	sent := roundsOfBombs*len(bombs) + len(small.all)
	switch recorded, err := readRecording(text); {
	case err != nil:
		return "", err
	case len(recorded.exchanges) != sent:
		return "", fmt.Errorf("%d exchanges are recorded of %d", len(recorded.exchanges), sent)
	case strings.Contains(string(text), secretOfAnswer):
		return "", errors.New("a secret is in the recording")
	case small.worst() > besideBombs || peak > proxyMemory:
		return "", fmt.Errorf("a small request took %v, and the process %d MiB", ms(small.worst()), peak>>10)
	}
	return fmt.Sprintf("%d bombs in %v; %d small requests beside them, half of them within %v, the last after %v; "+
		"all are recorded, in %d KiB; at most %d MiB of memory", roundsOfBombs*len(bombs), ms(took), len(small.all),
		ms(small.quantile(0.5)), ms(small.worst()), len(text)>>10, peak>>10), nil
}

// sendBombs asks for all bombs at once, some times, and for something small beside them.
func (m *mock) sendBombs(ctx context.Context, paths []string) (small *times, err error) {
	small = &times{}
	sent := make(chan error, 1)
	go func() {
		sent <- each(len(paths), roundsOfBombs*len(paths), func(i int) error {
			_, err := m.want(ctx, http.StatusOK, http.MethodGet, "/workflow"+paths[i%len(paths)], "")
			return err
		})
	}()
	for {
		a, err := m.want(ctx, http.StatusOK, http.MethodGet, "/workflow/api/pools", "")
		if err != nil {
			return small, errors.Join(err, <-sent)
		}
		small.add(a.took)
		select {
		case err := <-sent:
			return small, err
		case <-time.After(10 * time.Millisecond):
		}
	}
}
