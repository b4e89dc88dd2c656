package access

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/seed"
	"svc.example/understudy/mockserver/internal/world"
)

// SeedAccount creates the account that a fixture describes. It runs before all other seeds, whose rows have owners;
// SeedGrants adds the rights on databases that policies grant. The error names everything that cannot be created.
func SeedAccount(w *world.State, f fixtures.Account) error {
	s := accountSeed{
		Context: seed.Context{World: w, Part: "account"}, now: w.Now(),
		users: map[string]int64{}, policies: map[string]int64{}, groups: map[string]int64{},
		clients: map[string]int64{},
	}
	a := &w.Account
	a.ID = int64(cmp.Or(f.ID, 1))
	a.Plan, a.GuaranteedCores, a.MaximumCores = f.Plan, f.GuaranteedCores, f.MaximumCores
	a.CreatedAt = s.at(f.CreatedAt, time.Time{})
	a.Features = slices.Compact(slices.Sorted(slices.Values(f.Features)))
	for _, o := range f.ProfileOptions {
		a.ProfileOptions = append(a.ProfileOptions, world.ProfileOption(o))
	}
	s.seedPolicies(f.Policies)
	s.seedGroups(f.PolicyGroups)
	s.seedUsers(f.Users)
	for _, k := range f.Keys {
		user := s.find("user", k.User, s.users)
		a.PutKey(world.Key{Key: k.Key, User: user, WriteOnly: k.Kind == "write-only"})
	}
	s.seedOAuth(f)
	for _, p := range f.Partners {
		a.Partners = append(a.Partners, world.Partner{Account: int64(p.Account), Key: p.Key, Databases: p.Databases})
	}
	return s.Err()
}

// SeedGrants adds the rights on databases that a fixture grants to policies by name. It runs once the databases exist.
func SeedGrants(w *world.State, f fixtures.Account) error {
	var errs []error
	for i, p := range f.Policies {
		if len(p.Databases) == 0 {
			continue
		}
		row, _ := policyNamed(w, p.Name)
		entries := slices.Clone(row.Permissions[databaseKind])
		for _, operation := range slices.Sorted(maps.Keys(p.Databases)) {
			entry, err := databaseGrant(w, operation, p.Databases[operation])
			errs = append(errs, fixtures.At(err, "policy "+p.Name, "account", "policies", i, "databases", operation))
			entries = append(entries, entry)
		}
		granted := world.Permissions{}
		maps.Copy(granted, row.Permissions)
		granted[databaseKind] = entries
		row.Permissions = granted
		w.Account.Policies.Put(row.ID, row)
	}
	return errors.Join(errs...)
}

// databaseGrant returns the permission entry for an operation on the named databases; without names, on all of them.
func databaseGrant(w *world.State, operation string, names []string) (map[string]string, error) {
	entry := map[string]string{"operation": operation}
	var ids []string
	for _, name := range names {
		id, ok := w.Core.DatabaseNames.Get(name)
		if !ok {
			return entry, fmt.Errorf("database %q not found", name)
		}
		ids = append(ids, op.IDText(id))
	}
	if len(ids) > 0 {
		entry["ids"] = strings.Join(ids, ",")
	}
	return entry, nil
}

// accountSeed maps the names that a fixture uses to the ids of the rows of an account.
type accountSeed struct {
	seed.Context
	now time.Time

	users, policies, groups, clients map[string]int64
}

func (s *accountSeed) find(kind, name string, known map[string]int64) int64 {
	id, ok := known[name]
	if !ok {
		s.Add(fmt.Errorf("%s %q not found", kind, name))
	}
	return id
}

