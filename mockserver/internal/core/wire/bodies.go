package wire

import (
	"errors"

	"svc.example/understudy/mockserver/internal/op"
)

// Nullable is a member of a body in which null means something other than absence.
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

// Recode changes the code of a refusal, for operations whose documents lack the usual one.
func Recode(err error, from, to op.Code) error {
	refusal, ok := errors.AsType[*op.Error](err)
	if !ok || refusal.Code != from {
		return err
	}
	other := *refusal
	other.Code = to
	return &other
}
