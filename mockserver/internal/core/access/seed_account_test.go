package access_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

func TestSeedAccount(t *testing.T) {
	t.Parallel()
	t.Run("rows without ids get free ones, and later rows others", func(t *testing.T) {
		t.Parallel()
		w := &world.State{Clock: clock.New(clock.Frozen, mocktest.Now)}
		account := fixtures.Account{Policies: []fixtures.Policy{{Name: "a"}, {Name: "b", ID: 5}, {Name: "c"}}}
		fixtures.Fixture{Account: account}.EachID(w.Reserve)
		if err := access.SeedAccount(w, account); err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for id := range table.All(&w.Account.Policies) {
			ids = append(ids, id)
		}
		if next := w.NewID("core.policy"); !slices.Equal(ids, []int64{5, 6, 7}) || next != 8 {
			t.Errorf("ids %v and then %d, want 5 to 7 and then 8", ids, next)
		}
	})
	t.Run("a sub user and its parent may come in any order", func(t *testing.T) {
		t.Parallel()
		w := &world.State{Clock: clock.New(clock.Frozen, mocktest.Now)}
		err := access.SeedAccount(w, fixtures.Account{Users: []fixtures.User{
			{ID: 1, Name: "kiosk", Role: "sub_user", Parent: "ana@shop.example"},
			{ID: 2, Name: "Ana", Email: "ana@shop.example", Role: "restricted"},
		}})
		if u, _ := w.Account.Users.Get(1); err != nil || u.Parent != 2 {
			t.Errorf("parent %d, error %v; want 2", u.Parent, err)
		}
	})
	t.Run("names are resolved, and what is not there is said", func(t *testing.T) {
		t.Parallel()
		w := &world.State{Clock: clock.New(clock.Frozen, mocktest.Now)}
		err := access.SeedAccount(w, fixtures.Account{
			Users:        []fixtures.User{{ID: 1, Name: "Ana", Role: "restricted", Policies: []string{"x"}, CreatedAt: "soon"}},
			Keys:         []fixtures.Key{{Key: "1/a", User: "Bo"}},
			PolicyGroups: []fixtures.PolicyGroup{{Name: "A b"}, {Name: "a-B"}},
			OAuthTokens:  []fixtures.OAuthToken{{Client: "app", User: "Ana"}},
		})
		for _, word := range []string{`policy "x"`, `user "Bo"`, `"soon"`, "group A b", "a_b", `client "app"`} {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("error %v, want %s in it", err, word)
			}
		}
	})
	t.Run("rights on databases by name are added to the permissions once the databases are there", func(t *testing.T) {
		t.Parallel()
		account := fixtures.Account{Policies: []fixtures.Policy{
			{Name: "bare"},
			{
				Name: "analysts",
				Permissions: fixtures.Permissions{
					"Databases": {{"operation": "download"}}, "Sources": {{"operation": "full"}},
				},
				Databases: map[string][]string{"query": {"shop", "crm"}, "import": {"crm"}, "manage": {}},
			},
		}}
		w := world.State{Clock: clock.New(clock.Frozen, mocktest.Now)}
		if err := access.SeedAccount(&w, account); err != nil {
			t.Fatal(err)
		}
		w.Core.DatabaseNames.Put("shop", 11)
		fork, want := w, `policy analysts: database "crm" not found`
		if err := access.SeedGrants(&fork, account); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		w.Core.DatabaseNames.Put("crm", 12)
		if err := access.SeedGrants(&w, account); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(slices.Collect(maps.Values(maps.Collect(table.All(&w.Account.Policies)))))
		want = `"permissions":{"Databases":[{"operation":"download"},{"ids":"12","operation":"import"},` +
			`{"operation":"manage"},{"ids":"11,12","operation":"query"}],"Sources":[{"operation":"full"}]}`
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("policies %s, %v; want %s", text, err, want)
		}
	})
}
