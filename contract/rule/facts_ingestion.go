package rule

import (
	"strconv"
	"strings"

	"svc.example/understudy/contract/judge"
)

// ingestionFacts are what a request of the event ingestion interface says beside its body, which no rule looks into.
type ingestionFacts struct {
	event *eventFact
}

type eventFact struct {
	size      int64 // of the body on the wire, -1 when it is not known
	coded     bool  // the body is compressed: it may be larger than on the wire
	key       keyPlace
	isInQuery bool // something like a key stands in the query
}

// keyPlace is where a request has its key.
type keyPlace int

const (
	noKey keyPlace = iota
	withKey
	keyTakenOut // the recording says that there was one
)

var ingestionReaders = map[string]*reader{
	"ingestEvent": {of: tables, rest: readEvent},
}

func readEvent(e *Event, r *judge.Result) {
	f := &eventFact{size: bodySize(r)}
	coding := r.Item.Request.Headers.Value("Content-Encoding")
	f.coded = coding != "" && !strings.EqualFold(coding, "identity")
	switch c := r.Credential(); {
	case c.Shown:
		f.key = withKey
	case c.Withheld:
		f.key = keyTakenOut
	}
	for name := range queryOf(r) {
		f.isInQuery = f.isInQuery || strings.HasSuffix(strings.ToLower(name), "key")
	}
	e.event = f
}

// bodySize is how many bytes the request's body had on the wire: as many as the recording has, if that is all of it,
// else as many as were announced, else at least one more than the recording has.
func bodySize(r *judge.Result) int64 {
	item := &r.Item
	if item.RequestSize > 0 {
		return item.RequestSize
	}
	if n, err := strconv.ParseInt(item.Request.Headers.Value("Content-Length"), 10, 64); err == nil && n >= 0 {
		return n
	}
	if body := item.Request.Body; body != nil && body.Truncated && len(body.Bytes) >= maxEvent {
		return int64(len(body.Bytes)) + 1
	}
	return item.RequestSize
}
