package contract_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// reader reads exchanges again by their numbers, and counts how many.
func reader(list []*recording.Exchange, count *int) contract.ReadExchange {
	return func(seq int64) (*recording.Exchange, bool) {
		*count++
		i := slices.IndexFunc(list, func(e *recording.Exchange) bool { return e.Seq == seq })
		if i < 0 {
			return nil, false
		}
		return list[i], true
	}
}

// followed returns a Live that has judged all of a recording.
func followed(t *testing.T, list []*recording.Exchange) *contract.Live {
	t.Helper()
	l, err := checker(t).Live("default", nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Add(list...)
	if _, err := l.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

func seqs(list []*recording.Exchange) (numbers []int64) {
	for _, e := range list {
		numbers = append(numbers, e.Seq)
	}
	return numbers
}

func TestLiveMinimal(t *testing.T) {
	t.Parallel()
	list := exchangesOf(t, contract.Files("testdata/pools-broken.ndjson"))
	for _, e := range list {
		e.Seq += 1000 // the journal has forgotten what was before
	}
	l := followed(t, list)
	id := l.Overview().Findings[0].ID
	read := 0
	smallest, err := l.Minimal(t.Context(), id, reader(list, &read))
	if err != nil || read != 3 {
		t.Fatalf("%d exchanges are read, error %v; want those of the evidence", read, err)
	}
	if diff := cmp.Diff([]int64{1003, 1004}, seqs(smallest)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r := checked(t, contract.Exchanges(slices.Values(smallest)))
	if len(r.Groups) == 0 || r.Groups[0].ID != id {
		t.Errorf("they show %+v, want %s", r.Groups, id)
	}

	if _, err := l.Minimal(t.Context(), "none", reader(list, &read)); !errors.Is(err, contract.ErrNoFinding) {
		t.Errorf("error %v", err)
	}
	if _, err := l.Minimal(t.Context(), id, reader(list[:2], &read)); !errors.Is(err, contract.ErrNotReproduced) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Minimal(ctx, id, reader(list, &read)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// What the evidence does not show is looked for near it.
func TestLiveMinimalLooksNearby(t *testing.T) {
	t.Parallel()
	var list []*recording.Exchange
	for i := range 3000 {
		e := plainGET("/sessions", "")
		e.Response.Status, e.Response.Body.Bytes = 404, []byte(`{"message":"m","status":404}`)
		switch i {
		case 2900:
			e = plainGET("/pool_rules", "")
		case 2500:
			e = plainGET("/pool_rules", "1/key")
		}
		e.Seq = int64(i + 1)
		list = append(list, e)
	}
	l := followed(t, list)
	read := 0
	smallest, err := l.Minimal(t.Context(), l.Overview().Findings[0].ID, reader(list, &read))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{2501, 2901}, seqs(smallest)); diff != "" || read > 1500 {
		t.Errorf("after %d exchanges were read (-want +got):\n%s", read, diff)
	}
	for _, e := range smallest {
		if key := e.Request.Headers.Value("Authorization"); strings.Contains(key, "1/key") {
			t.Errorf("exchange %d has the key %s", e.Seq, key)
		}
	}
}

// The overview is that of the last time that all were judged together, whatever was added since.
func TestLiveOverview(t *testing.T) {
	t.Parallel()
	list := exchangesOf(t, contract.Files("testdata/pools-broken.ndjson"))
	l, err := checker(t).Live("default", nil)
	if err != nil {
		t.Fatal(err)
	}
	if o := l.Overview(); o.Exchanges.Read != 0 || o.Failed || len(o.Rules) < 20 {
		t.Errorf("in the beginning %+v", o)
	}
	l.Add(list[:3]...)
	if _, err := l.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.Add(list[3:]...)
	o := l.Overview()
	if o.Exchanges.Read != 3 || o.Exchanges.Behind != len(list)-3 || o.Failed {
		t.Errorf("%+v, failed: %t", o.Exchanges, o.Failed)
	}
	calls := map[string]int{}
	for _, op := range o.Coverage.Operations {
		if op.Exchanges > 0 {
			calls[op.Name] = op.Exchanges
		}
	}
	want := map[string]int{"workflow.listPools": 1, "workflow.createPool": 1, "workflow.createPoolRule": 1}
	if diff := cmp.Diff(want, calls); diff != "" || len(o.Coverage.Operations) < 200 {
		t.Errorf("coverage of %d operations (-want +got):\n%s", len(o.Coverage.Operations), diff)
	}
	r, err := l.Report(t.Context())
	if err != nil || !r.Failed() || !l.Overview().Failed {
		t.Errorf("in the end it does not fail: %v", err)
	}
	read := 0
	if err := l.Evidence(t.Context(), r, reader(list, &read)); err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil || !strings.Contains(page.String(), "/api/pool_rules") || read != 3 {
		t.Errorf("%d exchanges are read for the page, which shows no pool rule: %v", read, err)
	}
}

// Clients may know a mock under several names. A world of it is one, all the same.
func TestAMockWithSeveralNames(t *testing.T) {
	t.Parallel()
	list := exchangesOf(t, contract.Files("testdata/pools-broken.ndjson"))
	for i, e := range list {
		host := []string{"http://127.0.0.1:4010/workflow", "http://mock.ci:4010/workflow", "https://workflow.svc.example"}[i%3]
		e.Request.URL = strings.Replace(e.Request.URL, "http://127.0.0.1:4010/workflow", host, 1)
	}
	for want, opts := range map[bool][]contract.Option{false: nil, true: {contract.WithMockOnAllHosts()}} {
		r := checked(t, contract.Exchanges(slices.Values(list)), opts...)
		isFound := slices.ContainsFunc(r.Findings, func(f contract.Finding) bool { return slices.Equal(f.Evidence, []int{2, 3, 4}) })
		if isFound != want || r.Exchanges.Unmatched > 0 == want {
			t.Errorf("on all hosts: %t, %+v, the violation is found: %t", want, r.Exchanges, isFound)
		}
	}
}
