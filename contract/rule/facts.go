package rule

import (
	"hash/maphash"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"svc.example/understudy/contract/judge"
	"svc.example/understudy/specs"
)

// text copies a value out of its body, so that nothing keeps the body in memory.
func text(value gjson.Result) string { return strings.Clone(value.String()) }

// visible is a text, unless a recorder put the same in the place of others too.
func visible(value gjson.Result) string {
	if s := text(value); judge.IsDistinct(s) {
		return s
	}
	return ""
}

// Facts hold what an exchange says beyond its address. Ids are text, whether the body has text or a number.
type Facts struct {
	Shows   []shown     // things that the answer shows to be there
	Listed  bool        // the answer held its list
	Partial bool        // or a part of it
	Belongs []belonging // what the answer shows to be a part of what
	Refers  thing       // what a request wants something to refer to

	Answered   string       // the id of the one thing that the answer is, of the kind that the path names
	Ignored    []memberFact // what a request set, and its answer shows otherwise
	Repeatable bool         // the request has an idempotency key

	WorkflowFacts
	CoreFacts
	DWHFacts
	IngestionFacts
}

// shown is a thing as an answer shows it.
type shown struct {
	Thing thing
	Alias string    // another name of it, if it has one
	Ident string    // that tells it from another one of the same name
	Born  time.Time // likewise
	Mark  uint64    // the same where an answer shows the same of it; 0 where that is too little to tell it by
	Since int64     // when it was made, in seconds; 0 where the answer does not show that
}

// markAll marks the things that were shown from an index on by what the answer shows of them.
func (e *Event) markAll(from int, body gjson.Result) {
	const enough = 40 // bytes: less may be said of several
	if len(body.Raw) < enough {
		return
	}
	mark, since := markOf(body), int64(0)
	for _, name := range []string{"created_at", "createdAt", "attributes.createdAt"} {
		if at := instant(body.Get(name).String()); !at.IsZero() {
			since = at.Unix()
		}
	}
	for i := from; i < len(e.Shows); i++ {
		if f := &e.Shows[i]; f.Mark == 0 {
			f.Mark, f.Since = mark, since
		}
	}
}

// memberFact is a member that request and answer show differently.
type memberFact struct{ Name, Asked, Answered string }

// maxIgnored bounds how many of these are kept of an exchange.
const maxIgnored = 20

// compareMembers holds the numbers and truth values that a request sets against those that its answer shows.
func (e *Event) compareMembers(r *judge.Result) {
	e.Repeatable = queryOf(r).Get("idempotent_key") != ""
	request, ok := r.JSONRequest()
	answer, isJSON := r.JSONResponse()
	if !ok || !isJSON || e.Opaque {
		return
	}
	if attributes := request.Get("data.attributes"); attributes.IsObject() {
		request, answer = attributes, answer.Get("data.attributes")
	}
	e.Repeatable = e.Repeatable || request.Get("idempotent_key").Exists()
	set := map[string]gjson.Result{}
	request.ForEach(func(name, asked gjson.Result) bool {
		if asked.Type == gjson.Number || asked.IsBool() {
			set[name.String()] = asked
		}
		return true
	})
	if len(set) == 0 || !answer.IsObject() {
		return
	}
	answer.ForEach(func(name, shown gjson.Result) bool {
		asked := set[name.String()]
		isNumber := asked.Type == gjson.Number && shown.Type == gjson.Number && asked.Num != shown.Num
		isTruth := asked.IsBool() && shown.IsBool() && asked.Bool() != shown.Bool()
		if isNumber || isTruth {
			e.Ignored = append(e.Ignored, memberFact{text(name), text(asked), text(shown)})
		}
		return len(e.Ignored) < maxIgnored
	})
}

// markOf is the same for what answers show alike.
func markOf(body gjson.Result) uint64 { return maphash.String(callerSeed, body.Raw) }

// reader says how the facts of an operation are read.
type reader struct {
	of    *kind
	does  verb
	stirs []*kind // kinds of which it may make one that it does not name

	in   func(*Event, gjson.Result)  // reads the answer
	to   func(*Event, gjson.Result)  // reads the request's body
	rest func(*Event, *judge.Result) // reads what else there is
}

// readers, by interface and operation. What is not here concerns no rule but those that watch callers.
var readers = map[string]map[string]*reader{
	specs.Workflow: workflowReaders, specs.Core: coreReaders, specs.Ingestion: ingestionReaders, specs.DWH: dwhReaders,
	specs.LLM: llmReaders,
}

// alone reads an answer that is one thing of the kind that the path names.
func alone(in func(*Event, gjson.Result)) func(*Event, gjson.Result) {
	return func(e *Event, body gjson.Result) {
		e.Answered = visible(body.Get("id"))
		if in != nil {
			in(e, body)
		}
	}
}

func (r *reader) response(e *Event, result *judge.Result) {
	if r.in == nil {
		return
	}
	body, ok := result.JSONResponse()
	if !ok {
		e.Opaque = true
		return
	}
	n := len(e.Shows)
	r.in(e, body)
	e.markAll(n, body)
	e.Account = visible(body.Get("account_id"))
	if e.Account == "" {
		e.Account = visible(body.Get("0.account_id"))
	}
}

func (r *reader) request(e *Event, result *judge.Result) {
	if r.to == nil {
		return
	}
	if body, ok := result.JSONRequest(); ok {
		r.to(e, body)
	}
}

// list reads the items under a key, or of a bare list.
func list(key string, add func(*Event, gjson.Result)) func(*Event, gjson.Result) {
	return func(e *Event, body gjson.Result) {
		items := body
		if key != "" {
			items = body.Get(key)
		}
		e.Listed = items.IsArray()
		items.ForEach(func(_, item gjson.Result) bool {
			n := len(e.Shows)
			add(e, item)
			e.markAll(n, item)
			return true
		})
	}
}

// show adds a thing that the answer shows.
func (e *Event) show(k *kind, id string) {
	if id != "" {
		e.Shows = append(e.Shows, shown{Thing: thing{k, id}})
	}
}
