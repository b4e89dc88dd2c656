package contract_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/engine"
	"svc.example/understudy/specs/recording"
)

// Of exchanges beyond the first ones, one of so many is in the sample.
const (
	sampledWhole = 512
	sampledOf    = 256
)

// spy is a second engine that keeps the numbers of the exchanges that it is asked about.
type spy struct {
	answer func(number string) []engine.Fault // nil to find no fault

	mu                 sync.Mutex
	bodies, parameters []string
}

func (*spy) About() engine.About { return engine.About{Name: "spy"} }

func (s *spy) Load(engine.Operation) (engine.Schemas, error) { return s, nil }

func (s *spy) RequestBody(string, []byte) ([]engine.Fault, error) { return nil, nil }

func (s *spy) ResponseBody(_ int, _ string, text []byte) ([]engine.Fault, error) {
	number := fiveDigits.FindString(string(text))
	s.mu.Lock()
	s.bodies = append(s.bodies, number)
	s.mu.Unlock()
	if s.answer == nil {
		return nil, nil
	}
	return s.answer(number), nil
}

func (s *spy) Parameters(r engine.Request) ([]engine.Fault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parameters = append(s.parameters, fiveDigits.FindString(r.Path))
	return nil, nil
}

var fiveDigits = regexp.MustCompile(`\d{5}`)

// refusal returns an exchange with a number, in its path and in its answer.
func refusal(resource string, number, status int) *recording.Exchange {
	e := getting(fmt.Sprintf("https://workflow.svc.example/api/%s/%05d", resource, number),
		fmt.Sprintf(`{"message":"no %05d","status":%d}`, number, status))
	e.Response.Status = status
	return e
}

// faulted returns a refusal with a fault that the first engine finds.
func faulted(number int) *recording.Exchange {
	e := refusal("attempts", number, 404)
	e.Response.Body.Bytes = fmt.Appendf(nil, `{"message":"no %05d","status":"404"}`, number)
	return e
}

// spied checks a recording with a spy as the second engine.
func spied(t *testing.T, s *spy, list []*recording.Exchange, workers int) *contract.Report {
	t.Helper()
	c, err := contract.NewChecker(contract.WithEngine(s), contract.WithWorkers(workers))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Check(t.Context(), contract.Exchanges(slices.Values(list)))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(s.bodies)
	slices.Sort(s.parameters)
	return r
}

// The second engine judges the first exchanges of a recording, some of the others, and all faults. What repeats itself
// with any period is judged at each place of its cycle.
func TestTheSecondEngineJudgesASample(t *testing.T) {
	t.Parallel()
	const n = 40_000
	list := make([]*recording.Exchange, n)
	for i := range list {
		list[i] = refusal("attempts", i+1, 404)
		if i%1000 == 999 {
			list[i] = faulted(i + 1)
		}
	}
	s := &spy{}
	r := spied(t, s, list, 2)
	asked := map[string]bool{}
	for _, number := range s.bodies {
		asked[number] = true
	}
	others := 0
	for number := 1; number <= n; number++ {
		isAsked := asked[fmt.Sprintf("%05d", number)]
		if !isAsked && (number <= sampledWhole || number%1000 == 0) {
			t.Errorf("exchange %d is not judged by the second engine", number)
		}
		if isAsked && number > sampledWhole && number%1000 > 0 {
			others++
		}
	}
	if want := (n - sampledWhole) / sampledOf; others < want*9/10 || others > want*12/10 {
		t.Errorf("of %d others it judged %d, want about %d", n-sampledWhole, others, want)
	}
	for period := 2; period <= 24; period++ {
		places := map[int]bool{}
		for _, number := range s.parameters {
			if n, err := strconv.Atoi(number); err == nil && n > sampledWhole {
				places[n%period] = true
			}
		}
		if len(places) != period {
			t.Errorf("of traffic that repeats itself after %d exchanges it judges %d", period, len(places))
		}
	}
	got := [2]int{r.Engines[0].Messages, r.Engines[1].Messages}
	if want := [2]int{2 * n, len(s.bodies) + len(s.parameters)}; got != want {
		t.Errorf("the engines judged %d messages, want %d", got, want)
	}
}

// The same messages are remembered, but whether the second engine is asked about them is not.
func TestWhatIsRememberedDoesNotChangeTheSample(t *testing.T) {
	t.Parallel()
	list := make([]*recording.Exchange, 5000)
	for i := range list {
		list[i] = refusal("attempts", 1, 404)
	}
	s := &spy{}
	r := spied(t, s, list, 2)
	if got := r.Engines[1].Messages; got < 2*sampledWhole || got > 2*sampledWhole+200 {
		t.Errorf("the second engine judged %d messages, want a little more than %d", got, 2*sampledWhole)
	}
	if len(s.bodies) > 2 || len(s.parameters) > 2 { // by two workers at a time
		t.Errorf("it was asked about %d bodies and %d parameters", len(s.bodies), len(s.parameters))
	}
}

// What is sampled does not depend on how many workers there are, nor on how fast they are: the engine takes its time
// with some messages, and has its own opinion of others.
func TestTheSampleDoesNotDependOnWorkers(t *testing.T) {
	t.Parallel()
	resources := []string{"attempts", "sessions", "projects", "schedules", "workflows", "pools"}
	list := make([]*recording.Exchange, 10_000)
	for i := range list {
		kind := bits.TrailingZeros(uint(i + 1)) // each is half as frequent as the one before
		list[i] = refusal(resources[kind%len(resources)], i, []int{404, 403, 429}[kind/len(resources)])
	}
	answer := func(number string) []engine.Fault {
		switch number[4] {
		case '1', '4':
			time.Sleep(time.Duration(number[3]-'0') * 50 * time.Microsecond)
		case '0', '5', '7':
			return []engine.Fault{{Message: "another opinion"}}
		}
		return nil
	}
	want, asked := "", []string(nil)
	for _, workers := range []int{1, 2, 7} {
		s := &spy{answer: answer}
		var b bytes.Buffer
		if err := spied(t, s, list, workers).WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want, asked = b.String(), s.bodies
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%d workers (-one +these):\n%.4000s", workers, diff)
		}
		if diff := cmp.Diff(asked, s.bodies); diff != "" {
			t.Errorf("%d workers: asked about (-one +these):\n%.4000s", workers, diff)
		}
	}
}
