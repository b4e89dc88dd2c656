// Package meter counts what a server answers, for Prometheus to read.
//
// It uses github.com/VictoriaMetrics/metrics, and not Prometheus' own client: tests of users link the mock, and that
// client brings Protocol Buffers with it.
package meter

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"svc.example/understudy/specs"
)

// Set holds the counts of one server. It is safe for concurrent use.
type Set struct {
	set *metrics.Set
}

// New makes an empty set.
func New() *Set { return &Set{metrics.NewSet()} }

// Write writes the counts as text.
func (s *Set) Write(w io.Writer) { s.set.WritePrometheus(w) }

// Unknown is the name of the operation of requests that fit none.
const Unknown = "unknown"

// Operation counts the requests of one operation. Its series begin with its first request.
type Operation struct {
	set      *metrics.Set
	labels   string
	statuses atomic.Pointer[[]status] // replaced, never changed in place
	seconds  func() *metrics.PrometheusHistogram
}

type status struct {
	code     int
	requests *metrics.Counter
}

// bounds are the upper bounds of the buckets, in seconds. The mock answers in less than a millisecond unless a query or
// a wait is in it.
var bounds = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// Operation returns the counts of an operation, such as getPool, or of Unknown.
func (s *Set) Operation(iface specs.Interface, id string) *Operation {
	o := &Operation{set: s.set, labels: fmt.Sprintf("interface=%q,operation=%q", iface, id)}
	o.seconds = sync.OnceValue(func() *metrics.PrometheusHistogram {
		return s.set.GetOrCreatePrometheusHistogramExt("understudy_request_duration_seconds{"+o.labels+"}", bounds)
	})
	o.statuses.Store(&[]status{})
	return o
}

// Count counts a request that was answered with a status, some time after it came in.
func (o *Operation) Count(code int, took time.Duration) {
	o.requests(code).Inc()
	o.seconds().Update(took.Seconds())
}

// requests returns the counter of a status. An operation has few of them.
func (o *Operation) requests(code int) *metrics.Counter {
	for {
		known := o.statuses.Load()
		for _, s := range *known {
			if s.code == code {
				return s.requests
			}
		}
		added := status{code, o.set.GetOrCreateCounter(
			fmt.Sprintf("understudy_requests_total{%s,status=\"%d\"}", o.labels, code))}
		longer := append((*known)[:len(*known):len(*known)], added)
		o.statuses.CompareAndSwap(known, &longer) // another request may have been faster
	}
}
