package judge

import (
	"svc.example/understudy/contract/internal/body"
	"svc.example/understudy/contract/internal/coverage"
)

// touched returns the parts of the operation that a message touches by its presence and its media type, before the body
// is read.
func (m *message) touched() *coverage.Set {
	header, form := m.sentType, m.form
	switch {
	case !m.isReading:
		header = m.kind
	case header == "" || m.documentedBody.form(header).media != nil:
		form = m.documentedBody.form(header)
	}
	isThere := header != "" || m.body != nil && len(m.body.Bytes) > 0 && !m.bodiless
	if m.side == response && len(m.content) == 0 || form.media != nil && isThere {
		return form.touched
	}
	return m.untouched
}

// touch returns a set with what a body touches in addition.
func (m *message) touch(s *coverage.Set, decoded *body.Body) *coverage.Set {
	s = s.Clone()
	for _, value := range decoded.All() {
		if m.side == request {
			s.RequestValue(value, decoded.Lines)
		} else {
			s.ResponseValue(m.documented.key, value, decoded.Lines)
		}
	}
	return s
}
