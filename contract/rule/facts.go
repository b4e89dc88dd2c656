package rule

import (
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

// facts are what an exchange says beyond its address. Ids are text, whether the body has text or a number.
type facts struct {
	shows   []shown     // things that the answer shows to be there
	listed  bool        // the answer held its list
	partial bool        // or a part of it
	belongs []belonging // what the answer shows to be a part of what
	refers  thing       // what a request wants something to refer to

	workflowFacts
	coreFacts
	dwhFacts
	ingestionFacts
}

// shown is a thing as an answer shows it.
type shown struct {
	thing
	alias string    // another name of it, if it has one
	ident string    // that tells it from another one of the same name
	born  time.Time // likewise
}

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

func (r *reader) response(e *Event, result *judge.Result) {
	if r.in == nil {
		return
	}
	body, ok := result.JSONResponse()
	if !ok {
		e.Opaque = true
		return
	}
	r.in(e, body)
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
		e.listed = items.IsArray()
		items.ForEach(func(_, item gjson.Result) bool {
			add(e, item)
			return true
		})
	}
}

// show adds a thing that the answer shows.
func (e *Event) show(k *kind, id string) {
	if id != "" {
		e.shows = append(e.shows, shown{thing: thing{k, id}})
	}
}
