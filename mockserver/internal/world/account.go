package world

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/specs"
)

// Account holds the users, the keys that stand for them, and the permissions granted to them, on all interfaces.
type Account struct {
	ID              int64 // 1 unless a fixture says otherwise
	Plan            int
	GuaranteedCores int
	MaximumCores    int
	Limits          Limits
	CreatedAt       time.Time // zero: when the oldest user was created
	Features        []string  // flags that are on, sorted; replaced, never changed in place

	Users          table.Table[User]        // sub users are users with a parent; PutUser changes them
	Keys           table.Index[string, Key] // by both their forms: see PutKey
	Policies       table.Table[Policy]
	PolicyGroups   table.Table[PolicyGroup]
	groupTags      table.Index[string, int64] // policy groups by their taggable names; see restoreDerived
	policyUsers    table.Index[int64, int]    // how many users have a policy, likewise
	ProfileOptions []ProfileOption            // all keys that there are, with their defaults; replaced, never changed
	OAuthClients   table.Table[OAuthClient]
	OAuthTokens    table.Table[OAuthToken]
	OAuthCodes     table.Table[OAuthCode]
	Partners       []Partner // accounts that a table may be transferred to; replaced, never changed in place
}

// ChangedPolicyGroup keeps in step by which taggable names groups are found: before is nil for a new group, after for
// one that is gone.
func (a *Account) ChangedPolicyGroup(before, after *PolicyGroup) {
	if before != nil {
		a.groupTags.Delete(before.TaggableName)
	}
	if after != nil {
		a.groupTags.Put(after.TaggableName, after.ID)
	}
}

// GroupTagged returns the policy group that has a taggable name.
func (a *Account) GroupTagged(tag string) (PolicyGroup, bool) {
	id, _ := a.groupTags.Get(tag)
	return a.PolicyGroups.Get(id)
}

// PutUser stores a user, new or changed.
func (a *Account) PutUser(u User) {
	before, _ := a.Users.Get(u.ID)
	a.countPolicies(before, -1)
	a.countPolicies(u, 1)
	a.Users.Put(u.ID, u)
}

// countPolicies keeps in step how many users have each policy.
func (a *Account) countPolicies(u User, n int) {
	if !u.DeletedAt.IsZero() {
		return
	}
	for _, policy := range u.Policies {
		a.policyUsers.Put(policy, a.PolicyUsers(policy)+n)
	}
}

// PolicyUsers returns how many users have a policy.
func (a *Account) PolicyUsers(policy int64) int {
	n, _ := a.policyUsers.Get(policy)
	return n
}

func (a *Account) restoreDerived() {
	for _, g := range table.All(&a.PolicyGroups) {
		a.ChangedPolicyGroup(nil, &g)
	}
	for _, u := range table.All(&a.Users) {
		a.countPolicies(u, 1)
	}
}

// Limits bounds what all callers may do together; 0 means no limit.
type Limits struct {
	RequestsPerSecond int `json:"requestsPerSecond,omitempty"`
	ConcurrentQueries int `json:"concurrentQueries,omitempty"` // jobs that are queued or running
}

// The feature flags that rules look at.
const (
	FeatureSubUsers      = "eng-lc-sub-users" // policy export (documented)
	FeatureTableTransfer = "table-transfer"   // the name is assumed; that transfer is limited is documented
)

// Has reports whether a feature flag is on.
func (a *Account) Has(feature string) bool {
	_, found := slices.BinarySearch(a.Features, feature)
	return found
}

// User is a person of the account, or a sub user of one.
type User struct {
	ID        int64   `json:"id"`
	Name      string  `json:"name"`
	Email     string  `json:"email,omitempty"`
	Role      Role    `json:"role"`
	Delegated bool    `json:"delegatedAdmin,omitempty"` // an extra of restricted users
	Parent    int64   `json:"parent,omitempty"`         // of a sub user: the user who owns it
	Policies  []int64 `json:"policies,omitempty"`       // attached, in order; replaced, never changed in place
	Groups    []int64 `json:"groups,omitempty"`         // policy groups whose tag it carries; likewise
	// policy groups that it is delegated admin of; likewise
	Manages     []int64           `json:"manages,omitempty"`
	Permissions Permissions       `json:"permissions,omitempty"` // granted straight to it; likewise
	Options     map[string]string `json:"options,omitempty"`     // profile options that are set; likewise
	LLMID       string            `json:"llmID,omitempty"`       // on the LLM interface; empty: by the seed
	Password    string            `json:"password,omitempty"`    // a digest; empty: the one that users of scenarios have
	CreatedAt   time.Time         `json:"createdAt,omitzero"`
	UpdatedAt   time.Time         `json:"updatedAt,omitzero"`
	DeletedAt   time.Time         `json:"deletedAt,omitzero"` // soft-destroyed when set
}

// Role is the role of a user, which decides what the user may do.
type Role string

// The roles, from the one that may do everything.
const (
	Owner         Role = "owner"
	Administrator Role = "administrator"
	Restricted    Role = "restricted"
	SubUser       Role = "sub_user"
)

// Administers reports whether the role may do what is left to administrators.
func (r Role) Administers() bool { return r == Owner || r == Administrator }

// Key is an API key. A write-only key may import data and nothing else. A key that does not have the platform's own
// form, such as 1/admin, is good in that form as well: see specs.PlatformKey.
type Key struct {
	Key       string `json:"key"`
	User      int64  `json:"user"`
	WriteOnly bool   `json:"writeOnly,omitempty"`
}

