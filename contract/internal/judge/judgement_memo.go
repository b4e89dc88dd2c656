package judge

import (
	"hash/maphash"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/specs"
)

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
		op: m.op, outcome: m.outcome, status: m.status, doubt: m.doubt,
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
	op      *specs.Operation
	outcome outcome
	status  int    // 0 for requests
	body    uint64 // its hash

	doubt, inQuery, sent, kind, coding                              string
	bodiless, joined, sampled, headless, faulty, hasBody, hasLength bool
}

// parametersKey returns the key of the judgement on the parameters.
func (m *message) parametersKey(owner *ownership.Owner) memoKey {
	var h maphash.Hash
	h.SetSeed(seed)
	maphash.WriteComparable(&h, struct {
		op          *specs.Operation
		outcome     outcome
		sampled     bool
		path, query string
	}{m.op, m.outcome, m.sampled, owner.Path, owner.Query})
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
