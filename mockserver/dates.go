package mockserver

import (
	"net/http"
	"sync/atomic"
	"time"
)

// dates writes times as the header Date has them. It remembers the last one: most answers of a second have the same.
type dates struct {
	last atomic.Pointer[date]
}

type date struct {
	second int64 // Unix time
	text   string
}

func (d *dates) text(t time.Time) string {
	if last := d.last.Load(); last != nil && last.second == t.Unix() {
		return last.text
	}
	made := &date{t.Unix(), t.UTC().Format(http.TimeFormat)}
	d.last.Store(made)
	return made.text
}
