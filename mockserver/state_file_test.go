package mockserver_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// keptServer makes a server that keeps its worlds in a file, and looks for changes at the end only.
func keptServer(t *testing.T, file string, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	s := mocktest.NewServer(t, append([]mockserver.Option{
		mockserver.WithStateFile(file), mockserver.WithSavePause(time.Hour),
	}, opts...)...)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// stop closes the server.
func stop(t *testing.T, s *mockserver.Server) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// worldsOf returns the list of worlds, and their dumps.
func worldsOf(t *testing.T, s *mockserver.Server) (list string, dumps map[string]string) {
	t.Helper()
	answer := mocktest.Call(t, s, "GET", "/_understudy/worlds", "").Want(200)
	type view struct {
		ID, Scenario, Fork string
		Seed               uint64
		Clock              struct{ Mode, Now string }
		Keys               map[string]string
	}
	dumps = map[string]string{}
	for _, w := range mocktest.Decode[struct{ Worlds []view }](answer).Worlds {
		list += fmt.Sprintf("%+v\n", w)
		state, err := s.World(w.ID).State()
		if err != nil {
			t.Fatal(err)
		}
		dumps[w.ID] = string(state)
	}
	return list, dumps
}

func addPool(t *testing.T, handler http.Handler, name string, headers ...string) {
	t.Helper()
	mocktest.Call(t, handler, "POST", "/workflow/api/pools", `{"name":"`+name+`","concurrencyLimit":2}`, headers...).Want(201)
}

func hasPool(t *testing.T, handler http.Handler, name string, headers ...string) bool {
	t.Helper()
	return strings.Contains(mocktest.Call(t, handler, "GET", "/workflow/api/pools", "", headers...).Want(200).Body, name)
}

func TestStateFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	first := keptServer(t, file, mockserver.WithScenario("pool-in-use"))
	mocktest.Call(t, first, "POST", "/_understudy/worlds", `{"id":"mine","scenario":"quickstart","seed":7,"mintKeys":true}`).
		Want(201)
	mocktest.Call(t, first, "POST", "/_understudy/worlds", `{"fork":"mine","clock":"auto"}`).Want(201)
	mine := first.World("mine")
	key := "SVC1 " + mine.Key()
	addPool(t, mine, "before")
	mine.Checkpoint("here")
	addPool(t, first, "after", "Authorization", key)
	mine.Advance(90 * time.Minute)
	addPool(t, first, "elsewhere")
	mocktest.Call(t, first, "POST", "/_understudy/faults", `{"operation":"workflow.listPools","nth":9,"status":503}`).Want(201)
	list, dumps := worldsOf(t, first)
	stop(t, first)

	again := keptServer(t, file, mockserver.WithScenario("empty"))
	listAgain, dumpsAgain := worldsOf(t, again)
	if diff := cmp.Diff(list, listAgain); diff != "" {
		t.Errorf("worlds (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(dumps, dumpsAgain); diff != "" {
		t.Errorf("states (-before +after):\n%s", diff)
	}
	if !hasPool(t, again, "after", "Authorization", key) {
		t.Error("the minted key does not lead to its world")
	}
	if faults := mocktest.Call(t, again, "GET", "/_understudy/faults", "").Want(200).Body; !strings.Contains(faults, `"fault-1"`) {
		t.Errorf("faults %s", faults)
	}
	mine = again.World("mine")
	if err := mine.Restore("here"); err != nil || hasPool(t, mine, "after") || !hasPool(t, mine, "before") {
		t.Errorf("the checkpoint is not what it was: %v", err)
	}
	if mine.Reset(); hasPool(t, mine, "before") {
		t.Error("a reset does not return to the beginning")
	}
	made := mocktest.Call(t, again, "POST", "/_understudy/worlds", `{}`).Want(201).Body
	if !strings.Contains(made, `"w2"`) || !strings.Contains(made, `"empty"`) {
		t.Errorf("a new world is %s, want w2, of the scenario of the server", made)
	}
}

func TestStateFileOfRealClocks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	first := keptServer(t, file, mockserver.WithClock("real"))
	mocktest.Call(t, first, "POST", "/_understudy/worlds", `{"id":"ahead"}`).Want(201)
	if err := first.World("ahead").SetClock("real", first.World("").Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	stop(t, first)
	again := keptServer(t, file, mockserver.WithClock("frozen"))
	if list, _ := worldsOf(t, again); strings.Count(list, "Mode:real") != 2 {
		t.Errorf("worlds %s, want real clocks", list)
	}
	ahead := again.World("ahead").Now().Sub(again.World("").Now())
	if ahead.Round(time.Minute) != time.Hour {
		t.Errorf("the clock is %v ahead, want 1 h", ahead)
	}
}

// Worlds that are the same stand in the file once.
func TestStateFileOfForks(t *testing.T) {
	t.Parallel()
	sizes := map[int]int64{}
	for _, forks := range []int{0, 200} {
		file := filepath.Join(t.TempDir(), "state.json")
		s := keptServer(t, file, mockserver.WithClock("real"))
		for range forks {
			mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"fork":"default"}`).Want(201)
		}
		stop(t, s)
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		sizes[forks] = info.Size()
	}
	if sizes[200] > 2*sizes[0] {
		t.Errorf("200 forks take %d bytes, and one world %d", sizes[200], sizes[0])
	}
}

// A server saves what has changed while it runs, and writes nothing as long as nothing does.
func TestStateFileIsSavedMeanwhile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	s := keptServer(t, file, mockserver.WithSavePause(time.Millisecond))
	addPool(t, s, "saved-meanwhile")
	for text := []byte(nil); !bytes.Contains(text, []byte("saved-meanwhile")); {
		var err error
		if text, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
		if t.Context().Err() != nil {
			t.Fatal("the change is not saved")
		}
	}
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if !hasPool(t, s, "saved-meanwhile") {
		t.Error("the pool is gone")
	}
	stop(t, s)
	if after, err := os.Stat(file); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was written again although nothing had changed: %v", err)
	}
}

// What cannot be loaded stays as it is, and the error says why.
func TestStateFileThatIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	s := keptServer(t, file)
	for range 3 {
		mocktest.Call(t, s, "POST", "/_understudy/worlds", `{}`).Want(201)
	}
	if _, err := mockserver.New(mockserver.WithStateFile(file)); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second server: %v", err)
	}
	stop(t, s)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text []byte
		opt  mockserver.Option
		want string
	}{
		"damaged":         {good[:len(good)/2], nil, "it is damaged"},
		"newer":           {bytes.Replace(good, []byte(":1,"), []byte(":9,"), 1), nil, "a newer Understudy"},
		"another brand":   {good, mockserver.WithBrand("ACME"), "it was saved with the brand SVC, and this server has ACME"},
		"too many worlds": {good, mockserver.WithMaxWorlds(2), "world w2: the limit of 2 worlds is reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "state.json")
			if err := os.WriteFile(file, test.text, 0o600); err != nil {
				t.Fatal(err)
			}
			opts := []mockserver.Option{mockserver.WithStateFile(file)}
			if test.opt != nil {
				opts = append(opts, test.opt)
			}
			if _, err := mockserver.New(opts...); err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), file) {
				t.Errorf("error %v, want %q and the file", err, test.want)
			}
			if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, test.text) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

// A server that cannot save says so once, goes on, and fails when it is closed.
func TestStateFileThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	var log bytes.Buffer
	s := keptServer(t, file, mockserver.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if err := os.MkdirAll(file+".tmp/in-the-way", 0o700); err != nil {
		t.Fatal(err)
	}
	addPool(t, s, "unsaved")
	err := s.Close()
	if err == nil || !strings.Contains(err.Error(), "save the state") {
		t.Errorf("Close: %v", err)
	}
	if n := strings.Count(log.String(), "the worlds are not saved"); n != 1 {
		t.Errorf("logged %d times: %s", n, log.String())
	}
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "unsaved") {
		t.Errorf("the file is not as it was: %v", err)
	}
}

// health returns what the server says of itself, and of its file.
func health(t *testing.T, s *mockserver.Server) (status string, state struct {
	Saved time.Time
	Takes string
	Error string
},
) {
	t.Helper()
	said := mocktest.Decode[struct {
		Status string
		State  struct {
			Saved time.Time
			Takes string
			Error string
		}
	}](mocktest.Call(t, s, "GET", "/_understudy/health", "").Want(200))
	return said.Status, said.State
}

func TestHealthSaysWhetherWorldsAreSaved(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "states")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	s := keptServer(t, filepath.Join(folder, "state.json"), mockserver.WithLogger(logger))
	status, begun := health(t, s)
	if status != "ok" || begun.Saved.IsZero() || begun.Error != "" {
		t.Fatalf("at first: %s, %+v", status, begun)
	}
	addPool(t, s, "unsaved")
	if err := os.Rename(folder, folder+"-away"); err != nil { // as a disk that is full, or gone
		t.Fatal(err)
	}
	for range 2 {
		if err := mockserver.Save(s); err == nil {
			t.Fatal("it saved into a folder that is not there")
		}
	}
	status, failed := health(t, s)
	if status != "degraded" || !strings.Contains(failed.Error, "state.json") || !failed.Saved.Equal(begun.Saved) {
		t.Errorf("when saving fails: %s, %+v", status, failed)
	}
	if err := os.Rename(folder+"-away", folder); err != nil {
		t.Fatal(err)
	}
	if err := mockserver.Save(s); err != nil {
		t.Fatal(err)
	}
	status, saved := health(t, s)
	if status != "ok" || saved.Error != "" || !saved.Saved.After(begun.Saved) {
		t.Errorf("when it is saved again: %s, %+v", status, saved)
	}
	if err := mockserver.Save(s); err != nil {
		t.Fatal(err)
	}
	if _, later := health(t, s); !later.Saved.After(saved.Saved) {
		t.Errorf("without a change, everything until now is in the file, not until %v", later.Saved)
	}
	if n := strings.Count(log.String(), "the worlds are not saved"); n != 1 || !strings.Contains(log.String(), "saved again") {
		t.Errorf("the log says %d times that they are not saved:\n%s", n, log.String())
	}
}
