package console

import (
	"net/url"
	"strconv"
	"time"
)

// clockPage shows the clock of a world and what is due, and moves it.
type clockPage struct {
	Clock  clockState
	Events []event
	Total  int
}

type clockState struct {
	clock
	NextEvent *time.Time `json:"nextEvent"`
	Idle      bool       `json:"idle"`
}

type event struct {
	At        time.Time `json:"at"`
	Kind      string    `json:"kind"`
	Resource  string    `json:"resource"`
	ID        int64     `json:"id"`
	Happens   string    `json:"happens"`
	Recurring bool      `json:"recurring"`
	Waiting   bool      `json:"waiting"`
}

// maxShown is the number of events, faults and the like that a page shows.
const maxShown = 500

func (v *view) clockPage() error {
	var body clockPage
	if err := v.getIn("clock", &body.Clock); err != nil {
		return err
	}
	events := struct {
		Events *[]event `json:"events"`
		Total  *int     `json:"total"`
	}{&body.Events, &body.Total}
	if err := v.getIn("events?limit="+strconv.Itoa(maxShown), &events); err != nil {
		return err
	}
	return v.ok("clock", "clock", "Clock", body)
}

// getIn asks the control interface about the world that the page is about.
func (v *view) getIn(path string, into any) error {
	return v.get("worlds/"+url.PathEscape(v.World)+"/"+path, into)
}

// Until returns the time until the event, by the clock of the world.
func (p clockPage) Until(e event) string {
	if e.Waiting {
		return "waits for a query"
	}
	return "in " + e.At.Sub(p.Clock.Now).Round(time.Second).String()
}
