package control

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/specs"
)

// unknown stands for no operation where exchanges are counted and filtered.
const unknown = "unknown"

// defaultRows is the number of rows that are listed unless the client asks for another.
const defaultRows = 100

// row is an exchange as a line of a table.
type row struct {
	Seq        int64     `json:"seq"`
	Start      time.Time `json:"start"`
	DurationMs float64   `json:"durationMs"`
	walled
	Method        string   `json:"method"`
	URL           string   `json:"url"`
	Operation     string   `json:"operation,omitempty"`
	Status        int      `json:"status"` // 0 without an answer
	Fault         string   `json:"fault,omitempty"`
	Notes         []string `json:"notes,omitempty"`
	RequestBytes  int      `json:"requestBytes"`
	ResponseBytes int      `json:"responseBytes"`
}

// walled holds when an exchange came and how long it took by the wall clock, since the clock of a world may stand.
type walled struct {
	Received time.Time `json:"received"`
	TookMs   float64   `json:"tookMs"`
}

func walledOf(e *journal.Entry) walled { return walled{e.Received.UTC(), milliseconds(e.Took)} }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// row renders an exchange without its bodies and headers, and so without the cost of redacting them.
func (h Host) row(e *journal.Entry) row {
	bare := *e
	bare.RequestHeader, bare.RequestBody, bare.ResponseHeader, bare.ResponseBody = nil, nil, nil, nil
	bare.Truncated, bare.ResponseCut = false, false
	x := h.Render(&bare)
	return row{
		Seq: e.Seq, Start: e.Start, DurationMs: milliseconds(e.End.Sub(e.Start)), walled: walledOf(e),
		Method: e.Method, URL: x.Request.URL, Operation: x.Operation, Status: e.Status, Fault: x.Fault, Notes: x.Notes,
		RequestBytes: len(e.RequestBody), ResponseBytes: len(e.ResponseBody),
	}
}

type rowsView struct {
	World    string          `json:"world"`
	Total    int             `json:"total"`
	Matching int             `json:"matching"`
	First    int64           `json:"first"`
	Last     int64           `json:"last"`
	Dropped  journal.Dropped `json:"dropped"`
	From     int             `json:"from"`
	Rows     []row           `json:"rows"`
}

// getJournalRows lists a part of the exchanges that fit, as a table.
func (h Host) getJournalRows(c *op.Call, w *worlds.World) (op.Reply, error) {
	from, err1 := c.Int("from", 0)
	limit, err2 := c.Int("limit", defaultRows)
	fits, words, err3 := h.filter(c)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return op.Reply{}, err
	}
	var found []int64
	if fits != nil {
		var err error
		if found, err = h.searches.of(w.Journal, words).run(c.Context, fits); err != nil {
			return op.Reply{}, err
		}
	}
	extent := w.Journal.Extent()
	numberAt := func(place int) int64 { return found[place] }
	view := rowsView{
		World: w.ID, Total: extent.Total, Matching: len(found), First: extent.First, Last: extent.Last,
		Dropped: extent.Dropped, Rows: []row{},
	}
	if fits == nil {
		view.Matching, numberAt = extent.Total, func(place int) int64 { return extent.First + int64(place) }
	}
	view.From = placeOf(from, view.Matching)
	var numbers []int64
	for place := view.From; place < min(view.Matching, view.From+int(limit)); place++ {
		if c.Text("order") == "desc" {
			numbers = append(numbers, numberAt(view.Matching-1-place))
		} else {
			numbers = append(numbers, numberAt(place))
		}
	}
	for _, e := range w.Journal.Find(numbers...) {
		view.Rows = append(view.Rows, h.row(e))
	}
	return op.OK(view)
}

// placeOf returns a place among n, where a negative one counts from the end.
func placeOf(place int64, n int) int {
	if place < 0 {
		place += int64(n)
	}
	return int(min(max(0, place), int64(n)))
}

