package mockserver

import (
	"errors"
	"strconv"
	"time"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// keepPace refuses a request beyond the account's limit on requests per second.
func (x *exchange) keepPace(value *world.State) error {
	most := value.Account.Limits.RequestsPerSecond
	if most == 0 {
		return nil
	}
	if wait := x.visit.world.Admit(most, value.Now()); wait > 0 {
		return op.TooMany(wait, "the account may send %d requests per second", most)
	}
	return nil
}

// passRetry, deferred, serves an auto clock: a request that was refused because of a limit moves it to the time after
// which the client may retry.
func (x *exchange) passRetry(refused *error) {
	limit, ok := errors.AsType[*op.Error](*refused)
	if !ok || limit.Code != op.CodeTooMany || x.visit.world.Peek().Clock.Mode() != clock.Auto {
		return
	}
	for _, line := range limit.Header {
		if seconds, err := strconv.Atoi(line[1]); line[0] == op.RetryAfter && err == nil {
			_, _ = x.visit.world.Advance(x.waiting(), time.Duration(seconds)*time.Second) // or the limit is refused again
		}
	}
}