// Permissions holds what a policy grants, as on the wire: by kind of resource a list of entries, each of which has an
// operation and, depending on the kind, more texts such as ids.
type Permissions map[string][]map[string]string

// Policy is a set of permissions under a name.
type Policy struct {
	ID                int64              `json:"id"`
	Name              string             `json:"name"`
	Description       string             `json:"description,omitempty"`
	Permissions       Permissions        `json:"permissions,omitempty"`       // replaced, never changed in place
	ColumnPermissions []ColumnPermission `json:"columnPermissions,omitempty"` // likewise
}

// ColumnPermission is one entry of a policy's column permissions, as on the wire.
type ColumnPermission struct {
	Tags    []string `json:"tags"`
	Except  *bool    `json:"except,omitempty"`
	Masking *string  `json:"masking,omitempty"`
}

// PolicyGroup is a set of policies that users are tagged with.
type PolicyGroup struct {
	ID           int64     `json:"id"`
	Name         string    `json:"name"`
	TaggableName string    `json:"taggableName"`
	Description  *string   `json:"description,omitempty"`
	Policies     []int64   `json:"policies,omitempty"` // replaced, never changed in place
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

// ProfileOption is a key that every user has a value of. A nil default means none.
type ProfileOption struct {
	Key     string  `json:"key"`
	Default *string `json:"default"`
}

// OAuthClient is an application that users let in.
type OAuthClient struct {
	ID       int64  `json:"id"`
	ClientID string `json:"clientId"` // as on the wire
	Name     string `json:"name"`
}

// OAuthToken is an access token with its refresh half. It is live until it is revoked, and as long as one half is good.
type OAuthToken struct {
	ID          int64     `json:"id"`
	Client      int64     `json:"client"`
	User        int64     `json:"user"`
	Scopes      []string  `json:"scopes"`
	CreatedAt   time.Time `json:"createdAt"`
	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // end of the access half; zero: never
	Refreshable bool      `json:"refreshable,omitempty"`
	LastUsedAt  time.Time `json:"lastUsedAt,omitzero"`
	RevokedAt   time.Time `json:"revokedAt,omitzero"`
}

// OAuthCode is an authorization code. It is unexchanged until ExchangedAt is set.
type OAuthCode struct {
	ID          int64     `json:"id"`
	Client      int64     `json:"client"`
	User        int64     `json:"user"`
	CreatedAt   time.Time `json:"createdAt"`
	ExchangedAt time.Time `json:"exchangedAt,omitzero"`
	RevokedAt   time.Time `json:"revokedAt,omitzero"`
}

// Partner is another account, known by a key of its, that tables may be transferred to. Its databases are only names,
// and its key has two forms, like any other.
type Partner struct {
	Account   int64    `json:"account"`
	Key       string   `json:"key"`
	Databases []string `json:"databases,omitempty"`
}

// Caller is the sender of a request: a user, and the key that was shown. Its User is zero if the key belongs to no
// user.
type Caller struct {
	User      User
	WriteOnly bool
}

// Shows reports whether a key is the partner's.
func (p Partner) Shows(key string) bool {
	return specs.PlatformKey(p.Account, key) == specs.PlatformKey(p.Account, p.Key)
}

// Administers reports whether the caller may do what is left to administrators.
func (c Caller) Administers() bool { return c.User.Role.Administers() }

// Delegates reports whether the caller may do what is left to administrators and delegated admins.
func (c Caller) Delegates() bool { return c.Administers() || c.User.Delegated }

// PlatformKey returns a key of the account in the platform's own form.
func (a *Account) PlatformKey(k Key) string { return specs.PlatformKey(a.ID, k.Key) }

// PutKey adds a key, or replaces it.
func (a *Account) PutKey(k Key) {
	a.Keys.Put(k.Key, k)
	a.Keys.Put(a.PlatformKey(k), k)
}

// DeleteKey deletes a key, which may be given in either form.
func (a *Account) DeleteKey(key string) {
	if k, ok := a.Keys.Get(key); ok {
		a.Keys.Delete(k.Key)
		a.Keys.Delete(a.PlatformKey(k))
	}
}

// AllKeys lists the keys, each once and as it was put, sorted.
func (a *Account) AllKeys() []Key {
	keys := []Key{}
	for form, k := range table.Entries(&a.Keys) {
		if form == k.Key {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(a.Key, b.Key) })
	return keys
}

// Caller returns the user of a key, in either of its forms.
func (a *Account) Caller(key string) (Caller, bool) {
	k, ok := a.Keys.Get(key)
	if !ok {
		return Caller{}, false
	}
	user, ok := a.Users.Get(k.User)
	return Caller{User: user, WriteOnly: k.WriteOnly}, ok
}

// LiveUser returns a user who was not removed.
func (a *Account) LiveUser(id int64) (User, bool) {
	user, ok := a.Users.Get(id)
	return user, ok && user.DeletedAt.IsZero()
}

// LiveUsers returns the users who were not removed, in order of their ids.
func (a *Account) LiveUsers() iter.Seq[User] {
	return func(yield func(User) bool) {
		for _, user := range table.All(&a.Users) {
			if user.DeletedAt.IsZero() && !yield(user) {
				return
			}
		}
	}
}
