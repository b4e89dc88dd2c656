package mockserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs/recording"
)

// What was deleted before a world was put back is there again: a recording shows when that was, also where it does not
// show the request for it.
func TestWorldsThatArePutBackAreJudgedAnew(t *testing.T) {
	t.Parallel()
	for name, putBack := range map[string]func(w *mockserver.World, before []byte) error{
		"reset":    func(w *mockserver.World, _ []byte) error { w.Reset(); return nil },
		"restored": func(w *mockserver.World, _ []byte) error { return w.Restore("before") },
		"replaced": func(w *mockserver.World, before []byte) error { return w.Load(before) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var recorded safeBuffer
			s := mocktest.NewServer(t, mockserver.WithScenario("full-account"), mockserver.WithRecording(&recorded))
			made := mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"mine","concurrencyLimit":1}`).Want(201)
			pool := "/workflow/api/pools/" + mocktest.Decode[struct{ ID string }](made).ID
			w := s.World("").Fork()
			w.Checkpoint("before")
			before, err := w.State()
			if err != nil {
				t.Fatal(err)
			}
			mocktest.Call(t, s, "GET", pool, "", "X-Understudy-World", w.ID())
			mocktest.Call(t, s, "DELETE", pool, "", "X-Understudy-World", w.ID()).Want(200)
			if err := putBack(w, before); err != nil {
				t.Fatal(err)
			}
			mocktest.Call(t, s, "GET", pool, "", "X-Understudy-World", w.ID()).Want(200)
			mocktest.Call(t, s, "DELETE", pool, "", "X-Understudy-World", w.ID()).Want(200)
			mocktest.Call(t, s, "GET", pool, "", "X-Understudy-World", w.ID()).Want(404)
			list := readLines(t, recorded.String())[1:]
			var epochs []int64
			for _, e := range list {
				epochs = append(epochs, e.Epoch)
			}
			if want := []int64{0, 0, 1, 1, 1}; !slices.Equal(epochs, want) {
				t.Errorf("epochs %v, want %v", epochs, want)
			}
			if failed := usedAfterDelete(t, list); failed.Fail != 0 || failed.Pass != 1 {
				t.Errorf("use-after-delete: %+v, want one pass and no failure", failed)
			}
			for _, e := range list {
				e.Epoch = 0
			}
			if failed := usedAfterDelete(t, list); failed.Fail == 0 {
				t.Error("the same calls without the epochs do not violate use-after-delete")
			}
		})
	}
}

func readLines(t *testing.T, text string) (list []*recording.Exchange) {
	t.Helper()
	for line := range strings.Lines(text) {
		e := &recording.Exchange{}
		if err := json.Unmarshal([]byte(line), e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// usedAfterDelete returns what the rule says of a recording.
func usedAfterDelete(t *testing.T, list []*recording.Exchange) report.Rule {
	t.Helper()
	r, err := checktest.Example(t).Check(t.Context(), contract.Exchanges(slices.Values(list)))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Rules, func(r report.Rule) bool { return r.ID == "use-after-delete" })
	return r.Rules[i]
}
