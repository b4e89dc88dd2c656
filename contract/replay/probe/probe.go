// Package probe makes requests of OpenAPI documents: valid ones in the order of lives, in which what one request makes
// is shown, listed, changed and deleted by later ones, and requests with one fault each that the document forbids. It
// sends them to a mock or to a service through a client, which records them for a check.
//
//	live: every operation once, of what was made or listed before
//	vary: other valid requests, and requests with a fault
//	end:  delete what was made, and look whether it is gone
package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"

	"golang.org/x/time/rate"

	"svc.example/understudy/internal/relay"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Options say what is sent, and where.
type Options struct {
	Client     *http.Client               // sends the requests, and records them if they are to be judged
	Targets    map[specs.Interface]string // the addresses of interfaces, below which are the paths of their documents
	Operations []string                   // patterns of their names, such as shop.list*; none: all
	Methods    []string                   // none: all
	Unsafe     bool                       // send requests of other methods than GET, HEAD, OPTIONS and QUERY, too
	Limit      int                        // the most requests; 0: any number
	Rate       float64                    // the most requests in a second; 0: any number
	Seed       uint64                     // of values
	Key        string                     // what callers show by the document's security schemes; empty: nothing
	Header     http.Header                // of every request, in the place of what is made up

	ValidOnly  bool // leave out the requests of vary
	DeletesAll bool // delete also what was not made by a request before, for a mock
	Answered   func(*Answer)
}

// Moment says when in the life of an entity a request is made.
type Moment int

// The moments.
const (
	First   Moment = iota // the first call of an operation
	Changed               // shown again, after a change
	Varied                // another valid request, or one with a fault
	Deleted               // its deletion, if that is not the first one
	Gone                  // shown again, after its deletion
)

// Answer is a request that was sent, and how it was answered.
type Answer struct {
	Operation *specs.Operation
	Moment    Moment
	Fault     string // what the document forbids about the request; empty: nothing
	Status    int
	Header    http.Header
	Body      []byte
	Err       error // there was no answer
	NoKey     error // the answer to a creation does not show what was made
}

// Summary says what was sent and what not.
type Summary struct {
	Valid, Refused int      // valid requests, and those of them that were answered with 4xx
	Unauthorized   int      // valid requests that were answered with 401
	Faulty         int      // requests with a fault
	LeftOut        []string // the names of operations that were left out because they may change something
	Unmade         []error  // of operations of which no request could be made
	Left           int      // entities that were made and not deleted
	Unsent         bool     // more requests would have been sent without a limit or an interruption
}

// ErrUnsafe is the error of methods that are wanted without Options.Unsafe.
var ErrUnsafe = errors.New("may change something")

// errEnough ends the making of requests.
var errEnough = errors.New("no more requests")

type run struct {
	Options
	Summary

	limiter     *rate.Limiter
	kept        int // requests that deletions will need
	sent        int
	isAtEnd     bool
	isReachable bool
}

// Run sends requests of documents until all are made, the limit is reached, or the context ends; neither is an error.
// The error says that options are wrong, or that a target does not answer at all.
func Run(ctx context.Context, documents []*specs.Document, o Options) (*Summary, error) {
	r := &run{Options: o}
	if o.Rate > 0 {
		r.limiter = rate.NewLimiter(rate.Limit(o.Rate), 1)
	}
	client := *o.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r.Client = &client
	if err := r.checkOptions(documents); err != nil {
		return nil, err
	}
	var walks []*walk
	for _, d := range documents {
		w, err := r.walk(d)
		if err != nil {
			return nil, err
		}
		walks = append(walks, w)
	}
	for _, part := range []func(*walk, context.Context) error{(*walk).live, (*walk).vary, (*walk).end} {
		for _, w := range walks {
			switch err := part(w, ctx); {
			case errors.Is(err, errEnough):
				r.Unsent = true
			case err != nil:
				return &r.Summary, err
			}
		}
	}
	for _, w := range walks {
		r.Left += w.left()
	}
	return &r.Summary, nil
}

// methods are those that an operation of a document may have, with whether they are safe (RFC 9110, 9.2.1).
var methods = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodOptions: true, http.MethodTrace: true, "QUERY": true,
	http.MethodPost: false, http.MethodPut: false, http.MethodPatch: false, http.MethodDelete: false,
}

