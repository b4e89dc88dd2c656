package judge

import (
	"svc.example/understudy/contract/internal/coverage"
	"svc.example/understudy/internal/accept/flat"
)

// touched returns the parts of the operation that a message touches by its presence and its media type, before the body
// is read.
func (m *message) touched() *coverage.Set {
	s := coverage.NewSet(m.op)
	header := m.headers.Value("Content-Type")
	if m.side == request && m.isReading {
		header = m.sentType
	}
	media := m.content.Get(header)
	if m.isReading && media == nil && header != "" {
		media = m.documentedMedia()
	}
	isThere := header != "" || m.body != nil && len(m.body.Bytes) > 0 && !m.bodiless
	switch name := documentedMedia(m.content, media); {
	case m.side == request && media != nil && isThere:
		s.RequestBody(name)
	case m.side == response && (len(m.content) == 0 || media != nil && isThere):
		s.Response(m.documented.key, name)
	}
	return s
}

// touch adds to a set what a body touches.
func (m *message) touch(s *coverage.Set, value flat.Value) {
	if m.side == request {
		s.RequestValue(value)
	} else {
		s.ResponseValue(m.documented.key, value)
	}
}
