package core_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/core"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// accessRules applies rules to the world of tokens without a server, so that some of them can be switched off.
type accessRules struct {
	*testing.T
	world world.World
	doc   *specs.Document
	table map[string]*op.Route
	skip  op.Skips
}

func newAccessRules(t *testing.T, skip ...string) *accessRules {
	t.Helper()
	doc, err := specs.Load("core", specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	iface := core.Interface(core.Engine{})
	table, err := iface.Table(doc)
	if err != nil {
		t.Fatal(err)
	}
	r := &accessRules{T: t, world: world.World{Clock: clock.New(clock.Frozen, now)}, doc: doc, table: table, skip: op.Skips{}}
	for _, name := range skip {
		r.skip[name] = true
	}
	fixture, err := fixtures.Read("tokens.yaml", []byte(shopTokens))
	if err != nil {
		t.Fatal(err)
	}
	if err := core.SeedAccount(&r.world, fixture.Account); err != nil {
		t.Fatal(err)
	}
	return r
}

// call answers the status, and the body as text. Who may not call at all is refused before a rule is asked.
func (r *accessRules) call(key, method, path, body string) (status int, answer string) {
	r.Helper()
	u, err := url.Parse(path)
	if err != nil {
		r.Fatal(err)
	}
	caller, ok := r.world.Account.Caller(key)
	if !ok {
		return http.StatusUnauthorized, ""
	}
	match := r.doc.Find(method, u.EscapedPath())
	c := &op.Call{
		World: &r.world, Operation: match.Operation, Match: &match, Query: u.Query(), Body: []byte(body),
		Key: key, Caller: caller, Now: now, Skip: r.skip,
	}
	reply, err := r.table[match.Operation.ID].Rule(c)
	if refusal, ok := errors.AsType[*op.Error](err); ok {
		iface := core.Interface(core.Engine{})
		reply = iface.Error(nil, op.Errors{refusal})
	} else if err != nil {
		r.Fatal(err)
	}
	text, err := json.Marshal(reply.Body)
	if err != nil {
		r.Fatal(err)
	}
	return max(reply.Status, http.StatusOK), string(text)
}

// Each rule that can be switched off does what its name says, and nothing else.
func TestAccessSkips(t *testing.T) {
	t.Parallel()
	type step struct{ key, method, path, body string }
	var (
		removeToken   = step{"1/admin", "POST", "/oauth_token/remove/51", ""}
		removeSubUser = step{"1/admin", "POST", "/sub_user/remove/5", ""}
		list          = step{"1/admin", "GET", "/oauth_token/list", ""}
		listSubUsers  = step{"1/admin", "GET", "/sub_user/list", ""}
		connect       = step{"1/admin", "POST", "/result/create/abc", `{"url":"s3://x"}`}
		disconnect    = step{"1/admin", "POST", "/result/delete/abc", ""}
	)
	for _, test := range []struct {
		name, skip string
		before     []step
		ask        step
		on, off    string // what the answer has when the rule is on, and when it is off
	}{
		{"a removed token", core.SkipTokenItself, []step{removeToken}, list, `!"id":51`, `"id":51`},
		{"its siblings", core.SkipTokenItself, []step{removeToken}, list, `!"id":52`, `!"id":52`},
		{"siblings", core.SkipTokenSiblings, []step{removeToken}, list, `!"id":52`, `"id":52`},
		{"the token itself", core.SkipTokenSiblings, []step{removeToken}, list, `!"id":51`, `!"id":51`},
		{"keys", core.SkipSubUserKeys, []step{removeSubUser}, step{"1/kiosk", "GET", "/oauth_token/list", ""}, "401", "200"},
		{"the list", core.SkipSubUserList, []step{removeSubUser}, listSubUsers, `!kiosk`, `kiosk`},
		{"tokens", core.SkipSubUserTokens, []step{removeSubUser}, list, `!"id":57`, `"id":57`},
		{
			"the export", core.SkipExportRole, nil,
			step{"1/analyst", "GET", "/access_control/policies/export?policy_ids=21", ""},
			"403", "200",
		},
		{
			"options", core.SkipOptionsRole, nil,
			step{"1/analyst", "PUT", "/access_control/users/3/profile_options/time_zone", `{"value":"x"}`},
			"403", "200",
		},
		{
			"the deletion of options", core.SkipOptionsRole, nil,
			step{"1/analyst", "DELETE", "/access_control/users/3/profile_options/time_zone", ""},
			"403", "204",
		},
		{"sub users", core.SkipSubUserRole, nil, step{"1/kiosk", "GET", "/sub_user/list", ""}, "403", "200"},
		{"a connection", core.SkipConnectionDeletion, []step{connect, disconnect}, disconnect, "404", "200"},
		{
			"a policy", core.SkipPolicyDeletion,
			[]step{{"1/admin", "DELETE", "/access_control/policies/21", ""}},
			step{"1/admin", "GET", "/access_control/policies/21", ""},
			"404", "200",
		},
		{
			"users of a policy", core.SkipPolicyDeletion,
			[]step{{"1/admin", "DELETE", "/access_control/policies/21", ""}},
			step{"1/admin", "GET", "/access_control/users/3/policies", ""},
			"!analysts", "analysts",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for i, want := range []string{test.on, test.off} {
				r := newAccessRules(t, []string{test.skip}[:i]...)
				for _, s := range test.before {
					if status, answer := r.call(s.key, s.method, s.path, s.body); status != http.StatusOK {
						t.Fatalf("%s: %d %s", s.path, status, answer)
					}
				}
				status, answer := r.call(test.ask.key, test.ask.method, test.ask.path, test.ask.body)
				word, absent := strings.CutPrefix(want, "!")
				if got := http.StatusText(status) + " " + strconv.Itoa(status) + " " + answer; strings.Contains(got, word) == absent {
					t.Errorf("with %v off: %s, want %s", r.skip, got, want)
				}
			}
		})
	}
}

func TestConnectorsOfAnAccount(t *testing.T) {
	t.Parallel()
	r := newAccessRules(t)
	r.world.Core.Restrictions = map[string]map[string]bool{"sftp": {"import": true}, "s3": {"export": false}}
	const path = "/connector_configs/validate_with_connection"
	if status, answer := r.call("1/admin", "POST", path, `{"type":"s3","settings":{}}`); status != http.StatusOK {
		t.Errorf("a connector of the account: %d %s", status, answer)
	}
	status, answer := r.call("1/admin", "POST", path, `{"type":"ftp","settings":{}}`)
	if status != http.StatusUnprocessableEntity || !strings.Contains(answer, `connector \"ftp\"`) {
		t.Errorf("a connector that the account has not: %d %s", status, answer)
	}
	_, answer = r.call("1/admin", "GET", "/data_connector_restrictions", "")
	if want := `{"s3":{"export":false},"sftp":{"import":true}}`; answer != want {
		t.Errorf("restrictions %s, want %s", answer, want)
	}
}
