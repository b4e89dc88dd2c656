package mockserver_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/op"
	generic "svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

const beaconDocument = "testdata/beacons.yaml"

// beacons lie in a table of the world that no other rule looks at here.
var beacons = generic.New(generic.Of[world.Resource[world.TextResource]]{
	Noun: "beacon", Plural: "beacons", IDs: "beacon", Key: "beaconId",
	Rows: func(w *world.State) *table.Table[world.Resource[world.TextResource]] { return &w.LLM.TextResources },
	Bind: func(c *op.Call, id int64, row *world.Resource[world.TextResource]) error {
		row.ID, row.UUID, row.CreatedAt, row.UpdatedAt = id, c.World.UUID("beacon", id), c.Now, c.Now
		c.World.LLM.UUIDs.Put(row.UUID, id)
		return c.Decode(&row.Attributes)
	},
	View: func(_ *op.Call, row world.Resource[world.TextResource]) any {
		return map[string]any{"id": strconv.FormatInt(row.ID, 10), "name": row.Attributes.Name}
	},
})

func beaconRules() map[string]op.Handler {
	return map[string]op.Handler{
		"listBeacons": beacons.List, "createBeacon": beacons.Create, "getBeacon": beacons.Get,
		"updateBeacon": beacons.Update, "deleteBeacon": beacons.Delete,
	}
}

func newBeacons(t *testing.T, rules map[string]op.Handler) *mockserver.Server {
	t.Helper()
	return newServer(t, mockserver.WithScenario("empty"), mockserver.WithSpec(specs.Workflow, beaconDocument),
		mockserver.WithHandlers(specs.Workflow, rules))
}

func beaconChecker(t *testing.T) *contract.Checker {
	t.Helper()
	return newChecker(t, append(exampleBases(), contract.WithSpec(specs.Workflow, beaconDocument))...)
}

// sendBeacons makes two beacons, changes one and deletes it.
func sendBeacons(t *testing.T, s *mockserver.Server) {
	t.Helper()
	call(t, s, "POST", "/workflow/api/beacons", `{"name":"North"}`).want(t, 201)
	call(t, s, "POST", "/workflow/api/beacons", `{"name":"South"}`).want(t, 201)
	call(t, s, "PATCH", "/workflow/api/beacons/1", `{"name":"Northeast"}`).want(t, 200)
	call(t, s, "DELETE", "/workflow/api/beacons/1", "").want(t, 200)
}

func namesOfBeacons(t *testing.T, s *mockserver.Server, worldID string) (names []string) {
	t.Helper()
	list := call(t, s, "GET", "/workflow/api/beacons", "", inA, worldID).want(t, 200).body
	for _, name := range gjson.Get(list, "beacons.#.name").Array() {
		names = append(names, name.String())
	}
	return names
}

// A resource is a description in a document, rows in a table of the world, and rules made of hooks. All else that is
// done with resources is done with this one as well, which nothing knows by name.
func TestMadeUpResource(t *testing.T) {
	t.Parallel()
	t.Run("is served and validated", func(t *testing.T) {
		t.Parallel()
		s := newBeacons(t, beaconRules())
		sendBeacons(t, s)
		call(t, s, "POST", "/workflow/api/beacons", `{}`).want(t, 400)
		call(t, s, "GET", "/workflow/api/beacons/1", "").want(t, 404)
		if diff := cmp.Diff([]string{"South"}, namesOfBeacons(t, s, "default")); diff != "" {
			t.Errorf("beacons (-want +got):\n%s", diff)
		}
		wantConform(t, beaconChecker(t), s.World(""))
	})
	t.Run("is dumped, loaded, forked and reset", func(t *testing.T) {
		t.Parallel()
		s := newBeacons(t, beaconRules())
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
		next := call(t, s, "POST", "/workflow/api/beacons", `{"name":"West"}`, inA, "loaded").want(t, 201).body
		if id := gjson.Get(next, "id").String(); id != "3" {
			t.Errorf("the next beacon has id %s, want 3", id)
		}
	})
	for operation, target := range map[string]string{"getBeacon": "/1", "listBeacons": ""} {
		t.Run("is watched when it is deleted, and shown by "+operation, func(t *testing.T) {
			t.Parallel()
			rules := beaconRules()
			rules["deleteBeacon"] = beacons.Get // which leaves it where it is
			s := newBeacons(t, rules)
			sendBeacons(t, s)
			call(t, s, "GET", "/workflow/api/beacons"+target, "").want(t, 200)
			var showing []string
			for _, f := range checkJournal(t, beaconChecker(t), s.World("")).Findings {
				if f.Rule == "use-after-delete" && f.Verdict == report.Fail {
					showing = append(showing, f.Operation)
				}
			}
			if diff := cmp.Diff([]string{"workflow." + operation}, showing); diff != "" {
				t.Errorf("operations that show what was deleted (-want +got):\n%s", diff)
			}
		})
	}
}
