package mockserver_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/checktest"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

const beaconDocument = "testdata/beacons.yaml"

func newBeacons(t *testing.T, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	return mocktest.NewServer(t, append(opts, mockserver.WithScenario("empty"),
		mockserver.WithSpec("signals", beaconDocument))...)
}

func beaconChecker(t *testing.T) *contract.Checker {
	t.Helper()
	return checktest.New(t, append(checktest.ExampleBases(), contract.WithSpec("signals", beaconDocument),
		contract.WithBaseURL("signals", "http://example.com/signals"))...)
}

// sendBeacons makes two beacons, changes one and deletes it.
func sendBeacons(t *testing.T, s *mockserver.Server) {
	t.Helper()
	mocktest.Call(t, s, "POST", "/signals/api/beacons", `{"name":"North"}`).Want(201)
	mocktest.Call(t, s, "POST", "/signals/api/beacons", `{"name":"South"}`).Want(201)
	mocktest.Call(t, s, "PATCH", "/signals/api/beacons/1", `{"name":"Northeast"}`).Want(200)
	mocktest.Call(t, s, "DELETE", "/signals/api/beacons/1", "").Want(200)
}

func namesOfBeacons(t *testing.T, s *mockserver.Server, worldID string) (names []string) {
	t.Helper()
	list := mocktest.Call(t, s, "GET", "/signals/api/beacons", "", inA, worldID).Want(200).Body
	for name := range jsontree.Find(list, "beacons.#.name").List {
		names = append(names, name.Text())
	}
	return names
}

// A resource is a description in a document. All else that is done with resources is done with this one as well, which
// no code knows by name.
func TestMadeUpResource(t *testing.T) {
	t.Parallel()
	t.Run("is served and validated", func(t *testing.T) {
		t.Parallel()
		s := newBeacons(t)
		sendBeacons(t, s)
		mocktest.Call(t, s, "POST", "/signals/api/beacons", `{}`).Want(400)
		mocktest.Call(t, s, "GET", "/signals/api/beacons/1", "").Want(404)
		if diff := cmp.Diff([]string{"South"}, namesOfBeacons(t, s, "default")); diff != "" {
			t.Errorf("beacons (-want +got):\n%s", diff)
		}
		checktest.WantConform(t, beaconChecker(t), s.World(""))
	})
	t.Run("is dumped, loaded, forked and reset", func(t *testing.T) {
		t.Parallel()
		s := newBeacons(t)
		sendBeacons(t, s)
		state := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/state", "").Want(200).Body
		mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"fork","fork":"default"}`).Want(201)
		mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"loaded"}`).Want(201)
		mocktest.Call(t, s, "PUT", "/_understudy/worlds/loaded/state", state).Want(200)
		mocktest.Call(t, s, "POST", "/_understudy/worlds/default/reset", "").Want(200)
		for id, want := range map[string][]string{"fork": {"South"}, "loaded": {"South"}, "default": nil} {
			if diff := cmp.Diff(want, namesOfBeacons(t, s, id)); diff != "" {
				t.Errorf("beacons of %s (-want +got):\n%s", id, diff)
			}
		}
		next := mocktest.Call(t, s, "POST", "/signals/api/beacons", `{"name":"West"}`, inA, "loaded").Want(201).Body
		if id := jsontree.Find(next, "id").Text(); id != "3" {
			t.Errorf("the next beacon has id %s, want 3", id)
		}
	})
	for operation, target := range map[string]string{"getBeacon": "/2", "listBeacons": ""} {
		t.Run("is watched when it is deleted, and shown by "+operation, func(t *testing.T) {
			t.Parallel()
			var recording bytes.Buffer
			s := newBeacons(t, mockserver.WithRecording(&recording))
			sendBeacons(t, s)
			mocktest.Call(t, s, "GET", "/signals/api/beacons"+target, "").Want(200)
			text := strings.TrimSpace(recording.String())
			last := strings.LastIndexByte(text, '\n') // which shows the other beacon, and now the one that was deleted
			text = text[:last] + strings.NewReplacer(`\"id\":\"2\"`, `\"id\":\"1\"`, "beacons/2", "beacons/1").Replace(text[last:])
			var showing []string
			for _, f := range checktest.Check(t, beaconChecker(t), contract.Read("r.ndjson", strings.NewReader(text))).Findings {
				if f.Rule == "use-after-delete" && f.Verdict == report.Fail {
					showing = append(showing, f.Operation)
				}
			}
			if diff := cmp.Diff([]string{"signals." + operation}, showing); diff != "" {
				t.Errorf("operations that show what was deleted (-want +got):\n%s", diff)
			}
		})
	}
}
