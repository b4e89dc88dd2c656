package compare_test

import (
	"fmt"
	"iter"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// pool describes a pool as the mock of a test shows it.
func pool(id, name string) string {
	return fmt.Sprintf(`{"id":%q,"name":%q,"default":false,"concurrencyLimit":4}`, id, name)
}

// poolSession is a recording in which a pool is made, and then read by its id.
func poolSession(t *testing.T, d *specs.Document) (list []*judge.Result) {
	t.Helper()
	for i, call := range [][2]string{{http.MethodPost, "/api/pools"}, {http.MethodGet, "/api/pools/7"}} {
		match := d.Find(call[0], call[1])
		if match.Operation == nil {
			t.Fatalf("%s %s is no operation", call[0], call[1])
		}
		answer := &recording.Response{
			Status: http.StatusOK, Headers: recording.Headers{{"Content-Type", "application/json"}},
			Body: &recording.Body{Bytes: []byte(pool("7", "etl"))},
		}
		e := &recording.Exchange{
			Request:  recording.Request{Method: call[0], URL: "http://127.0.0.1/workflow" + d.BasePath + call[1]},
			Response: answer,
		}
		list = append(list, &judge.Result{
			Item:  record.Item{Exchange: e, Position: record.Position{Number: i + 1}},
			Owner: ownership.Owner{Document: d, Match: match, Path: call[1]},
		})
	}
	return list
}

func all(session []*judge.Result) iter.Seq2[*judge.Result, error] {
	return func(yield func(*judge.Result, error) bool) {
		for _, r := range session {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// server makes a pool with an id and a name, and then shows one with another id, or the same.
type server struct{ made, shown, name string }

// subject returns a server that notes what it was asked.
func (s server) subject(asked *[]string) compare.Subject {
	return compare.Subject{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPost {
			_, _ = fmt.Fprint(w, pool(s.made, s.name))
			return
		}
		_, _ = fmt.Fprint(w, pool(s.shown, s.name))
	})}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	d, err := specs.Load(specs.Workflow, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	// replay returns the differences of each exchange, what the server was asked, and how often the mask was needed.
	replay := func(session []*judge.Result, memory *compare.Memory, with server) (found []string, masked int) {
		t.Helper()
		c := &compare.Config{
			Documents: []*specs.Document{d}, Memory: memory, Redactor: &recording.Redactor{Brand: specs.Neutral},
			Masks: []compare.Mask{{Operation: "workflow.createPool", Pointer: "/name"}},
		}
		var asked []string
		used, err := compare.Run(t.Context(), c, with.subject(&asked), &compare.Keys{}, all(session), func(e *compare.Exchange) {
			found = append(found, asked[len(asked)-1])
			for _, difference := range e.Differences {
				found = append(found, difference.Pointer+": "+difference.Message)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return found, used[0].Count
	}
	t.Run("what is remembered is found as without it", func(t *testing.T) {
		t.Parallel()
		session := poolSession(t, d)
		memory := compare.NewMemory(100)
		for _, s := range []server{
			{"9", "9", "etl"},
			{"9", "9", "etl"},
			{"11", "11", "etl"},
			{"11", "9", "etl"}, // with ids of which each was right in an answer before
			{"9", "9", "other"},
			{"9", "9", "etl"},
		} {
			got, _ := replay(session, memory, s)
			want, _ := replay(session, nil, s)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", s, diff)
			}
		}
	})
	t.Run("masks are counted the first time, as what is remembered is not compared again", func(t *testing.T) {
		t.Parallel()
		session := poolSession(t, d)
		memory := compare.NewMemory(100)
		_, first := replay(session, memory, server{"9", "9", "other"})
		_, again := replay(session, memory, server{"9", "9", "other"})
		_, later := replay(session, memory, server{"9", "9", "another"})
		if first != 1 || again != 0 || later != 1 {
			t.Errorf("the mask was needed %d, %d and %d times, want 1, 0 and 1", first, again, later)
		}
	})
	t.Run("no more is kept than allowed", func(t *testing.T) {
		t.Parallel()
		session := poolSession(t, d)
		memory := compare.NewMemory(1)
		for range 2 {
			if _, masked := replay(session, memory, server{"9", "9", "other"}); masked > 1 {
				t.Errorf("the mask was needed %d times, want once at most", masked)
			}
		}
		none := compare.NewMemory(0)
		for range 2 {
			if _, masked := replay(session, none, server{"9", "9", "other"}); masked != 1 {
				t.Errorf("the mask was needed %d times where nothing is kept, want once", masked)
			}
		}
	})
}

// Of an exchange that was passed on, and of what it differs since, no messages are kept.
func TestExchangesAreReleased(t *testing.T) {
	t.Parallel()
	d, err := specs.Load(specs.Workflow, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	c := &compare.Config{
		Documents: []*specs.Document{d}, Redactor: &recording.Redactor{Brand: specs.Neutral},
		Masks: []compare.Mask{{Operation: "workflow.createPool", Pointer: "/name"}},
	}
	var asked []string
	var done []*compare.Exchange
	messages := 0
	_, err = compare.Run(t.Context(), c, server{"7", "7", "other"}.subject(&asked), &compare.Keys{}, all(poolSession(t, d)),
		func(e *compare.Exchange) {
			if e.Answer.Body != nil && e.Item.Response.Body != nil {
				messages++
			}
			done = append(done, e)
		})
	if err != nil {
		t.Fatal(err)
	}
	if messages != 2 {
		t.Errorf("%d of 2 exchanges had their messages when they were passed on", messages)
	}
	for _, e := range done {
		if e.Answer.Body != nil || e.Item.Response.Body != nil || e.Answer.Status != http.StatusOK {
			t.Errorf("of exchange %d is kept: %+v and %+v", e.Item.Number, e.Item.Response, e.Answer)
		}
	}
	if done[1].Agrees() || done[1].Differences[0].Since != done[0] {
		t.Errorf("the second one differs in %+v, want one since the first one", done[1].Differences)
	}
}

// A request whose answer is known is not sent, and what it answers is compared.
func TestKnown(t *testing.T) {
	t.Parallel()
	d, err := specs.Load(specs.Workflow, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	session := poolSession(t, d)
	var asked []string
	var done [][]compare.Difference
	_, err = compare.Run(t.Context(), &compare.Config{
		Documents: []*specs.Document{d}, Redactor: &recording.Redactor{Brand: specs.Neutral},
		Known: func(r *judge.Result) *compare.Answer {
			if r.Item.Request.Method != http.MethodGet {
				return nil
			}
			header := http.Header{"Content-Type": {"application/json"}}
			return &compare.Answer{Status: http.StatusOK, Header: header, Body: []byte(pool("7", "other"))}
		},
	}, server{"7", "7", "etl"}.subject(&asked), &compare.Keys{}, all(session), func(e *compare.Exchange) {
		done = append(done, e.Differences)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) != 1 {
		t.Errorf("asked %v, want one request", asked)
	}
	if len(done) != 2 || len(done[0]) > 0 || len(done[1]) != 1 || done[1][0].Pointer != "/response/body/name" {
		t.Errorf("differences %v, want one, of the known answer", done)
	}
}

// What overlaps and only reads is asked once, of a fork.
func TestOverlappingReads(t *testing.T) {
	t.Parallel()
	d, err := specs.Load(specs.Workflow, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	session := []*judge.Result{poolSession(t, d)[1], poolSession(t, d)[1]}
	for _, r := range session {
		r.Item.End = r.Item.Start.Add(time.Second)
	}
	var asked, ofForks []string
	subject := server{"7", "7", "etl"}.subject(&asked)
	subject.Fork = func() (compare.Subject, error) { return server{"7", "7", "etl"}.subject(&ofForks), nil }
	config := &compare.Config{Documents: []*specs.Document{d}, Redactor: &recording.Redactor{Brand: specs.Neutral}}
	agreeing := 0
	_, err = compare.Run(t.Context(), config, subject, &compare.Keys{}, all(session), func(e *compare.Exchange) {
		if e.Agrees() {
			agreeing++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if agreeing != 2 || len(asked)+len(ofForks) != 2 {
		t.Errorf("asked %v, and forks %v: want each request once", asked, ofForks)
	}
}
