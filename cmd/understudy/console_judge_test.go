package main_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	understudy "svc.example/understudy/cmd/understudy"
	"svc.example/understudy/contract"
	"svc.example/understudy/specs/recording"
)

// What the console shows of a world is what a check of its recording says, byte for byte, also of one that is damaged.
func TestConsoleJudgesAsACheckDoes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	recordings := playStories(t)
	if len(recordings) < 10 {
		t.Fatalf("%d stories are played", len(recordings))
	}
	for _, list := range slices.Clone(recordings) {
		recordings = append(recordings, damaged(list, random), damaged(list, random))
	}
	watch := understudy.NewConsoleJudge()
	checker, err := contract.NewChecker(contract.WithMockOnAllHosts())
	if err != nil {
		t.Fatal(err)
	}
	for i, list := range recordings {
		var live bytes.Buffer
		synctest.Test(t, func(t *testing.T) {
			w, settled, err := watch("default")
			if err != nil {
				t.Fatal(err)
			}
			for batch := range slices.Chunk(list, 1+random.IntN(7)) {
				if err := w.Add(batch); err != nil {
					t.Fatal(err)
				}
				if random.IntN(3) == 0 {
					synctest.Wait()
				}
			}
			synctest.Wait()
			r, err := settled()
			if err = errors.Join(err, r.WriteJSON(&live)); err != nil {
				t.Error(err)
			}
			w.Close()
		})
		var checked bytes.Buffer
		lines := &bytes.Buffer{}
		for _, e := range list {
			if err := recording.Write(lines, e); err != nil {
				t.Fatal(err)
			}
		}
		r, err := checker.Check(t.Context(), contract.Read("world default", lines))
		if err = errors.Join(err, r.WriteJSON(&checked)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(withoutOffsets(checked.String()), withoutOffsets(live.String())); diff != "" {
			t.Errorf("recording %d of %d exchanges (-check +live):\n%.3000s", i, len(list), diff)
		}
	}
}

// withoutOffsets returns a report without the lines with places in bytes, which only a file has.
func withoutOffsets(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.Contains(line, `"offset":`)
	}), "\n")
}

// damaged returns a recording of which exchanges are missing, have another answer, or come in another order.
func damaged(list []*recording.Exchange, random *rand.Rand) (copies []*recording.Exchange) {
	for _, e := range list {
		c := *e
		switch other := list[random.IntN(len(list))]; random.IntN(8) {
		case 0:
			continue
		case 1:
			c.Response = other.Response
		case 2:
			c.Response = &recording.Response{Status: []int{200, 404, 500}[random.IntN(3)]}
		case 3:
			c.Request.Headers = other.Request.Headers
		}
		copies = append(copies, &c)
	}
	random.Shuffle(len(copies)/5, func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
	return copies
}
