package contract_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

func TestEvidence(t *testing.T) {
	t.Parallel()
	c := checker(t)
	source := contract.Files("testdata/pools-broken.ndjson")
	r, err := c.Check(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Evidence(t.Context(), source, r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, slices.Sorted(maps.Keys(r.Evidence))); diff != "" {
		t.Errorf("exchanges (-want +got):\n%s", diff)
	}
	if e := r.Evidence[4]; e == nil || e.Request.Method != "DELETE" || e.Response.Status != 200 {
		t.Errorf("the last step is %+v", e)
	}
	excerpt := r.Excerpts[r.Findings[0].Spec]
	if at := r.Findings[0].Spec.Line - excerpt.First; at < 0 || at >= len(excerpt.Lines) ||
		!strings.Contains(excerpt.Lines[at], "description:") {
		t.Errorf("line %d is not in the excerpt %+v", r.Findings[0].Spec.Line, excerpt)
	}
}

func TestEvidenceHasNoSecretsAndNoEndlessBodies(t *testing.T) {
	t.Parallel()
	long := `{"value":"geheim","unknown":"` + strings.Repeat("x", 100_000) + `"}`
	e := &recording.Exchange{
		Request: recording.Request{
			Method: "PUT", URL: "https://user:geheim@workflow.svc.example/api/projects/1/secrets/k",
			Headers: recording.Headers{{"Authorization", "SVC1 1/geheim"}, {"Content-Type", "application/json"}},
			Body:    &recording.Body{Bytes: []byte(long)},
		},
		Response: &recording.Response{Status: 299, Headers: recording.Headers{{"Set-Cookie", "s=geheim"}}},
	}
	c := checker(t)
	source := contract.Exchanges(slices.Values([]*recording.Exchange{e}))
	r, err := c.Check(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Evidence(t.Context(), source, r); err != nil {
		t.Fatal(err)
	}
	shown := r.Evidence[1]
	if shown == nil || !shown.Request.Body.Truncated || len(shown.Request.Body.Bytes) >= len(long) {
		t.Fatalf("shown %+v", shown)
	}
	if text := fmt.Sprintf("%+v %s", shown, shown.Request.Body.Bytes); strings.Contains(text, "geheim") {
		t.Errorf("a secret is shown: %.300s", text)
	}
	if len(e.Request.Body.Bytes) != len(long) {
		t.Error("the exchange of the source was cut")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := c.Evidence(stopped, source, r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was stopped", err)
	}
}
