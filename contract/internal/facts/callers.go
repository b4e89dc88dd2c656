package facts

import (
	"net/http"
	"strings"

	"svc.example/understudy/specs"
)

// caller returns an id that distinguishes callers without keeping their keys. It is 0 when the recording does not show
// who asks.
func (r *reading) caller() uint64 {
	key := r.Credential().Identity
	switch {
	case key == "":
		return 0
	case key != r.lastKey:
		r.lastKey, r.lastCaller = key, CallerWith(key)
	}
	return r.lastCaller
}

// CallerWith returns the caller who has a key.
func CallerWith(key string) uint64 { return Hash(key) | 1 }

// LooksAtKey reports whether the answer says whether the key is taken. That to an event does not: its key is looked at
// after the answer.
func (e *Exchange) LooksAtKey() bool {
	return !e.Open && !strings.HasPrefix(e.Operation, specs.Ingestion+".")
}

// IsSameInAllAccounts reports whether an exchange is the same in all accounts: an event was taken, or a key was not.
func (e *Exchange) IsSameInAllAccounts() bool {
	return e.Status == 0 || e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		strings.HasPrefix(e.Operation, specs.Ingestion+".")
}
