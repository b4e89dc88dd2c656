package mockserver_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/mockserver"
)

const beaconDocument = "testdata/beacons.yaml"

func newBeacons(t *testing.T, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	return newServer(t, append(opts, mockserver.WithScenario("empty"), mockserver.WithSpec("signals", beaconDocument))...)
}

func beaconChecker(t *testing.T) *contract.Checker {
	t.Helper()
	return newChecker(t, append(exampleBases(), contract.WithSpec("signals", beaconDocument),
		contract.WithBaseURL("signals", "http://example.com/signals"))...)
}

// sendBeacons makes two beacons, changes one and deletes it.
func sendBeacons(t *testing.T, s *mockserver.Server) {
	t.Helper()
	call(t, s, "POST", "/signals/api/beacons", `{"name":"North"}`).want(t, 201)
	call(t, s, "POST", "/signals/api/beacons", `{"name":"South"}`).want(t, 201)
	call(t, s, "PATCH", "/signals/api/beacons/1", `{"name":"Northeast"}`).want(t, 200)
	call(t, s, "DELETE", "/signals/api/beacons/1", "").want(t, 200)
}

func namesOfBeacons(t *testing.T, s *mockserver.Server, worldID string) (names []string) {
	t.Helper()
	list := call(t, s, "GET", "/signals/api/beacons", "", inA, worldID).want(t, 200).body
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
		call(t, s, "POST", "/signals/api/beacons", `{}`).want(t, 400)
		call(t, s, "GET", "/signals/api/beacons/1", "").want(t, 404)
		if diff := cmp.Diff([]string{"South"}, namesOfBeacons(t, s, "default")); diff != "" {
			t.Errorf("beacons (-want +got):\n%s", diff)
		}
		wantConform(t, beaconChecker(t), s.World(""))
	})
	t.Run("is dumped, loaded, forked and reset", func(t *testing.T) {
		t.Parallel()
		s := newBeacons(t)
		sendBeacons(t, s)
		state := call(t, s, "GET", "/_understudy/worlds/default/state", "").want(t, 200).body
		call(t, s, "POST", "/_understudy/worlds", `{"id":"fork","fork":"default"}`).want(t, 201)
		call(t, s, "POST", "/_understudy/worlds", `{"id":"loaded"}`).want(t, 201)
		call(t, s, "PUT", "/_understudy/worlds/loaded/state", state).want(t, 200)
		call(t, s, "POST", "/_understudy/worlds/default/reset", "").want(t, 200)
		for id, want := range map[string][]string{"fork": {"South"}, "loaded": {"South"}, "default": nil} {
			if diff := cmp.Diff(want, namesOfBeacons(t, s, id)); diff != "" {
				t.Errorf("beacons of %s (-want +got):\n%s", id, diff)
			}
		}
		next := call(t, s, "POST", "/signals/api/beacons", `{"name":"West"}`, inA, "loaded").want(t, 201).body
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
			call(t, s, "GET", "/signals/api/beacons"+target, "").want(t, 200)
			text := strings.TrimSpace(recording.String())
			last := strings.LastIndexByte(text, '\n') // which shows the other beacon, and now the one that was deleted
			text = text[:last] + strings.NewReplacer(`\"id\":\"2\"`, `\"id\":\"1\"`, "beacons/2", "beacons/1").Replace(text[last:])
			var showing []string
			for _, f := range check(t, beaconChecker(t), contract.Read("r.ndjson", strings.NewReader(text))).Findings {
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
