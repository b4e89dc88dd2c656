package op

import "svc.example/understudy/mockserver/internal/world"

// Queries are those that a call needs the results of. A handler names the ones that are still to be run, and goes on as
// it likes: its reply and its changes are dropped, the queries are run outside of the world's lock, and the handler is
// called again. The zero value is ready to use.
type Queries struct {
	asked  map[any]world.Query
	needed []world.DueEvent
	used   bool
}

// Need requests that the handler is called again after the query of an event has its result, and the event is settled.
// A query that no event waits for is that of an event with nothing else.
func (q *Queries) Need(e world.DueEvent) {
	q.needed, q.used = append(q.needed, e), true
}

// Needs reports whether a query was needed since Needed was called last.
func (q *Queries) Needs() bool { return q.needed != nil }

// Used reports whether the call has ever needed a query, or asked for one.
func (q *Queries) Used() bool { return q.used || q.asked != nil }

// Needed returns what was needed since it was asked last.
func (q *Queries) Needed() []world.DueEvent {
	needed := q.needed
	q.needed = nil
	return needed
}

// Ask returns the query with a key, the same one each time that the handler is called. It is made the first time.
func (q *Queries) Ask(key any, begin func() world.Query) world.Query {
	query, asked := q.asked[key]
	if !asked {
		query = begin()
		if q.asked == nil {
			q.asked = map[any]world.Query{}
		}
		q.asked[key] = query
	}
	return query
}
