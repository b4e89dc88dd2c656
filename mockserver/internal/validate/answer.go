package validate

import (
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/getkin/kin-openapi/openapi3"
)

// Answer is an answer that is about to be sent.
type Answer struct {
	Status int
	Header [][2]string
	Type   string // media type; empty without a body
	Body   []byte
	Fits   *openapi3.Schema // that Body is known to fit; nil if none is
}

// SetLength corrects the Content-Length header to the length of the body, if there is one.
func (a *Answer) SetLength() {
	for i, line := range a.Header {
		if line[0] == "Content-Length" {
			a.Header[i][1] = strconv.Itoa(len(a.Body))
		}
	}
}

// Answer returns an error if an answer deviates from the document.
func (o *Operation) Answer(a Answer) error {
	documented, ok := o.answer(a.Status)
	if !ok {
		return fmt.Errorf("%s: status %d is not documented", o.spec.Name(), a.Status)
	}
	if err := documented.body(a); err != nil {
		return fmt.Errorf("%s: %d answer: %w", o.spec.Name(), a.Status, err)
	}
	for _, name := range documented.headers {
		if !slices.ContainsFunc(a.Header, func(line [2]string) bool { return line[0] == name }) {
			return fmt.Errorf("%s: %d answer: header %s is missing", o.spec.Name(), a.Status, name)
		}
	}
	return nil
}

// Documents reports whether the document has an answer of the operation with a status.
func (o *Operation) Documents(status int) bool {
	_, ok := o.answer(status)
	return ok
}

func (o *Operation) answer(status int) (answer, bool) {
	for _, key := range []int{status, status / 100, 0} {
		isSuccess := key == 0 && status >= http.StatusBadRequest && o.spec.Interface.IsOwn() && o.spec.SucceedsByDefault()
		if a, ok := o.answers[key]; ok && !isSuccess {
			return a, true
		}
	}
	return answer{}, false
}

func (d answer) body(a Answer) error {
	if len(d.media) == 0 || a.Status == http.StatusNoContent { // which has no body, whatever is documented
		if len(a.Body) > 0 {
			return errors.New("it has a body, but none is documented")
		}
		return nil
	}
	m, ok := d.media.find(MediaType(a.Type))
	if !ok {
		return fmt.Errorf("media type %q is not documented, but %s", a.Type, d.media.names())
	}
	if !m.json || m.schema == nil || m.schema.Schema == a.Fits || d.passed.has(a.Body) {
		return nil
	}
	if err := m.schema.checkAnswer(a.Body); err != nil {
		return err
	}
	d.passed.add(a.Body)
	return nil
}

// checkAnswer returns an error if the body of an answer deviates from the schema.
func (s *schema) checkAnswer(body []byte) error {
	if s.acceptsText(body) {
		return nil
	}
	value, err := decodeJSON(body)
	if err != nil {
		return fmt.Errorf("the body is not valid JSON: %w", err)
	}
	return s.check("", value)
}

// memo remembers the hashes of valid bodies, so that repeated requests for the same body cost no validation: the
// verdict depends only on the bytes. The next body that falls on a slot overwrites it.
type memo struct {
	slots [64]atomic.Uint64
}

var seed = maphash.MakeSeed()

func (m *memo) has(body []byte) bool {
	hash := maphash.Bytes(seed, body)
	return m.slots[hash%uint64(len(m.slots))].Load() == hash
}

func (m *memo) add(body []byte) {
	hash := maphash.Bytes(seed, body)
	m.slots[hash%uint64(len(m.slots))].Store(hash)
}
