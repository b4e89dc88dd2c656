// Package meter counts what a server answers, for Prometheus to read.
//
// It uses github.com/VictoriaMetrics/metrics, and not Prometheus' own client: tests of users link the mock, and that
// client brings Protocol Buffers with it.
package meter

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
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

// CountFault counts a fault that was applied to a request.
func (s *Set) CountFault(iface specs.Interface, f recording.Fault) {
	answer := "own"
	if f.Injected {
		answer = "injected"
	}
	s.set.GetOrCreateCounter(fmt.Sprintf("understudy_faults_total{interface=%q,answer=%q,effect=%q}",
		iface, answer, f.Effect)).Inc()
}

// Count counts a request that was answered with a status, or with none if that is 0, some time after it came in.
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
			fmt.Sprintf("understudy_requests_total{%s,status=%q}", o.labels, name(code)))}
		longer := slices.Concat(*known, []status{added})
		o.statuses.CompareAndSwap(known, &longer) // another request may have been faster
	}
}

func name(code int) string {
	if code == 0 {
		return "none"
	}
	return strconv.Itoa(code)
}

// help says what our metrics count, for people who read them.
var help = map[string]string{
	"understudy_build_info":                 "The version, the commit and the digest of the documents.",
	"understudy_requests_total":             "Requests by interface, operation and status.",
	"understudy_request_duration_seconds":   "Time from a request until its answer leaves.",
	"understudy_faults_total":               "Faults that were applied to requests.",
	"understudy_worlds":                     "Worlds that there are.",
	"understudy_worlds_limit":               "Worlds that there may be.",
	"understudy_memory_bytes":               "Memory that worlds and journals take.",
	"understudy_memory_limit_bytes":         "Memory that worlds and journals may take.",
	"understudy_journal_bytes":              "Memory that journals take.",
	"understudy_journal_exchanges":          "Exchanges that journals hold.",
	"understudy_watchers":                   "Clients that wait for exchanges, or follow a journal.",
	"understudy_recorded_exchanges_total":   "Exchanges that were written to the recording.",
	"understudy_unrecorded_exchanges_total": "Exchanges that could not be written to the recording.",
}

// counters lists counters whose names do not say that they are.
var counters = map[string]bool{"go_cgo_calls_count": true, "go_gc_forced_count": true}

// Describe returns metrics in Prometheus' text format with a line of TYPE before each family, and one of HELP before
// ours. The library that writes metrics adds such lines if a setting of the whole process says so, which a library
// leaves to the program, and then without help; they are replaced.
func Describe(text []byte) []byte {
	var out bytes.Buffer
	family := ""
	for line := range bytes.Lines(text) {
		if line[0] == '#' {
			continue
		}
		end := max(0, bytes.IndexAny(line, "{ "))
		if base, kind := familyOf(string(line[:end]), string(line[end:]), family); base != family {
			family = base
			if text := help[family]; text != "" {
				out.WriteString("# HELP " + family + " " + text + "\n")
			}
			out.WriteString("# TYPE " + family + " " + kind + "\n")
		}
		out.Write(line)
	}
	return out.Bytes()
}

// familyOf returns the family and the type of a line, which may be one more of the family before it.
func familyOf(name, labels, before string) (family, kind string) {
	base, isBucket := strings.CutSuffix(name, "_bucket")
	switch {
	case isBucket:
		return base, "histogram"
	case name == before+"_sum" || name == before+"_count":
		return before, ""
	case strings.HasPrefix(labels, "{quantile="):
		return name, "summary"
	case strings.HasSuffix(name, "_total") || counters[name]:
		return name, "counter"
	}
	return name, "gauge"
}
