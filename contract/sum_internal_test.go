package contract

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// manyOfAll returns what is found in a run of exchanges, more than is kept of anything.
func manyOfAll(c *Checker, from, to int) *Part {
	p := c.Part(from - 1)
	g := p.g
	for number := from; number <= to; number++ {
		random := rand.New(rand.NewPCG(uint64(number), 1))
		severity := []report.Severity{report.Error, report.Warning, report.Notice}[random.IntN(3)]
		g.keepFinding(report.Finding{
			ID: fmt.Sprintf("%016x", random.Uint64()%30_000), Rule: "schema", Severity: severity, Verdict: report.Fail,
			Exchange: number, Message: fmt.Sprint("finding ", number),
		}, 0, report.ExchangeLine{Exchange: number})
		g.countReason(fmt.Sprint("reason ", random.IntN(300)), 1)
		g.Sequences.add(&record.Item{
			Exchange: &recording.Exchange{Seq: int64(number), World: fmt.Sprint("w", random.IntN(30_000))},
			Position: record.Position{File: "f", Number: number},
		})
		key := addressKey{"GET", fmt.Sprint("https://", random.IntN(60_000), ".example")}
		g.Unmatched.merge(&unmatchedAddresses{Counted: map[addressKey]*unmatchedAddress{key: {
			Unmatched: report.Unmatched{Method: key.Method, URL: key.URL, Exchange: number, Count: 1},
		}}})
		if random.IntN(20) == 0 {
			g.Problems.add(fmt.Errorf("problem behind %d", number), number)
		}
	}
	return p
}

// What is kept where there is too much of it does not depend on how a recording is cut, nor on the order in which its
// parts are added up.
func TestWhatIsKeptDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	c, err := NewChecker()
	if err != nil {
		t.Fatal(err)
	}
	const all = 60_000
	want := manyOfAll(c, 1, all)
	random := rand.New(rand.NewPCG(1, 1))
	var parts []*Part
	for from := 1; from <= all; {
		to := min(from+random.IntN(9000), all)
		parts = append(parts, manyOfAll(c, from, to))
		from = to + 1
	}
	random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	got := c.Part(0)
	for _, p := range parts {
		got.Merge(p)
	}
	if diff := cmp.Diff(reportOf(want), reportOf(got), cmp.AllowUnexported(Report{})); diff != "" {
		t.Errorf("kept (-of the whole +of its parts):\n%.4000s", diff)
	}
}

func reportOf(p *Part) *Report { return p.g.conclude(p.g.checker.judge) }