// checkOptions returns an error for a bound that leaves nothing to send.
func (r *run) checkOptions(documents []*specs.Document) error {
	var names []string
	for _, d := range documents {
		for _, o := range d.Operations {
			names = append(names, o.Name())
		}
	}
	for _, pattern := range r.Operations {
		_, err := path.Match(pattern, "")
		fits := func(name string) bool { ok, _ := path.Match(pattern, name); return ok }
		if err != nil || !slices.ContainsFunc(names, fits) {
			return fmt.Errorf("no operation is called %q: want a pattern, or %s", pattern,
				source.OneOf(pattern, names))
		}
	}
	for _, method := range r.Methods {
		isSafe, isKnown := methods[method]
		switch {
		case !isKnown:
			return fmt.Errorf("unknown method %q: want GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE or QUERY", method)
		case !isSafe && !r.Unsafe:
			return fmt.Errorf("requests of the method %s %w", method, ErrUnsafe)
		}
	}
	if r.Limit < 0 || r.Rate < 0 {
		return errors.New("want a number of requests that is not negative")
	}
	return nil
}

// chosen lists the operations of a document that may be called.
func (r *run) chosen(d *specs.Document) (list []*specs.Operation) {
	for _, o := range d.Operations {
		isNamed := len(r.Operations) == 0 || slices.ContainsFunc(r.Operations, func(pattern string) bool {
			ok, _ := path.Match(pattern, o.Name())
			return ok
		})
		switch {
		case !isNamed, len(r.Methods) > 0 && !slices.Contains(r.Methods, o.Method):
		case !methods[o.Method] && !r.Unsafe:
			r.LeftOut = append(r.LeftOut, o.Name())
		default:
			list = append(list, o)
		}
	}
	return list
}

func (r *run) walk(d *specs.Document) (*walk, error) {
	target, err := relay.NewTarget(d.Interface, r.Targets[d.Interface],
		func(specs.Interface) (*specs.Document, error) { return d, nil })
	if err != nil {
		return nil, err
	}
	return &walk{
		run: r, doc: d, base: target.Base(), operations: inOrder(r.chosen(d)), made: map[string][]pathKeys{},
		seen: map[string][]pathKeys{}, called: map[*specs.Operation]bool{}, failed: map[*specs.Operation]bool{},
		deleted: map[string]pathKeys{}, set: map[string][]string{},
	}, nil
}

// do sends a request, and returns its answer. The error is errEnough, or of a target that has never answered.
func (r *run) do(ctx context.Context, d *draft, base string, moment Moment) (*Answer, error) {
	if ctx.Err() != nil || r.Limit > 0 && r.sent >= r.Limit-r.reserve() {
		return nil, errEnough
	}
	if r.limiter != nil && r.limiter.Wait(ctx) != nil {
		return nil, errEnough
	}
	request, err := d.request(ctx, base, &r.Options)
	if err != nil {
		return nil, err
	}
	r.sent++
	a := &Answer{Operation: d.op, Moment: moment, Fault: d.fault}
	response, err := r.Client.Do(request)
	if err == nil {
		a.Status, a.Header = response.StatusCode, response.Header
		a.Body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		err = errors.Join(err, response.Body.Close())
		r.isReachable = true
	}
	if a.Err = err; err != nil && ctx.Err() != nil {
		return nil, errEnough
	}
	if _, isOfAddress := errors.AsType[*url.Error](err); isOfAddress && !r.isReachable {
		return nil, fmt.Errorf("%s does not answer: %w", d.op.Interface, err)
	}
	switch {
	case d.fault != "":
		r.Faulty++
	case a.Status >= 400 && a.Status < 500 && moment != Gone:
		r.Valid, r.Refused = r.Valid+1, r.Refused+1
		if a.Status == http.StatusUnauthorized {
			r.Unauthorized++
		}
	default:
		r.Valid++
	}
	return a, nil
}

// maxAnswer is the most bytes that are read of an answer.
const maxAnswer = 4 << 20

// reserve returns how many requests are kept for deletions.
func (r *run) reserve() int {
	if r.isAtEnd {
		return 0
	}
	return r.kept
}

// tell passes an answer on.
func (r *run) tell(a *Answer) {
	if r.Answered != nil {
		r.Answered(a)
	}
}
