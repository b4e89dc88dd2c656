package audience_test

import (
	"strings"
	"testing"

	"github.com/tidwall/sjson"
)

func TestDump(t *testing.T) {
	t.Parallel()
	dumped := func(t *testing.T) string {
		t.Helper()
		c := slowly(t)
		rule := of("And", `{"type":"Reference","id":"70"}`, score)
		c.Post(segments, `{"name":"a","kind":2,"funnel_stage":{"funnel_id":1,"stage_id":2},"description":"d","rule":`+rule+`}`).Want(200)
		c.Post(activations, with(`"cron":"0 6 * * *","scheduleType":"cron"`)).Want(200)
		c.Post(queries, asking).Want(200)
		state, err := c.World().State()
		if err != nil {
			t.Fatal(err)
		}
		return string(state)
	}
	t.Run("has all of it, so that it loads as it was", func(t *testing.T) {
		t.Parallel()
		state := dumped(t)
		c := newRoom(t)
		if err := c.World().Load([]byte(state)); err != nil {
			t.Fatal(err)
		}
		again, err := c.World().State()
		if err != nil || string(again) != state {
			t.Errorf("error %v, dumped\n%s\nand then\n%s", err, state, again)
		}
		c.Get(segments).Wants("#", "3", "0.numSyndications", "1", "2.referencedBy.#", "0", "0.referencedBy.0.id", "81")
		c.Post(segments, `{"name":"b"}`).Wants("id", "82")
	})
	t.Run("is refused when its parts do not go together", func(t *testing.T) {
		t.Parallel()
		state := dumped(t)
		for _, test := range []struct {
			path  string
			value any
			want  string
		}{
			{"queryTime", -1, "queryTime of the audience: want 0 or more"},
			{"audiences.0.table", "", "audience.audience 61: want a name, a database and a table"},
			{"segments.0.audience", 9, "audience.segment 70: there is no audience 9"},
			{"segments.0.createdBy", 9, "audience.segment 70: want createdBy and updatedBy"},
			{"segments.0.name", "", "audience.segment 70: want a name"},
			{"segments.0.kind", 3, "audience.segment 70: kind 3"},
			{"segments.0.population", -1, "audience.segment 70: want a population of 0 or more"},
			{"segments.0.rule", "Lima", "audience.segment 70: want a rule that is an object, or null"},
			{"segments.3.funnelStage", 7, "audience.segment 81: want a funnelStage"},
			{"segments.0.rule.conditions.0", map[string]any{"type": "Reference", "id": "99"}, "refers to segment 99, which is none of audience 61"},
			{"segments.0.rule.conditions.0", map[string]any{"type": "Reference", "id": "80"}, "refers to segment 80"},
			{"segments.0.rule.conditions.0", map[string]any{"type": "Reference", "id": "70"}, "audience.segment 70: its rule refers to itself"},
			{"segments.0.rule.conditions.0", map[string]any{"type": "Reference", "id": "81"}, "audience.segment 81: its rule refers to itself"},
			{"queries.0.audience", 9, "audience.query 1: want an audience, and a job of the same user"},
			{"queries.0.user", 3, "audience.query 1: want an audience, and a job of the same user"},
			{"queries.0.job", 9, "audience.query 1: want an audience, and a job"},
			{"queries.0.request", nil, "audience.query 1: want a uuid, and a request"},
			{"queries.0.found", map[string]any{"count": -1}, "audience.query 1: want to have found 0 or more"},
			{"activations.0.segment", 80, "audience.activation 1: there is no segment 80 in audience 61"},
			{"activations.0.createdBy", 9, "audience.activation 1: there is no user 9"},
			{"activations.0.connection", 0, "audience.activation 1: want a name and a connection"},
			{"activations.0.request", "lake", "audience.activation 1: want a request"},
		} {
			broken, err := sjson.Set(state, "state.audience."+test.path, test.value)
			if err != nil {
				t.Fatal(err)
			}
			err = newRoom(t).World().Load([]byte(broken))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %q in it", test.path, err, test.want)
			}
		}
	})
	t.Run("is refused when a job takes less than no time", func(t *testing.T) {
		t.Parallel()
		broken, err := sjson.Set(dumped(t), "state.core.jobs.0.takes", -1)
		if err != nil {
			t.Fatal(err)
		}
		if err := newRoom(t).World().Load([]byte(broken)); err == nil || !strings.Contains(err.Error(), "want takes of 0 or more") {
			t.Errorf("error %v", err)
		}
	})
}
