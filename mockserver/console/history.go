package console

import (
	"net/url"
	"strings"
	"time"
)

// row is an exchange in a table of them.
type row struct {
	Seq       int64     `json:"seq"`
	Start     time.Time `json:"start"`    // by the clock of the world
	Received  time.Time `json:"received"` // by the wall clock
	TookMs    float64   `json:"tookMs"`
	Method    string    `json:"method"`
	URL       string    `json:"url"`
	Operation string    `json:"operation"`
	Status    int       `json:"status"`
	Fault     string    `json:"fault"`
	Notes     []string  `json:"notes"`
}

// maxHistory is the number of exchanges that the page of a thing shows.
const maxHistory = 50

// history returns the last exchanges that were about a thing, newest first; none if the journal cannot say.
func (v *view) history(k *kind, path []string) []row {
	var list struct {
		Rows []row `json:"rows"`
	}
	query := url.Values{"resource": {k.Resource.Name + "/" + strings.Join(path, "/")}, "order": {"desc"}, "limit": {"50"}}
	if err := v.getIn("journal/rows?"+query.Encode(), &list); err != nil {
		return nil
	}
	return list.Rows[:min(len(list.Rows), maxHistory)]
}
