package netfault_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/netfault"
)

// A fault leaves what a client sees of a body, and of its announced length.
func TestApply(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault         string
		status        int
		body, seen    string
		excess        int
		isSeen, isCut bool
	}{
		{"delay=1s", 200, "abcdef", "abcdef", 0, true, false},
		{"network=noAnswer", 200, "abcdef", "", 0, false, false},
		{"network=reset", 200, "abcdef", "", 0, false, false},
		{"network=garbage", 200, "abcdef", "", 0, false, false},
		{"network=truncated", 200, "abcdef", "abc", 0, true, true},
		{"network=truncated at=0", 200, "abcdef", "", 0, true, true},
		{"network=truncated at=1000000", 200, "abcdef", "abcde", 0, true, true},
		{"network=truncated", 200, "a", "", 0, true, true},
		{"network=truncated", 200, "", "", 0, false, false},
		{"network=resetInBody at=2", 200, "abcdef", "ab", 0, true, true},
		{"network=resetInBody", 204, "", "", 0, false, false},
		{"network=wrongLength", 200, "abcdef", "abcdef", 16, true, true},
		{"network=wrongLength bytes=1", 200, "", "", 1, true, true},
		{"network=wrongLength", 204, "", "", 0, false, false},
		{"network=wrongLength", 304, "", "", 0, false, false},
	} {
		f, err := fixtures.ParseFault(test.fault)
		if err != nil {
			t.Fatal(err)
		}
		seen, excess, end := netfault.Apply(&f, test.status, []byte(test.body))
		if string(seen) != test.seen || excess != test.excess || end.IsSeen != test.isSeen || end.IsCut != test.isCut {
			t.Errorf("%s of %d %q: %q, %d, %+v", test.fault, test.status, test.body, seen, excess, end)
		}
		if len(seen) > 0 && cap(seen) > len(seen) && end.IsCut && excess == 0 {
			t.Errorf("%s: what is appended to the part changes the rest", test.fault)
		}
	}
}

// writer is a response writer for clients in the same process.
type writer struct {
	http.ResponseWriter
	*netfault.Local
}

// A client in the same process reads a body slowly, until the body is closed or its request is over.
func TestLocalBody(t *testing.T) {
	t.Parallel()
	sent := func(ctx context.Context, rate int) io.ReadCloser {
		var local netfault.Local
		f := fixtures.Fault{BytesPerSecond: rate}
		_, _, end := netfault.Apply(&f, 200, []byte("abcdef"))
		end.Send(ctx, writer{Local: &local}, nil, rate, []byte("abcdef"), func([]byte) error { return nil })
		return local.Body(ctx, []byte("abcdef"))
	}
	if body := sent(t.Context(), 0); body != nil {
		t.Error("a body of which nothing is wrong is broken")
	}
	if text, err := io.ReadAll(sent(t.Context(), math.MaxInt)); string(text) != "abcdef" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	slow := sent(t.Context(), 1)
	_ = slow.Close()
	if _, err := slow.Read(make([]byte, 1)); err == nil || !strings.Contains(err.Error(), "closed response body") {
		t.Errorf("a closed body is read: %v", err)
	}
	ctx, leave := context.WithCancel(t.Context())
	slow = sent(ctx, 1)
	leave()
	if _, err := slow.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("the request is over: %v", err)
	}
	if netfault.Wait(ctx, time.Hour) || netfault.Wait(ctx, 0) || !netfault.Wait(t.Context(), 0) {
		t.Error("a client that has left is waited for")
	}
}
