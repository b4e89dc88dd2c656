package compare

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
)

// Memory holds what replays of one recording with one Config have found, for those that follow: most of what a subject
// answers, it or another one has answered before. How often masks were needed is counted only the first time.
type Memory struct {
	most     int // answers that are kept
	size     int // of these, in bytes, about
	nodes    map[*specs.Document]*nodes
	requests map[*judge.Result]*translated
	answers  map[remembered]*compared
}

// NewMemory returns a memory of up to some number of answers.
func NewMemory(most int) *Memory {
	return &Memory{
		most: most, nodes: map[*specs.Document]*nodes{}, requests: map[*judge.Result]*translated{},
		answers: map[remembered]*compared{},
	}
}

// translated is a request as it was sent, for the ids that it was translated by.
type translated struct {
	target string
	body   []byte
	read   map[reading]counterpart
}

// remembered names an answer to a recorded request.
type remembered struct {
	*judge.Result
	answer digest
}

type digest [sha256.Size]byte

// compared holds how an answer differs from the recorded one. It holds for the ids that were read, and has those that
// are known by it.
type compared struct {
	list    []found
	alike   []trait
	omitted int
	taught  *ids
}

// maxRemembered bounds the size of what a memory keeps of answers.
const maxRemembered = 32 << 20

func (m *Memory) keep(at remembered, done *compared) {
	if m.answers[at] == nil {
		if len(m.answers) >= m.most || m.size >= maxRemembered {
			return
		}
		const entry, difference = 250, 500
		m.size += entry*(len(done.taught.read)+2*len(done.taught.to)) + difference*len(done.list)
	}
	m.answers[at] = done
}

// layer returns a layer above some ids, which notes what is read of them if that may be kept.
func (m *Memory) layer(below *ids) *ids {
	layer := newIDs(below)
	if m.most > 0 {
		layer.read = map[reading]counterpart{}
	}
	return layer
}

// sitesOf returns the places of a document.
func (m *Memory) nodesOf(d *specs.Document) *nodes {
	if m.nodes[d] == nil {
		m.nodes[d] = newNodes(d)
	}
	return m.nodes[d]
}

// translated translates a request with the ids that are known.
func (m *Memory) translated(e *Exchange, known *ids) *translated {
	if before := m.requests[e.Result]; before != nil && known.holds(before.read) {
		return before
	}
	layer := m.layer(known)
	t := &Translation{nodes: m.nodesOf(e.Owner.Document), ids: layer}
	now := &translated{t.Target(e.Result), t.Body(e.Result), layer.read}
	if len(m.requests) < m.most {
		m.requests[e.Result] = now
	}
	return now
}

// digest returns what no other answer has: zero for none.
func (a *Answer) digest() (d digest) {
	if a == nil {
		return d
	}
	var head bytes.Buffer
	fmt.Fprintln(&head, a.Status, a.Size)
	_ = a.Header.Write(&head) // into memory
	hash := sha256.New()
	hash.Write(head.Bytes())
	hash.Write(a.Body)
	return digest(hash.Sum(nil))
}
