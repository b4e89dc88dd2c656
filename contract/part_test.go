package contract_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
)

// inSteps checks a recording as many machines would: it cuts it into runs, has each judged by a checker of its own,
// encodes what they know, adds it up in any order, and watches each key with its events in any order.
func inSteps(t *testing.T, random *rand.Rand, source contract.Source, opts ...contract.Option) string {
	t.Helper()
	guess := checker(t, opts...).Guess(t.Context(), source)
	var checkers []*contract.Checker // each as if in a process of its own
	for range 3 {
		checkers = append(checkers, checker(t, opts...).WithGuessed(guess))
	}
	anyChecker := func() *contract.Checker { return checkers[random.IntN(len(checkers))] }
	var parts, events [][]byte
	encode := func(what interface{ MarshalBinary() ([]byte, error) }, to *[][]byte) {
		text, err := what.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		*to = append(*to, text)
	}
	var run *contract.Part
	read := 0
	for record, err := range source {
		if run == nil {
			run = anyChecker().Part(read)
		}
		if err == nil {
			read++
		}
		if e, isEvent := run.Judge(record, err); isEvent {
			encode(e, &events)
		}
		if random.IntN(40) == 0 {
			encode(run, &parts)
			run = nil
		}
	}
	if run != nil {
		encode(run, &parts)
	}
	c := anyChecker()
	gaps := sumOf(t, random, c, parts).Gaps()
	for _, list := range byKey(t, random, events) {
		watched, err := anyChecker().Watch(t.Context(), gaps, list)
		if err != nil {
			t.Fatal(err)
		}
		encode(watched, &parts)
	}
	r, err := sumOf(t, random, c, parts).Report()
	var b bytes.Buffer
	if writeErr := r.WriteJSON(&b); writeErr != nil {
		t.Fatal(writeErr)
	}
	return fmt.Sprintf("%serror: %v\n", b.String(), err)
}

// sumOf adds parts up, two of them at a time, with some that know nothing.
func sumOf(t *testing.T, random *rand.Rand, c *contract.Checker, texts [][]byte) *contract.Part {
	t.Helper()
	sums := []*contract.Part{c.Part(0)}
	for _, text := range texts {
		p := c.Part(random.IntN(9))
		if err := p.UnmarshalBinary(text); err != nil {
			t.Fatal(err)
		}
		sums = append(sums, p)
		if random.IntN(3) == 0 {
			sums = append(sums, c.Part(0))
		}
	}
	for len(sums) > 1 {
		random.Shuffle(len(sums), func(i, j int) { sums[i], sums[j] = sums[j], sums[i] })
		sums[0].Merge(sums[1])
		sums = slices.Delete(sums, 1, 2)
	}
	return sums[0]
}

// byKey returns the events of each key in any order, with those of no key.
func byKey(t *testing.T, random *rand.Rand, texts [][]byte) []iter.Seq2[contract.Event, error] {
	t.Helper()
	random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	keys := map[string][]contract.Event{}
	for _, text := range texts {
		var e contract.Event
		if err := e.UnmarshalBinary(text); err != nil {
			t.Fatal(err)
		}
		keys[e.Key()] = append(keys[e.Key()], e)
	}
	all := keys[""]
	delete(keys, "")
	var lists []iter.Seq2[contract.Event, error]
	for list := range maps.Values(keys) {
		lists = append(lists, func(yield func(contract.Event, error) bool) {
			for _, e := range slices.Concat(list, all) {
				if !yield(e, nil) {
					return
				}
			}
		})
	}
	return lists
}

// However a recording is cut, and in whatever order its parts are added up, the report is that of a check, byte for
// byte.
func TestPartsAddUp(t *testing.T) {
	t.Parallel()
	sources := map[string]contract.Source{
		"hostile":       hostile(t),
		"many findings": contract.Exchanges(slices.Values(faulty(2000))),
	}
	files, _ := filepath.Glob("testdata/*.ndjson")
	for _, file := range files {
		sources[file] = contract.Files(file)
	}
	sources["all files"] = contract.Files(files...)
	sources["traffic"] = contract.Files(inFiles(t, generated(t, 1500), rand.New(rand.NewPCG(5, 5)), 3)...)
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := wire(t, source, contract.WithGuess(true))
			for seed := range uint64(3) {
				got := inSteps(t, rand.New(rand.NewPCG(seed, 1)), source, contract.WithGuess(true))
				if got != want {
					t.Errorf("seed %d (-check +parts):\n%.4000s", seed, cmp.Diff(want, got))
				}
			}
		})
	}
}

// What another release has encoded is refused, and what is not whole.
func TestPartsOfOtherReleases(t *testing.T) {
	t.Parallel()
	c := checker(t)
	part := c.Part(0)
	text, err := part.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	other := slices.Clone(text)
	other[0]++
	for name, text := range map[string][]byte{"none": nil, "another version": other, "half": text[:len(text)/2]} {
		if c.Part(0).UnmarshalBinary(text) == nil {
			t.Errorf("a part is decoded: %s", name)
		}
		var e contract.Event
		if e.UnmarshalBinary(text) == nil {
			t.Errorf("an event is decoded: %s", name)
		}
	}
	if new(contract.Part).UnmarshalBinary(text) == nil {
		t.Error("a part without a checker is decoded")
	}
	_, err = c.Watch(t.Context(), nil, func(yield func(contract.Event, error) bool) {
		yield(contract.Event{}, errors.New("a lost shard"))
	})
	if err == nil {
		t.Error("a lost event is not an error")
	}
}
