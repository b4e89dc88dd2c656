package world

import (
	"cmp"
	"slices"

	"svc.example/understudy/mockserver/internal/table"
)

// accountDump is the account's part of a dump.
type accountDump struct {
	ID             int64           `json:"id"`
	Features       []string        `json:"features"`
	Users          []User          `json:"users"`
	Keys           []Key           `json:"keys"`
	Policies       []Policy        `json:"policies"`
	PolicyGroups   []PolicyGroup   `json:"policyGroups"`
	ProfileOptions []ProfileOption `json:"profileOptions"`
	OAuthClients   []OAuthClient   `json:"oauthClients"`
	OAuthTokens    []OAuthToken    `json:"oauthTokens"`
	OAuthCodes     []OAuthCode     `json:"oauthCodes"`
	Partners       []Partner       `json:"partners"`
}

func (a *Account) dump() accountDump {
	return accountDump{
		ID: a.ID, Features: append([]string{}, a.Features...),
		Users: rowsOf(&a.Users), Keys: a.AllKeys(),
		Policies: rowsOf(&a.Policies), PolicyGroups: rowsOf(&a.PolicyGroups),
		ProfileOptions: append([]ProfileOption{}, a.ProfileOptions...),
		OAuthClients:   rowsOf(&a.OAuthClients), OAuthTokens: rowsOf(&a.OAuthTokens), OAuthCodes: rowsOf(&a.OAuthCodes),
		Partners: append([]Partner{}, a.Partners...),
	}
}

func (l *loader) account(d *accountDump) {
	a := &l.w.Account
	a.ID, a.ProfileOptions, a.Partners = cmp.Or(d.ID, 1), d.ProfileOptions, d.Partners
	a.Features = slices.Compact(slices.Sorted(slices.Values(d.Features)))
	if d.ID < 0 || d.ID > maxID {
		l.wrong("account", d.ID, "want an id from 0 to %d", maxID)
	}
	rows(l, "user", d.Users, &a.Users, func(r User) int64 { return r.ID })
	rows(l, "core.policy", d.Policies, &a.Policies, func(r Policy) int64 { return r.ID })
	rows(l, "core.policy_group", d.PolicyGroups, &a.PolicyGroups, func(r PolicyGroup) int64 { return r.ID })
	rows(l, "core.oauth_client", d.OAuthClients, &a.OAuthClients, func(r OAuthClient) int64 { return r.ID })
	rows(l, "core.oauth_token", d.OAuthTokens, &a.OAuthTokens, func(r OAuthToken) int64 { return r.ID })
	rows(l, "core.oauth_code", d.OAuthCodes, &a.OAuthCodes, func(r OAuthCode) int64 { return r.ID })
	l.users(d)
	l.keys(d)
	l.grants(d)
	l.oauth(d)
	unique(l, "partner", d.Partners, func(p Partner) string { return p.Key })
}

// unique wants texts that are not empty and not there twice. It does not say them, as some are secret.
func unique[R any](l *loader, kind string, from []R, text func(R) string) {
	seen := map[string]bool{"": true}
	for i, row := range from {
		if seen[text(row)] {
			l.wrong(kind, i+1, "what it is known by is empty, or there twice")
		}
		seen[text(row)] = true
	}
}

func (l *loader) users(d *accountDump) {
	a := &l.w.Account
	unique(l, "user with an email", slices.DeleteFunc(slices.Clone(d.Users), func(u User) bool {
		return u.Email == "" || !u.DeletedAt.IsZero()
	}), func(u User) string { return u.Email })
	for _, u := range d.Users {
		switch u.Role {
		case Owner, Administrator, Restricted, SubUser:
		default:
			l.wrong("user", u.ID, "role %q: want owner, administrator, restricted or sub_user", u.Role)
		}
		p, ok := a.Users.Get(u.Parent)
		switch {
		case u.Role == SubUser && (!ok || p.Role == SubUser):
			l.wrong("user", u.ID, "parent is %d: want a user who is no sub user", u.Parent)
		case u.Role != SubUser && u.Parent != 0:
			l.wrong("user", u.ID, "parent is %d: want 0, as only a sub user has one", u.Parent)
		}
		if u.Delegated && u.Role != Restricted || len(u.Manages) > 0 && !u.Delegated {
			l.wrong("user", u.ID, "want delegatedAdmin of restricted users only, and manages of delegated admins only")
		}
		for key := range u.Options {
			if !slices.ContainsFunc(d.ProfileOptions, func(o ProfileOption) bool { return o.Key == key }) {
				l.wrong("user", u.ID, "there is no profile option %s", key)
			}
		}
		known(l, "user", u.ID, "policy", u.Policies, &a.Policies)
		known(l, "user", u.ID, "policy group", u.Groups, &a.PolicyGroups)
		known(l, "user", u.ID, "policy group", u.Manages, &a.PolicyGroups)
	}
}

func (l *loader) keys(d *accountDump) {
	a := &l.w.Account
	for _, k := range d.Keys {
		if u, ok := a.Users.Get(k.User); !ok || !u.DeletedAt.IsZero() {
			l.wrong("key of user", k.User, "there is no such user")
		}
		_, twice := a.Keys.Get(k.Key)
		_, formTwice := a.Keys.Get(a.PlatformKey(k))
		if twice || formTwice || k.Key == "" {
			l.wrong("key of user", k.User, "want a key that is not empty and not there twice")
		}
		a.PutKey(k)
	}
}

func (l *loader) grants(d *accountDump) {
	unique(l, "policy", d.Policies, func(p Policy) string { return p.Name })
	unique(l, "policy group", d.PolicyGroups, func(g PolicyGroup) string { return g.TaggableName })
	unique(l, "profile option", d.ProfileOptions, func(o ProfileOption) string { return o.Key })
	for _, g := range d.PolicyGroups {
		known(l, "policy group", g.ID, "policy", g.Policies, &l.w.Account.Policies)
	}
}

func (l *loader) oauth(d *accountDump) {
	a := &l.w.Account
	unique(l, "OAuth client", d.OAuthClients, func(c OAuthClient) string { return c.ClientID })
	for _, t := range d.OAuthTokens {
		known(l, "OAuth token", t.ID, "OAuth client", []int64{t.Client}, &a.OAuthClients)
		known(l, "OAuth token", t.ID, "user", []int64{t.User}, &a.Users)
	}
	for _, c := range d.OAuthCodes {
		known(l, "OAuth code", c.ID, "OAuth client", []int64{c.Client}, &a.OAuthClients)
		known(l, "OAuth code", c.ID, "user", []int64{c.User}, &a.Users)
	}
}

// known wants every id that a row refers to in a table, and none twice.
func known[R any](l *loader, kind string, row int64, what string, ids []int64, in *table.Table[R]) {
	for i, id := range ids {
		if _, ok := in.Get(id); !ok || slices.Contains(ids[:i], id) {
			l.wrong(kind, row, "%s %d is not there, or listed twice", what, id)
		}
	}
}
