package judge

import (
	"encoding/binary"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// memo remembers what was said of messages, since recordings repeat themselves: the same question, the same answer,
// byte for byte. It holds at most two generations of half its size.
type memo struct {
	mu         sync.RWMutex
	young, old map[key]*opinion
	weight     int // of the young
}

// generation is how many messages are remembered before the older half is forgotten. One with findings counts as so many
// more.
const generation = 1 << 13

// key stands for a message. Two hashes of different seeds make a clash less likely than a broken machine.
type key [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func newMemo() *memo { return &memo{young: map[key]*opinion{}, old: map[key]*opinion{}} }

func (m *memo) get(k key) (*opinion, bool) {
	m.mu.RLock()
	o, ok := m.young[k]
	if !ok {
		o, ok = m.old[k]
	}
	m.mu.RUnlock()
	return o, ok
}

func (m *memo) put(k key, o *opinion) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.weight >= generation {
		m.old, m.young, m.weight = m.young, map[key]*opinion{}, 0
	}
	m.weight += 1 + len(o.findings)
	m.young[k] = o
}

// keyWriter hashes parts with their lengths, so that no two lists of parts run together to the same.
type keyWriter struct{ a, b maphash.Hash }

func newKeyWriter() *keyWriter {
	w := &keyWriter{}
	w.a.SetSeed(seeds[0])
	w.b.SetSeed(seeds[1])
	return w
}

func (w *keyWriter) number(x uint64) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], x)
	_, _ = w.a.Write(n[:])
	_, _ = w.b.Write(n[:])
}

func (w *keyWriter) part(s string) {
	w.number(uint64(len(s)))
	_, _ = w.a.WriteString(s)
	_, _ = w.b.WriteString(s)
}

func (w *keyWriter) bytes(b []byte) {
	w.number(uint64(len(b)))
	_, _ = w.a.Write(b)
	_, _ = w.b.Write(b)
}

func (w *keyWriter) key() key { return key{w.a.Sum64(), w.b.Sum64()} }

// key is everything that the opinion on a body depends on.
func (m *message) key() key {
	w := m.keyOfRest()
	if m.body == nil {
		w.part("none")
	} else {
		w.bytes(m.body.Bytes)
	}
	return w.key()
}

// keyOfRest is what the opinion depends on beside the bytes of the body.
func (m *message) keyOfRest() *keyWriter {
	w := newKeyWriter()
	w.part(m.pointer)
	w.part(m.op.Interface)
	w.part(string([]byte{byte(m.side), byte(m.outcome), byte(m.status), byte(m.status >> 8)}))
	w.part(m.doubt)
	w.part(strings.Join(m.inQuery, "&"))
	w.part(strconv.FormatBool(m.bodiless))
	w.part(strconv.FormatBool(m.joined))
	w.part(strconv.FormatBool(len(m.headers) == 0))
	w.part(m.sent)
	w.part(m.headers.Value("Content-Type"))
	w.part(m.headers.Value("Content-Encoding"))
	return w
}

// parametersKey is everything that the opinion on the parameters depends on. Whole numbers in usual notation count by
// their class only: on which side of the documented bounds they lie. So do plain words, where the document wants a text.
func (m *message) parametersKey(owner *Owner, plans *planner) (exact, class key) {
	e, c := newKeyWriter(), newKeyWriter()
	for _, w := range []*keyWriter{e, c} {
		w.part(m.op.Pointer)
		w.part(m.op.Interface)
		w.number(uint64(m.outcome))
	}
	both := func(p *openapi3.Parameter, value string) {
		e.part(value)
		c.parameter(p, value, plans)
	}
	for _, ref := range m.op.Parameters {
		switch p := ref.Value; {
		case p.In == openapi3.ParameterInHeader && !isCredential(p):
			both(p, m.headers.Value(p.Name))
		case p.In == openapi3.ParameterInPath:
			both(p, owner.Match.Declared(p.Name))
		case p.In == openapi3.ParameterInCookie:
			both(p, m.headers.Value("Cookie"))
		}
	}
	for part := range strings.SplitSeq(owner.Query, "&") {
		name, value, found := strings.Cut(part, "=")
		e.part(part)
		p := m.op.Parameters.GetByInAndName(openapi3.ParameterInQuery, name)
		if !found || p == nil {
			c.part(part)
			continue
		}
		c.part(name)
		c.parameter(p, value, plans)
	}
	return e.key(), c.key()
}

func (w *keyWriter) parameter(p *openapi3.Parameter, value string, plans *planner) {
	switch {
	case p.Schema == nil || p.Schema.Value == nil:
		w.part(value)
	case isPlainNumber(p.Schema.Value, value):
		w.sides(p.Schema.Value, value)
	case isPlainText(p.Schema.Value, value):
		class := newClass()
		plans.of(p.Schema.Value).text([]byte(value), &class)
		w.part("text")
		w.number(class.a)
		w.number(class.b)
	default:
		w.part(value)
	}
}

// isPlainNumber reports whether every engine reads a value as the whole number that the schema wants.
func isPlainNumber(schema *openapi3.Schema, value string) bool {
	const short = 9
	isNumber := schema.Type.Is("integer") && len(schema.Enum) == 0 && schema.MultipleOf == nil &&
		len(value) > 0 && len(value) <= short && value[0] != '0'
	for i := 0; isNumber && i < len(value); i++ {
		isNumber = isDigit(value[i])
	}
	return isNumber
}

func (w *keyWriter) sides(schema *openapi3.Schema, value string) {
	n, _ := strconv.ParseFloat(value, 64)
	for _, bound := range []*float64{schema.Min, schema.Max} {
		side := uint64(0)
		switch {
		case bound == nil:
		case n == *bound:
			side = 1
		case n > *bound:
			side = 2
		}
		w.number(side)
	}
}

// isPlainText reports whether every engine reads a value as the text that it is: it begins with a letter, and holds
// nothing that has a meaning in an address. What may be taken for a number, a truth value or null is none.
func isPlainText(schema *openapi3.Schema, value string) bool {
	const shortest, longest = 6, 128 // false has five letters
	isText := schema.Type.Is("string") && len(value) >= shortest && len(value) <= longest && isLetter(value[0]) &&
		!strings.HasPrefix(strings.ToLower(value), "inf") // infinity is a number to some
	for i := 0; isText && i < len(value); i++ {
		isText = isLetter(value[i]) || isDigit(value[i]) || value[i] == '_' || value[i] == '-'
	}
	return isText
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
