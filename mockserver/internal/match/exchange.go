package match

import (
	"strings"

	"svc.example/understudy/mockserver/internal/journal"
	"svc.example/understudy/mockserver/internal/world"
)

// Exchange reports whether an exchange of a journal is one of the calls that were described. Callers are users of the
// account.
func (m *Matcher) Exchange(e *journal.Entry, account *world.Account) bool {
	_, query, _ := strings.Cut(e.URL, "?")
	return m.Matches(e.Operation, &Request{
		Path: e.Path, RawQuery: query, Header: e.RequestHeader, Body: e.RequestBody, Key: e.Key, Account: account,
	})
}
