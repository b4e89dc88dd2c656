package audience_test

import (
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
)

func TestDump(t *testing.T) {
	t.Parallel()
	dumped := func(t *testing.T) string {
		t.Helper()
		c := newSlowClient(t)
		rule := of("And", `{"type":"Reference","id":"70"}`, score)
		c.Post(segments, `{"name":"a","kind":2,"funnel_stage":{"funnel_id":1,"stage_id":2},"description":"d","rule":`+rule+
			`}`).Want(200)
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
		c := newClient(t)
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
	t.Run("is refused when somebody edited it", func(t *testing.T) {
		t.Parallel()
		broken := jsontree.Parse(dumped(t)).With(`"another"`, "state", "audience", "Segments", "70", "name")
		if err := newClient(t).World().Load([]byte(broken)); err == nil || !strings.Contains(err.Error(), "write a fixture") {
			t.Errorf("error %v", err)
		}
	})
}
