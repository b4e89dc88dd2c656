package world

import (
	"cmp"
	"slices"

	"svc.example/understudy/mockserver/internal/table"
)

// Account is who may do what: users, and the keys that stand for them, on all interfaces.
type Account struct {
	Users table.Table[User]
	Keys  table.Index[string, Key]
}

// User is a person of the account.
type User struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Role  Role   `json:"role"`
}

// Role is what a user may do.
type Role string

// The roles, from the one that may do everything.
const (
	Owner         Role = "owner"
	Administrator Role = "administrator"
	Restricted    Role = "restricted"
)

// Administers reports whether the role may do what is left to administrators.
func (r Role) Administers() bool { return r == Owner || r == Administrator }

// Key is an API key. A write-only key may import data and nothing else.
type Key struct {
	Key       string `json:"key"`
	User      int64  `json:"user"`
	WriteOnly bool   `json:"writeOnly,omitempty"`
}

// Caller is who makes a request: a user, and the key that was shown.
type Caller struct {
	User      User
	WriteOnly bool
}

// Caller finds who a key stands for.
func (a *Account) Caller(key string) (Caller, bool) {
	k, ok := a.Keys.Get(key)
	if !ok {
		return Caller{}, false
	}
	user, ok := a.Users.Get(k.User)
	return Caller{User: user, WriteOnly: k.WriteOnly}, ok
}

func (a *Account) sortedKeys() []Key {
	keys := make([]Key, 0, a.Keys.Len())
	for _, key := range a.Keys.All() {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(a.Key, b.Key) })
	return keys
}
