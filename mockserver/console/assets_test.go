package console_test

import (
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/mockserver/console"
)

// fetch asks for a file as a browser does.
func fetch(t *testing.T, address string, header ...string) shown {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return do(t, http.DefaultClient, r)
}

// The first page, with all that belongs to it, is at most 150 KB on its way, and its files only once.
func TestTheFirstPageIsSmall(t *testing.T) {
	t.Parallel()
	base := start(t)
	page := fetch(t, base+console.Path)
	size := len(page.body)
	files := links.FindAllStringSubmatch(page.body, -1)
	for _, file := range files {
		if !strings.Contains(file[1], "assets/") {
			continue
		}
		address := base + console.Path + strings.TrimPrefix(file[1], "./")
		got := fetch(t, address, "Accept-Encoding", "gzip")
		if got.status != http.StatusOK || got.header.Get("Content-Encoding") != "gzip" || got.header.Get("Etag") == "" {
			t.Errorf("%s: %d %v", file[1], got.status, got.header)
		}
		size += len(got.body)
		plain := fetch(t, address, "Accept-Encoding", "identity")
		if plain.header.Get("Content-Encoding") != "" || len(plain.body) <= len(got.body)/2 {
			t.Errorf("%s: %d bytes of %v for a client that takes no gzip", file[1], len(plain.body), plain.header)
		}
		again := fetch(t, address, "Accept-Encoding", "gzip", "If-None-Match", got.header.Get("Etag"))
		if again.status != http.StatusNotModified {
			t.Errorf("%s again: status %d", file[1], again.status)
		}
	}
	if size > 150_000 || size < 1000 {
		t.Errorf("the first page takes %d bytes", size)
	}
	t.Logf("%d bytes", size)
	if got := fetch(t, base+console.Path+"assets/nothing.js"); got.status != http.StatusNotFound {
		t.Errorf("a file that is not there: status %d", got.status)
	}
}
