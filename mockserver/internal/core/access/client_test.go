package access_test

import (
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// client calls the core data interface for the tests of access control.
type client struct{ *mocktest.Client }

func newClient(tb testing.TB, opts ...mockserver.Option) client {
	tb.Helper()
	return client{mocktest.New(tb, "core", opts...)}
}

// load replaces the world's state by people and more of a fixture, in YAML.
func (c client) load(more string) client {
	c.Helper()
	return client{c.Load(more)}
}

// replace replaces the world's state by a whole fixture or a dump.
func (c client) replace(whole string) client {
	c.Helper()
	return client{c.Replace(whole)}
}

// as returns the same mock with another key.
func (c client) as(key string) client { return client{c.As(key)} }

// shopAccess is an account with an example of every kind of access control. Dora manages the store team, whose tag Theo
// carries; Ana owns the kiosk and Otto the till.
const shopAccess = `
account:
  id: 7
  features: [eng-lc-sub-users]
  users:
  - {id: 1, name: Ada Admin, email: admin@shop.example, role: administrator}
  - {id: 2, name: Otto Owner, email: owner@shop.example, role: owner}
  - id: 3
    name: Ana Analyst
    email: analyst@shop.example
    role: restricted
    policies: [analysts]
    permissions: {WorkflowProject: [{operation: run}]}
    options: {start_page: queries}
  - {id: 4, name: Dora Delegate, email: delegate@shop.example, role: restricted, delegatedAdmin: true, manages: [Store team]}
  - {id: 5, name: kiosk, role: sub_user, parent: analyst@shop.example, policies: [analysts], createdAt: now-1d}
  - {id: 6, name: till, email: till@shop.example, role: sub_user, parent: owner@shop.example, createdAt: now-1d}
  - {id: 8, name: Theo Tagged, email: tagged@shop.example, role: restricted, groups: [Store team]}
  keys:
  - {key: 1/admin, user: admin@shop.example}
  - {key: 1/owner, user: owner@shop.example}
  - {key: 1/analyst, user: analyst@shop.example}
  - {key: 1/delegate, user: delegate@shop.example}
  - {key: 1/tagged, user: tagged@shop.example}
  - {key: 1/kiosk, user: kiosk}
  - {key: 1/kiosk-writes, user: kiosk, kind: write-only}
  - {key: 1/till, user: till@shop.example}
  policies:
  - id: 21
    name: analysts
    description: Query the shop
    permissions: {WorkflowProject: [{operation: run}, {operation: view}], Databases: [{operation: query, ids: '11'}]}
    columnPermissions: [{tags: [pii], masking: hash}]
  - {id: 22, name: marketing}
  policyGroups:
  - {id: 31, name: Store team, policies: [marketing], createdAt: now-1d}
  profileOptions:
  - {key: time_zone, default: UTC}
  - {key: start_page}
  - {key: date_format}
`

func newAccess(t *testing.T) client {
	t.Helper()
	return newClient(t).replace(shopAccess)
}

// accessRefusal is a call by a user without the right, or with a wrong request, and the words of its refusal.
type accessRefusal struct {
	key, method, path, body string
	status                  int
	word                    string
}

func accessRefuses(t *testing.T, tests map[string]accessRefusal) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newAccess(t).as("1/"+test.key).Call(test.method, test.path, test.body).Refused(test.status, test.word)
		})
	}
}

func newAccessUnvalidated(t *testing.T) client {
	t.Helper()
	return newClient(t, mockserver.WithValidation(mockserver.Off)).replace(shopAccess)
}
