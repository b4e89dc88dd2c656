package simulation_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"svc.example/understudy/specs/recording"
)

// schedule finds the times of the next request of a client: requests take effect one after the other, at an instant
// between their start and their end, and a client sends one at a time.
func (w *world) schedule(c *client) (start, effect, end time.Time) {
	gap := w.between(time.Millisecond, time.Minute)
	switch w.IntN(3) {
	case 0:
		gap = w.between(time.Microsecond, 20*time.Millisecond)
	case 1:
		gap = w.between(time.Millisecond, 3*time.Second)
	}
	before, after := w.between(time.Millisecond, 250*time.Millisecond), w.between(4*time.Millisecond, 250*time.Millisecond)
	effect = w.now.Add(gap)
	free := c.busy
	if !w.overlaps || w.cheat != "" {
		free = w.lastEnd
	}
	if w.settled.After(free) {
		free = w.settled
	}
	if earliest := free.Add(before + time.Millisecond); effect.Before(earliest) {
		effect = earliest
	}
	return effect.Add(-before), effect, effect.Add(after)
}

// request is a request of a client. The platform's answer is a status and a body.
type request struct {
	method, url string
	body        any
	isPage      bool
	headers     recording.Headers // in place of the usual ones
}

// ask lets a client send a request, whose effect takes place at one instant.
func (w *world) ask(c *client, r request, effect func(a *account) (int, any)) {
	e := &event{client: c, writes: map[string]int{}, shows: map[string]int{}, isPage: r.isPage}
	e.Start, e.effect, e.End = w.schedule(c)
	w.now, c.busy, w.current = e.effect, e.End, e
	if e.End.After(w.lastEnd) {
		w.lastEnd = e.End
	}
	status, answer := effect(c.account)
	if w.twice > 0 && w.chance(w.twice) {
		effect(c.account)
		e.Fault = "fault-3; answer=own; effect=twice"
	}
	if c.sub != nil && c.sub.isRemoved && !w.cheats("key of a removed sub user taken") {
		status, answer = http.StatusUnauthorized, coreError(http.StatusUnauthorized)
	}
	e.Request = recording.Request{
		Method: r.method, URL: r.url,
		Headers: recording.Headers{{"Authorization", "SVC1 " + c.key}},
	}
	if r.headers != nil {
		e.Request.Headers = r.headers
	}
	if r.body != nil {
		e.Request.Headers = append(e.Request.Headers, [2]string{"Content-Type", "application/json"})
		e.Request.Body = &recording.Body{Bytes: encoded(r.body)}
	}
	body := encoded(answer)
	e.Response = &recording.Response{
		Status: status, Headers: w.answerHeaders(e, len(body)),
		Body: &recording.Body{Bytes: body},
	}
	w.log = append(w.log, e)
	w.current = nil
}

func (w *world) answerHeaders(e *event, length int) recording.Headers {
	list := recording.Headers{{"Content-Type", "application/json"}}
	if w.chance(85) || len(e.Request.URL) > len(ingestion) && e.Request.URL[:len(ingestion)] == ingestion {
		list = append(list, [2]string{"Date", e.End.UTC().Format(http.TimeFormat)})
	}
	return append(list, [2]string{"Content-Length", strconv.Itoa(length)},
		[2]string{"Strict-Transport-Security", "max-age=31536000"}, [2]string{"Connection", "keep-alive"})
}

func encoded(v any) []byte {
	if raw, isRaw := v.([]byte); isRaw {
		return raw
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the simulator writes plain values only
	}
	return data
}

// cheats reports whether the platform breaks its rules in this way now, and marks the exchange in hand if so.
func (w *world) cheats(kind string) bool {
	if w.cheat != kind {
		return false
	}
	if w.current != nil {
		w.current.isPlanted = true
	}
	return true
}

// Errors as the interfaces write them.

func workflowError(status int) object {
	return object{"message": http.StatusText(status), "status": status}
}

func coreError(status int) object {
	text := http.StatusText(status)
	return object{"error": text, "message": text, "text": text, "severity": "error", "status_code": status}
}

func dwhError(status int) object {
	text := http.StatusText(status)
	return object{"error": object{"code": status, "title": text, "message": text, "detail": object{}}}
}

// Times as the interfaces write them, in whole seconds.

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func coreTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 -0700") }
