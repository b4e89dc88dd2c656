package compare

import (
	"net/http"
	"time"

	"svc.example/understudy/contract/internal/judge"
)

// ServerClock reads from answers what time it is for the server, whose clock may be another one than the recorder's.
type ServerClock struct {
	offset time.Duration // of the server's clock from the recorder's
}

// Times returns when the server may have taken a request, the likeliest time first: when it was recorded, unless the
// answer's Date shows that the server has another clock. Of that the recording shows whole seconds; it may also stand
// still.
func (c *ServerClock) Times(e *judge.Result) []time.Time {
	start, end := e.Item.Start.Round(0), e.Item.End.Round(0)
	if end.Before(start) {
		end = start
	}
	date := dateOf(e)
	if date.IsZero() || start.IsZero() {
		if start.IsZero() {
			start, end = date, date
		}
		return distinct(start.Add(c.offset), end.Add(c.offset))
	}
	first, last := start.Add(c.offset), end.Add(c.offset)
	if isWithin := !date.Before(first.Truncate(time.Second)) && !date.After(last); !isWithin {
		c.offset = date.Sub(start)
		first, last = date, date
	}
	if c.offset == 0 {
		return distinct(first, last)
	}
	return distinct(date, first, date.Add(time.Second-1))
}

func distinct(times ...time.Time) (list []time.Time) {
	for i, t := range times {
		if i == 0 || t.After(list[len(list)-1]) {
			list = append(list, t)
		}
	}
	return list
}

// dateOf returns the Date of an answer, or zero.
func dateOf(e *judge.Result) time.Time {
	if e.Item.Response == nil {
		return time.Time{}
	}
	date, _ := http.ParseTime(e.Item.Response.Headers.Value("Date"))
	return date
}
