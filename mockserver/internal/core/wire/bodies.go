package wire

import (
	"errors"

	"svc.example/understudy/mockserver/internal/op"
)

// Nullable is a member of a body in which null, other than absence, says something.
type Nullable[T any] struct {
	Sent  bool
	Value *T // nil: null
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *Nullable[T]) UnmarshalJSON(data []byte) error {
	g.Sent = true
	return op.Unmarshal(data, &g.Value)
}

// Set stores a value that was sent.
func Set[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

// Recode gives a refusal another code, for operations whose documents lack the one that others have.
func Recode(err error, from, to op.Code) error {
	refusal, ok := errors.AsType[*op.Error](err)
	if !ok || refusal.Code != from {
		return err
	}
	other := *refusal
	other.Code = to
	return &other
}
