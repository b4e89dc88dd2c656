package contract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
)

// What is ignored is counted, and named by what it is left out.
func TestIgnored(t *testing.T) {
	t.Parallel()
	source := asked(
		"GET https://Img.CDN.acme.io/api/pools", "GET https://img.cdn.acme.io/api/attempts",
		"GET https://flow.acme.io/health/live",
		"GET https://flow.acme.io/health", "GET https://workflow.svc.example/api/pools", "GET https://flow.acme.io/other",
	)
	r := checked(t, source, contract.WithGuess(true), contract.WithIgnoredHosts("*.cdn.acme.io"),
		contract.WithIgnoredPaths("/health/**"))
	if r.Exchanges.Ignored != 4 || r.Exchanges.Matched != 1 || r.Exchanges.Unmatched != 1 || len(r.Bases) > 0 {
		t.Errorf("%+v, bases %v", r.Exchanges, r.Bases)
	}
	want := []string{
		"2 exchanges are ignored, as configured: host *.cdn.acme.io",
		"2 exchanges are ignored, as configured: path /health/**",
	}
	if diff := cmp.Diff(want, r.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	for _, pattern := range []string{"", "[", "{a"} {
		if _, err := contract.NewChecker(contract.WithIgnoredPaths(pattern)); err == nil {
			t.Errorf("%q is taken as a pattern", pattern)
		}
	}
}