func (s *accountSeed) findAll(kind string, names []string, known map[string]int64) []int64 {
	var ids []int64
	for _, name := range names {
		if id := s.find(kind, name, known); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// at returns a moment, or fallback if the fixture leaves it out.
func (s *accountSeed) at(i fixtures.Instant, fallback time.Time) time.Time {
	at, err := s.Moment(i, fallback)
	s.Add(err)
	return at
}

func (s *accountSeed) seedPolicies(policies []fixtures.Policy) {
	for _, p := range policies {
		row := world.Policy{
			ID: s.ID("core.policy", p.ID), Name: p.Name, Description: p.Description,
			Permissions: world.Permissions(p.Permissions),
		}
		for _, c := range p.ColumnPermissions {
			row.ColumnPermissions = append(row.ColumnPermissions, world.ColumnPermission(c))
		}
		s.policies[p.Name] = row.ID
		s.World.Account.Policies.Put(row.ID, row)
	}
}

func (s *accountSeed) seedGroups(groups []fixtures.PolicyGroup) {
	for i, g := range groups {
		row := world.PolicyGroup{
			ID: s.ID("core.policy_group", g.ID), Name: g.Name, TaggableName: cmp.Or(g.TaggableName, taggable(g.Name)),
			Policies:  s.findAll("policy", g.Policies, s.policies),
			CreatedAt: s.at(g.CreatedAt, s.now),
		}
		row.UpdatedAt = s.at(g.UpdatedAt, row.CreatedAt)
		if g.Description != "" {
			row.Description = &g.Description
		}
		if other, taken := s.World.Account.GroupTagged(row.TaggableName); taken {
			err := fmt.Errorf("group %s already has the taggable name %s", other.Name, other.TaggableName)
			s.Check(err, "policy group "+g.Name, "policyGroups", i, "name")
		}
		s.groups[g.Name] = row.ID
		s.World.Account.PolicyGroups.Put(row.ID, row)
		s.World.Account.ChangedPolicyGroup(nil, &row)
	}
}

func (s *accountSeed) seedUsers(users []fixtures.User) {
	for _, u := range users {
		s.users[u.Ref()] = int64(u.ID)
	}
	for _, u := range users {
		row := world.User{
			ID: int64(u.ID), Name: u.Name, Email: u.Email, Role: world.Role(u.Role), Delegated: u.DelegatedAdmin,
			Policies:    s.findAll("policy", u.Policies, s.policies),
			Groups:      s.findAll("policy group", u.Groups, s.groups),
			Manages:     s.findAll("policy group", u.Manages, s.groups),
			Permissions: world.Permissions(u.Permissions), Options: u.Options, LLMID: u.LLMID,
			CreatedAt: s.at(u.CreatedAt, s.now),
		}
		row.UpdatedAt = s.at(u.UpdatedAt, row.CreatedAt)
		if u.Parent != "" {
			row.Parent = s.find("user", u.Parent, s.users)
		}
		s.World.Account.PutUser(row)
	}
}

func (s *accountSeed) seedOAuth(f fixtures.Account) {
	a := &s.World.Account
	for _, c := range f.OAuthClients {
		id := s.World.NewID("core.oauth_client")
		s.clients[c.ClientID] = id
		a.OAuthClients.Put(id, world.OAuthClient{ID: id, ClientID: c.ClientID, Name: c.Name})
	}
	for _, t := range f.OAuthTokens {
		id := s.ID("core.oauth_token", t.ID)
		a.OAuthTokens.Put(id, world.OAuthToken{
			ID:     id,
			Client: s.find("OAuth client", t.Client, s.clients), User: s.find("user", t.User, s.users),
			Scopes: append([]string{}, t.Scopes...), Refreshable: t.Refreshable,
			CreatedAt: s.at(t.CreatedAt, s.now), ExpiresAt: s.at(t.ExpiresAt, time.Time{}),
			LastUsedAt: s.at(t.LastUsedAt, time.Time{}), RevokedAt: s.at(t.RevokedAt, time.Time{}),
		})
	}
	for _, c := range f.OAuthCodes {
		id := s.World.NewID("core.oauth_code")
		a.OAuthCodes.Put(id, world.OAuthCode{
			ID:     id,
			Client: s.find("OAuth client", c.Client, s.clients), User: s.find("user", c.User, s.users),
			CreatedAt: s.at(c.CreatedAt, s.now), ExchangedAt: s.at(c.ExchangedAt, time.Time{}),
			RevokedAt: s.at(c.RevokedAt, time.Time{}),
		})
	}
}
