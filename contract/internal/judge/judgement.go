package judge

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// judgement holds the checks and findings of a message. It does not name the exchange, so that equal messages share
// it.
type judgement struct {
	checks   []Check
	findings []report.Finding
	touched  *coverage.Set  // nil where nothing is documented
	omitted  map[string]int // number of findings beyond maxFaults by rule, until the judgement is concluded
	more     int            // the sum of them

	votes    [lost + 1]int // of the second engine
	judged   int           // parameters or bodies that the engines judged
	isBody   bool          // the judgement is on a body
	room     [3]Check      // of most checks
	unjudged string        // why a body could not be judged
}

func newJudgement() *judgement {
	o := &judgement{}
	o.checks = o.room[:0]
	return o
}

func (o *judgement) check(rule string, v report.Verdict) { o.checks = append(o.checks, Check{rule, v}) }

// isFull reports whether as many findings of a rule are listed as one message may have.
func (o *judgement) isFull(rule string) bool {
	n := 0
	for i := range o.findings {
		if o.findings[i].Rule == rule {
			n++
		}
	}
	return n >= maxFaults
}

// omit counts findings of a rule that are not listed.
func (o *judgement) omit(rule string, n int) {
	if n == 0 {
		return
	}
	if o.omitted == nil {
		o.omitted = map[string]int{}
	}
	o.omitted[rule] += n
}

// conclude adds to the last finding of each rule how many more there are.
func (o *judgement) conclude() *judgement {
	for i := range slices.Backward(o.findings) {
		f := &o.findings[i]
		if n := o.omitted[f.Rule]; n > 0 {
			f.Message = fmt.Sprintf("%s; and %d more of rule %s in the same message", f.Message, n, f.Rule)
			delete(o.omitted, f.Rule)
			o.more += n
		}
	}
	return o
}

// addFinding completes a finding and adds it, or only counts it if the rule has maxFaults findings already.
func (j *Judge) addFinding(o *judgement, m *message, f report.Finding) {
	if o.isFull(f.Rule) {
		o.omit(f.Rule, 1)
		return
	}
	if f.Severity == "" {
		p := f.Provenance
		if p == "" {
			p = j.place(m.op, f.Spec.Pointer).Provenance
		}
		f.Severity = j.severity(m.side, p, m.reception)
	}
	o.findings = append(o.findings, j.finding(0, m.op, f))
}

// inconclusiveBody adds the finding that a body cannot be judged.
func (j *Judge) inconclusiveBody(o *judgement, m *message, reason string) {
	o.check(UndeclaredField, report.Inconclusive)
	j.inconclusive(o, m, reason)
}

// inconclusive adds the finding that a body cannot be judged by its schema.
func (j *Judge) inconclusive(o *judgement, m *message, reason string) {
	o.unjudged = reason
	o.check(Schema, report.Inconclusive)
	j.addFinding(o, m, report.Finding{
		Rule: Schema, Severity: report.Notice, Verdict: report.Inconclusive, Message: reason,
		Pointer: "/" + m.side.String() + "/body", Spec: report.Spec{Pointer: m.pointer + "/content"},
	})
}

// skipCut notes that a body is not judged, because a fault cut it.
func (o *judgement) skipCut() {
	o.check(Schema, report.Skipped)
	o.check(UndeclaredField, report.Skipped)
	o.unjudged = "an injected fault cut it"
}

// judgementMemo remembers judgements, since recordings repeat themselves.
type judgementMemo struct {
	mu         sync.RWMutex
	judgements map[memoKey]*judgement
	weight     int
}

// maxRemembered bounds the memo: when it is full, it is emptied. A message weighs 1, and 1 more for each of its
// findings.
const maxRemembered = 1 << 13

// memoKey is a hash of everything that a judgement depends on. A collision is less likely than a broken machine, and
// cannot be provoked, since each process has a seed of its own.
type memoKey uint64

var seed = maphash.MakeSeed()

func newMemo() *judgementMemo { return &judgementMemo{judgements: map[memoKey]*judgement{}} }

// get returns a remembered judgement, or nil.
func (m *judgementMemo) get(k memoKey) *judgement {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.judgements[k]
}

func (m *judgementMemo) put(k memoKey, o *judgement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.weight >= maxRemembered {
		clear(m.judgements)
		m.weight = 0
	}
	m.weight += 1 + len(o.findings)
	m.judgements[k] = o
}

// key returns the key of the judgement on the body.
func (m *message) key() memoKey {
	k := bodyKey{
		op: m.op, reception: m.reception, status: m.status, doubt: m.doubt,
		inQuery: strings.Join(m.queryMembers, "&"), bodiless: m.bodiless, joined: m.isReading, sampled: m.sampled,
		headless: len(m.headers) == 0, sent: m.sentType, faulty: m.isFaulty,
		kind: m.kind, coding: m.headers.Value("Content-Encoding"),
	}
	if m.body != nil {
		k.hasBody, k.body = true, maphash.Bytes(seed, m.body.Bytes)
		k.hasLength = m.headers.Value("Content-Length") == strconv.Itoa(len(m.body.Bytes))
	}
	return memoKey(maphash.Comparable(seed, k))
}

// bodyKey holds what the judgement on a body depends on.
type bodyKey struct {
	op        *specs.Operation
	reception reception
	status    int    // 0 for requests
	body      uint64 // its hash

	doubt, inQuery, sent, kind, coding                              string
	bodiless, joined, sampled, headless, faulty, hasBody, hasLength bool
}

// parametersKey returns the key of the judgement on the parameters.
func (m *message) parametersKey(owner *ownership.Owner) memoKey {
	var h maphash.Hash
	h.SetSeed(seed)
	maphash.WriteComparable(&h, struct {
		op          *specs.Operation
		reception   reception
		sampled     bool
		path, query string
	}{m.op, m.reception, m.sampled, owner.Path, owner.Query})
	for _, ref := range m.op.Parameters {
		switch p := ref.Value; {
		case p.In == openapi3.ParameterInHeader && !specs.IsCredential(p):
			maphash.WriteComparable(&h, m.headers.Value(p.Name))
		case p.In == openapi3.ParameterInCookie:
			maphash.WriteComparable(&h, m.headers.Value("Cookie"))
		}
	}
	return memoKey(h.Sum64())
}

// bounded remembers a number of values. They are read without a lock.
type bounded[K comparable, V any] struct {
	mu    sync.Mutex
	known atomic.Pointer[map[K]V]
}

// maxKnown is that number: what more there is, is made again.
const maxKnown = 100

func (m *bounded[K, V]) get(key K) (value V, ok bool) {
	if known := m.known.Load(); known != nil {
		value, ok = (*known)[key]
	}
	return value, ok
}

// put remembers a value, unless there is one already, and returns the one that is to be used.
func (m *bounded[K, V]) put(key K, value V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	more := map[K]V{}
	if known := m.known.Load(); known != nil {
		if value, ok := (*known)[key]; ok {
			return value
		}
		if len(*known) == maxKnown {
			return value
		}
		maps.Copy(more, *known)
	}
	more[key] = value
	m.known.Store(&more)
	return value
}
