package mockserver_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
)

// askedByKey are calls whose answers show who asks, and what that one may do.
var askedByKey = []string{
	"/core/v3/database/list?require_permissions=true", "/core/v3/access_control/policies", "/core/v3/sub_user/list",
	"/workflow/api/pools", "/llm/api/users/current", "/audience/audiences/61/segments", "/dwh/v1/dwh/",
}

// answersTo are the answers that a key gets on every interface but ingestion.
func answersTo(t *testing.T, s *mockserver.Server, key string) []string {
	t.Helper()
	var list []string
	for _, path := range askedByKey {
		list = append(list, mocktest.Call(t, s, "GET", path, "", "Authorization", "SVC1 "+key).Body)
	}
	return list
}

func TestEveryKeyOfAScenarioIsGoodInThePlatformsOwnForm(t *testing.T) {
	t.Parallel()
	for _, name := range scenarios.List() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario, err := scenarios.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			s := mocktest.NewServer(t, mockserver.WithScenario(name))
			account := scenario.Fixture.Account
			nobody := answersTo(t, s, "1/nobody")
			for _, key := range account.Keys {
				form := account.PlatformKey(key)
				if form == key.Key || !specs.IsPlatformKey(form) {
					t.Errorf("%s has the form %s", key.Key, form)
				}
				want := answersTo(t, s, key.Key)
				if diff := cmp.Diff(want, answersTo(t, s, form)); diff != "" {
					t.Errorf("as %s, otherwise known as %s (-want +got):\n%s", form, key.Key, diff)
				}
				if cmp.Equal(want, nobody) {
					t.Errorf("%s is nobody's", key.Key)
				}
			}
		})
	}
}

func TestPlatformKeys(t *testing.T) {
	t.Parallel()
	const event = "/ingestion/postback/v3/event/shop/page_views"
	count := func(t *testing.T, s *mockserver.Server) int {
		t.Helper()
		return mocktest.Decode[struct{ Count int }](mocktest.Call(t, s, "GET", "/core/v3/table/show/shop/page_views", "")).Count
	}
	t.Run("a write-only key imports by either form, and may do nothing else", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("quickstart"))
		write, before := specs.PlatformKey(1, "1/write"), count(t, s)
		for _, headers := range [][]string{
			{"Authorization", "SVC1 " + write},
			{"Authorization", "", "X-Svc-Write-Key", write},
			{"Authorization", "", "X-Svc-Write-Key", "1/write"},
		} {
			mocktest.Call(t, s, "POST", event, `{"path":"/"}`, headers...).Want(200)
		}
		if got := count(t, s); got != before+3 {
			t.Errorf("%d records, want %d", got, before+3)
		}
		mocktest.Call(t, s, "GET", "/core/v3/database/list", "", "Authorization", "SVC1 "+write).Want(403)
	})
	t.Run("a removed sub user loses both forms", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("full-account"))
		kiosk := specs.PlatformKey(1, "1/kiosk")
		mocktest.Call(t, s, "GET", "/core/v3/job/list", "", "Authorization", "SVC1 "+kiosk).Want(200)
		mocktest.Call(t, s, "POST", "/core/v3/sub_user/remove/5", "").Want(200)
		for _, key := range []string{kiosk, "1/kiosk"} {
			mocktest.Call(t, s, "GET", "/core/v3/job/list", "", "Authorization", "SVC1 "+key).Want(401)
		}
	})
	t.Run("keys of a fixture have the id of its account, also after the state was dumped and loaded", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
		mine := specs.PlatformKey(7, "key-of-mine")
		err := s.World("").Load([]byte(`
account:
  id: 42
  users: [{id: 9, name: Nina, email: nina@shop.example, role: owner}]
  keys: [{key: build-bot, user: nina@shop.example}, {key: ` + mine + `, user: nina@shop.example}]
`))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for key, status := range map[string]int{
				"build-bot": 200, specs.PlatformKey(42, "build-bot"): 200, specs.PlatformKey(1, "build-bot"): 401,
				mine: 200, "key-of-mine": 401,
			} {
				mocktest.Call(t, s, "GET", "/core/v3/job/list", "", "Authorization", "SVC1 "+key).Want(status)
			}
			state, err := s.World("").State()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.World("").Load(state); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("the journal does not have it, wherever it was sent", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("quickstart"))
		key := specs.PlatformKey(1, "1/admin")
		mocktest.Call(t, s, "POST", "/core/v3/table/update/shop/orders?description=key+"+key, `{"description":"ask as `+key+`"}`,
			"Authorization", "SVC1 "+key).Want(200)
		mocktest.Call(t, s, "GET", "/core/v3/table/show/shop/orders?include_descriptions=true", "", "X-Note",
			"not "+key).Want(200)
		for _, path := range []string{"journal.ndjson", "journal.har", "journal"} {
			journal := mocktest.Call(t, s, "GET", "/_understudy/worlds/default/"+path, "").Want(200).Body
			if strings.Contains(journal, key[2:]) || !strings.Contains(journal, "ask as ") {
				t.Errorf("%s: %s", path, journal)
			}
		}
	})
	t.Run("minted keys have the form, are different, and lead into their worlds", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t, mockserver.WithScenario("empty"))
		seen := map[string]bool{}
		check := func(key, world string, status int) {
			t.Helper()
			if seen[key] || !regexp.MustCompile(`^1/[0-9a-f]{40}$`).MatchString(key) {
				t.Errorf("the key %s of world %s", key, world)
			}
			seen[key] = true
			mocktest.Call(t, s, "GET", "/core/v3/job/list", "", "Authorization", "SVC1 "+key).Want(status)
			if got := s.World(world).Calls("core.listJobs", status); got != 1 {
				t.Errorf("world %s saw %d calls", world, got)
			}
		}
		for _, world := range []string{"one", "two"} {
			made := mocktest.Call(t, s, "POST", "/_understudy/worlds", `{"id":"`+world+`","mintKeys":true}`).Want(201)
			keys := mocktest.Decode[struct{ Keys map[string]string }](made).Keys
			check(keys["admin"], world, 200)
			check(keys["write"], world, 403)
		}
		for range 2 {
			fork := s.World("one").Fork()
			check(fork.Key(), fork.ID(), 200)
		}
	})
}
