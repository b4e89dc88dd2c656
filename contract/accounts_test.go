package contract_test

import (
	"fmt"
	"iter"
	"testing"
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// interleaved yields the exchanges of a recording in many worlds at once: the first one of each, the second one of
// each, and so on.
func interleaved(list []*recording.Exchange, worlds int) iter.Seq[*recording.Exchange] {
	return func(yield func(*recording.Exchange) bool) {
		for i, e := range list {
			for world := range worlds {
				c := *e
				c.World = fmt.Sprintf("w%d", world)
				c.Start = c.Start.Add(time.Duration(i) * time.Hour)
				c.End = c.End.Add(time.Duration(i) * time.Hour)
				if !yield(&c) {
					return
				}
			}
		}
	}
}

// However many accounts are in use at a time, none of them is forgotten before its last exchange.
func TestManyAccountsAtATime(t *testing.T) {
	t.Parallel()
	const worlds = 1500
	var list []*recording.Exchange
	for item, err := range contract.Files("testdata/pools-broken.ndjson").Items() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, item.Exchange)
	}
	checker, err := contract.NewChecker()
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Check(t.Context(), contract.Exchanges(interleaved(list, worlds)))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range r.Rules {
		if rule.ID == "pool-deletion" && rule.Fail != worlds {
			t.Errorf("%d violations, want %d", rule.Fail, worlds)
		}
	}
}
