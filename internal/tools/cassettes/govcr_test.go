// Package cassettes_test records with go-vcr, for those who read what it writes.
package cassettes_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	recorder3 "gopkg.in/dnaeon/go-vcr.v3/recorder"
	recorder4 "gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"

	"svc.example/understudy/mockserver"
)

// The cassettes in contract/internal/capture/testdata hold what go-vcr records, but for durations. UPDATE=1 rewrites
// them.
func TestCassettesAreThoseOfGoVCR(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]func(t *testing.T, file string, next http.RoundTripper) (http.RoundTripper,
		func() error){
		"v3": func(t *testing.T, file string, next http.RoundTripper) (http.RoundTripper, func() error) {
			t.Helper()
			r, err := recorder3.NewWithOptions(&recorder3.Options{
				CassetteName: file, Mode: recorder3.ModeRecordOnly, RealTransport: next, SkipRequestLatency: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			return r, r.Stop
		},
		"v4": func(t *testing.T, file string, next http.RoundTripper) (http.RoundTripper, func() error) {
			t.Helper()
			r, err := recorder4.New(file, recorder4.WithMode(recorder4.ModeRecordOnly), recorder4.WithRealTransport(next))
			if err != nil {
				t.Fatal(err)
			}
			return r, r.Stop
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "cassette")
			next, stop := record(t, file, mockserver.NewTransport(t, mockserver.WithClock(mockserver.ClockFrozen)))
			playSession(t, &http.Client{Transport: next})
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			got = duration.ReplaceAll(got, []byte("duration: 1ms"))
			kept := filepath.Join("../../../contract/internal/capture/testdata", "govcr-"+name+".yaml")
			if os.Getenv("UPDATE") == "1" {
				if err := os.WriteFile(kept, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(kept)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", kept, diff)
			}
		})
	}
}

var duration = regexp.MustCompile(`duration: .*`)

// playSession asks the mock at the address of the transport, where the interface has no path.
func playSession(t *testing.T, client *http.Client) {
	t.Helper()
	for _, ask := range [][3]string{
		{"GET", "pools"},
		{"POST", "pools", `{"name":"nächtlich","concurrencyLimit":2}`},
		{"GET", "projects/1/archive"},
		{"DELETE", "pools/1"},
		{"DELETE", "pools/4"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), ask[0], "https://workflow.svc.example/api/"+ask[1],
			strings.NewReader(ask[2]))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "SVC1 1/admin")
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
}
