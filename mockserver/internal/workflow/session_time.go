package workflow

import (
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
)

func getTruncatedSessionTime(c *op.Call) (op.Reply, error) {
	d, err := definitionFromQuery(c)
	if err != nil {
		return op.Reply{}, err
	}
	zone := zoneOf(d)
	at, err := parseMoment("session_time", c.Text("session_time"), zone)
	if err != nil {
		return op.Reply{}, err
	}
	cut, err := dig.TruncateSessionTime(at, zone, c.Text("mode"), d.Workflow.Schedule)
	if err != nil {
		return op.Reply{}, op.Invalid("mode", "%v", err)
	}
	p := projectOf(c.World, d)
	return op.OK(map[string]any{
		"project":     idName(p.ID, p.Name),
		"revision":    revisionOf(c.World, d).Name,
		"timezone":    d.Workflow.Timezone,
		"sessionTime": zonedTime(cut, zone),
	})
}

// lastYear is the last in which a time can lie: one year before the last that RFC 3339 can write, so that no zone and
// no schedule leads out of what can be written.
const lastYear = 9998

// parseMoment reads ISO 8601; a time without an offset is one of the zone's.
func parseMoment(field, text string, zone *time.Location) (time.Time, error) {
	t, err := dig.ParseSessionTime(text, zone)
	if err != nil {
		return t, op.Invalid(field, "%v", err)
	}
	if year := t.UTC().Year(); year < 1 || year > lastYear {
		return t, op.Invalid(field, "want a time in the years 1 to %d, not %q", lastYear, text)
	}
	return t, nil
}

func laterOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