// filter returns which exchanges a call asks for, and that in words; nil if it asks for all.
func (h Host) filter(c *op.Call) (fits func(*journal.Entry) bool, words string, err error) {
	asked := url.Values{}
	var all []func(*journal.Entry) bool
	for _, f := range []struct {
		name string
		make func(*op.Call, []string) (func(*journal.Entry) bool, error)
	}{
		{"operation", h.ofOperations},
		{"interface", h.ofInterface},
		{"status", ofStatuses},
		{"fault", withFault},
		{"resource", h.aboutResources},
		{"text", withText},
	} {
		values := c.Query[f.name]
		if len(values) == 0 {
			continue
		}
		fit, err := f.make(c, values)
		if err != nil {
			return nil, "", err
		}
		asked[f.name] = values
		all = append(all, fit)
	}
	if len(all) == 0 {
		return nil, "", nil
	}
	return func(e *journal.Entry) bool {
		return !slices.ContainsFunc(all, func(fits func(*journal.Entry) bool) bool { return !fits(e) })
	}, asked.Encode(), nil
}

// ofOperations keeps the exchanges of operations by their names or patterns; unknown is that of none.
func (h Host) ofOperations(_ *op.Call, patterns []string) (func(*journal.Entry) bool, error) {
	wanted := map[match.Key]bool{}
	for _, pattern := range patterns {
		if pattern == unknown {
			wanted[match.Key{}] = true
			continue
		}
		m, err := match.Compile(match.Calls{Operation: pattern}, h.Documents)
		if err != nil {
			return nil, err
		}
		for _, key := range m.Operations() {
			wanted[key] = true
		}
	}
	return func(e *journal.Entry) bool {
		if e.Operation == nil {
			return wanted[match.Key{}]
		}
		return wanted[match.KeyOf(e.Operation)]
	}, nil
}

func (h Host) ofInterface(_ *op.Call, names []string) (func(*journal.Entry) bool, error) {
	if err := h.Documents.Serves("interface", specs.Interface(names[0])); err != nil {
		return nil, err
	}
	return func(e *journal.Entry) bool { return e.Operation != nil && string(e.Operation.Interface) == names[0] }, nil
}

// ofStatuses keeps the exchanges with one of some statuses, such as 404, 4xx and none.
func ofStatuses(_ *op.Call, statuses []string) (func(*journal.Entry) bool, error) {
	wanted := map[int]bool{}
	for _, text := range statuses {
		class, isClass := strings.CutSuffix(text, "xx")
		n, err := strconv.Atoi(class)
		switch {
		case text == "none":
			wanted[0] = true
		case err != nil:
			return nil, op.Invalid("status", "want a status such as 404, 4xx or none, not %q", text)
		case isClass:
			for status := 100 * n; status < 100*(n+1); status++ {
				wanted[status] = true
			}
		default:
			wanted[n] = true
		}
	}
	return func(e *journal.Entry) bool { return wanted[e.Status] }, nil
}

// withFault keeps the exchanges to which a fault was applied, or the others.
func withFault(c *op.Call, _ []string) (func(*journal.Entry) bool, error) {
	wanted, err := c.Flag("fault", true)
	return func(e *journal.Entry) bool { return (e.Fault != "") == wanted }, err
}

// aboutThings keeps the exchanges that are about one of some resources.
func (h Host) aboutResources(_ *op.Call, names []string) (func(*journal.Entry) bool, error) {
	var resources []*resource
	for _, name := range names {
		t, err := h.newResource(name)
		if err != nil {
			return nil, err
		}
		resources = append(resources, t)
	}
	return func(e *journal.Entry) bool {
		return slices.ContainsFunc(resources, func(t *resource) bool { return t.isIn(e) })
	}, nil
}

func withText(_ *op.Call, texts []string) (func(*journal.Entry) bool, error) {
	return containsText(texts[0]), nil
}
