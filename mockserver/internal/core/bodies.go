package core

import (
	"errors"

	"svc.example/understudy/mockserver/internal/op"
)

// nullable is a member of a body in which null, other than absence, says something.
type nullable[T any] struct {
	sent  bool
	value *T // nil: null
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *nullable[T]) UnmarshalJSON(data []byte) error {
	g.sent = true
	return op.Unmarshal(data, &g.value)
}

// set stores a value that was sent.
func set[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

// recode gives a refusal another code, for operations whose documents lack the one that others have.
func recode(err error, from, to op.Code) error {
	refusal, ok := errors.AsType[*op.Error](err)
	if !ok || refusal.Code != from {
		return err
	}
	other := *refusal
	other.Code = to
	return &other
}
