package facts

import (
	"net/http"
	"net/url"
	"sync"
	"time"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/jsontree"
)

// reading reads the parts of an exchange, each once.
type reading struct {
	*judge.Result
	request, answer readBody

	workflow WorkflowContent // what is read, until it is taken
	core     CoreContent     // likewise

	// The last date and the last key that were read in any exchange, and what they stand for: many have the same.
	dateText, lastKey string
	lastDate          time.Time
	lastCaller        uint64
}

// readBody is a body that is read when it is asked for.
type readBody struct {
	tree   jsontree.Tree
	value  jsontree.Value
	isRead bool
}

var readings = sync.Pool{New: func() any { return &reading{} }}

func newReading(r *judge.Result) *reading {
	x := readings.Get().(*reading)
	x.Result = r
	return x
}

// free ends the use of a reading, and of the values that it returned.
func (r *reading) free() {
	r.Result = nil
	r.workflow, r.core = WorkflowContent{}, CoreContent{} // what a panic has left
	for _, b := range []*readBody{&r.request, &r.answer} {
		b.tree.Free()
		b.value, b.isRead = jsontree.Value{}, false
	}
	readings.Put(r)
}

// of returns a body as it is read into a tree, and reports whether it is JSON.
func (b *readBody) of(read func(*jsontree.Tree) jsontree.Value) (jsontree.Value, bool) {
	if !b.isRead {
		b.value, b.isRead = read(&b.tree), true
	}
	return b.value, b.value.Exists()
}

// requestBody returns the body of the request, and reports whether it is JSON.
func (r *reading) requestBody() (jsontree.Value, bool) { return r.request.of(r.JSONRequest) }

// answerBody returns the body of the answer, and reports whether it is JSON.
func (r *reading) answerBody() (jsontree.Value, bool) { return r.answer.of(r.JSONResponse) }

// date reads the date of an answer, which is zero if there is none.
func (r *reading) date(text string) time.Time {
	if text == r.dateText {
		return r.lastDate
	}
	const longest = 40 // what is longer is none, and is not kept
	date, _ := http.ParseTime(text)
	if len(text) <= longest {
		r.dateText, r.lastDate = text, date
	}
	return date
}

// query returns the members of the query.
func (r *reading) query() url.Values {
	query, _ := r.Query()
	return query
}
