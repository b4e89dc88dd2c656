package contract_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// listing returns an exchange without parameters, whose answer has a body, which may be one that cannot be judged.
func listing(body *recording.Body) *recording.Exchange {
	e := getting("https://workflow.svc.example/api/pools", "")
	e.Response.Body = body
	return e
}

func whole() *recording.Body { return &recording.Body{Bytes: []byte(`{"pools":[]}`)} }
func half() *recording.Body  { return &recording.Body{Bytes: []byte(`{"poo`), Truncated: true} }

func of(exchanges ...*recording.Exchange) contract.Source {
	return contract.Exchanges(slices.Values(exchanges))
}

func TestHowMuchWasJudged(t *testing.T) {
	t.Parallel()
	r := checked(t, of(listing(whole()), listing(half()), listing(nil), listing(half()), listing(whole()),
		listing(whole())))
	want := report.Judged{Bodies: 3, Unjudged: 3, Reasons: []report.Reason{
		{Reason: "the recording has only the beginning of the body", Count: 2},
		{Reason: "the recording does not contain the body, and one is documented", Count: 1},
	}}
	if diff := cmp.Diff(want, r.Judged); diff != "" {
		t.Errorf("judged (-want +got):\n%s", diff)
	}
	const words = "3 of 6 bodies judged"
	for _, format := range []string{"text", "markdown", "html"} {
		var b strings.Builder
		if err := r.Write(&b, format); err != nil || !strings.Contains(b.String(), words) {
			t.Errorf("%s does not say %q (%v)", format, words, err)
		}
	}
}

// A recording of which nothing was judged never conforms.
func TestNothingJudged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		exchanges []*recording.Exchange
		nothing   bool
	}{
		"all bodies in doubt": {[]*recording.Exchange{listing(half()), listing(nil)}, true},
		"one body judged":     {[]*recording.Exchange{listing(half()), listing(whole())}, false},
		"a parameter judged": {[]*recording.Exchange{
			listing(half()),
			getting("https://workflow.svc.example/api/pools/1", ""),
		}, false},
	} {
		r, err := checker(t).Check(t.Context(), of(tt.exchanges...))
		if errors.Is(err, contract.ErrNothingJudged) != tt.nothing {
			t.Errorf("%s: %v", name, err)
		}
		if outcome := r.Outcome(); strings.HasPrefix(outcome, "nothing was judged") != tt.nothing {
			t.Errorf("%s: %s", name, outcome)
		}
	}
}

func TestMaxInconclusive(t *testing.T) {
	t.Parallel()
	source := of(listing(whole()), listing(half()), listing(whole()))
	share := checked(t, source).Checks.InconclusiveShare()
	for most, failed := range map[float64]bool{0: true, share - 1: true, share: false, 100: false} {
		r := checked(t, source, contract.WithMaxInconclusive(most))
		if r.Failed() != failed || strings.Contains(r.Outcome(), "too little of it could be judged") != failed {
			t.Errorf("at most %v of %v: %s", most, share, r.Outcome())
		}
	}
	if _, err := contract.NewChecker(contract.WithMaxInconclusive(101)); err == nil {
		t.Error("101 percent are taken")
	}
}
