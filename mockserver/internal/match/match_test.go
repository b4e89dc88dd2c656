package match_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

func documents(iface specs.Interface) (*specs.Document, error) {
	return specs.Load(iface, specs.Neutral)
}

// A call is meant if it fits everything that is given.
func TestMatches(t *testing.T) {
	t.Parallel()
	account := &world.Account{ID: 1}
	account.Users.Put(7, world.User{ID: 7, Email: "mia@shop.example"})
	account.PutKey(world.Key{Key: "1/mia", User: 7})
	call := func(change func(*match.Request)) *match.Request {
		r := &match.Request{
			Path: "/job/issue/hive/shop%20db", RawQuery: "a=1&a=2", Key: "1/mia", Account: account,
			Header: http.Header{"X-Try": {"2"}, "Content-Type": {"application/json"}},
			Body:   []byte(`{"query":"select 1","priority":1.0,"tags":["a",{"b":1,"c":2}],"none":null}`),
		}
		if change != nil {
			change(r)
		}
		return r
	}
	form := call(func(r *match.Request) {
		r.Header, r.Body = http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}, []byte("query=x&n=1&n=2")
	})
	broken := call(func(r *match.Request) { r.Body = []byte(`{"query"`) })
	platform := specs.PlatformKey(1, "1/mia")
	for _, test := range []struct {
		calls string
		call  *match.Request
		want  bool
	}{
		{`{}`, call(nil), true},
		{`{"operation":"core.issueJob"}`, call(nil), true},
		{`{"operation":"core.*"}`, call(nil), true},
		{`{"operation":"*.issue*"}`, call(nil), true},
		{`{"operation":"core.killJob"}`, call(nil), false},
		{`{"operation":"workflow.*"}`, call(nil), false},
		{`{"interface":"core"}`, call(nil), true},
		{`{"interface":"workflow"}`, call(nil), false},
		{`{"method":"post"}`, call(nil), true},
		{`{"method":"GET"}`, call(nil), false},
		{`{"path":"/job/issue/*/*"}`, call(nil), true},
		{`{"path":"/v3/job/issue/**"}`, call(nil), true},
		{`{"path":"/job/issue/hive/shop db/"}`, call(nil), true},
		{`{"path":"/**"}`, call(nil), true},
		{`{"path":"/job/issue/{hive,trino}/*"}`, call(nil), true},
		{`{"path":"/job/issue/trino/*"}`, call(nil), false},
		{`{"path":"/api/pools/*"}`, call(nil), false},
		{`{"caller":"1/mia"}`, call(nil), true},
		{`{"caller":"` + platform + `"}`, call(nil), true},
		{`{"caller":"Mia@shop.example"}`, call(nil), true},
		{`{"caller":"1/admin"}`, call(nil), false},
		{`{"caller":"mia@shop.example"}`, call(func(r *match.Request) { r.Key = "1/other" }), false},
		{`{"caller":"mia@shop.example"}`, call(func(r *match.Request) { r.Account = nil }), false},
		{`{"request":{"query":{"a":"2"}}}`, call(nil), true},
		{`{"request":{"query":{"a":"3"}}}`, call(nil), false},
		{`{"request":{"headers":{"x-try":"2"}}}`, call(nil), true},
		{`{"request":{"headers":{"x-try":"1"}}}`, call(nil), false},
		{`{"request":{"body":{"query":"select 1"}}}`, call(nil), true},
		{`{"request":{"body":{"priority":1}}}`, call(nil), true},
		{`{"request":{"body":{"priority":"1"}}}`, call(nil), false},
		{`{"request":{"body":{"tags":["a",{"c":2}]}}}`, call(nil), true},
		{`{"request":{"body":{"tags":["a"]}}}`, call(nil), false},
		{`{"request":{"body":{"none":null}}}`, call(nil), true},
		{`{"request":{"body":{"missing":null}}}`, call(nil), false},
		{`{"request":{"body":{}}}`, broken, false},
		{`{"request":{"body":{"query":"x","n":["1","2"]}}}`, form, true},
		{`{"request":{"body":{"n":"1"}}}`, form, false},
	} {
		var calls match.Calls
		if err := json.Unmarshal([]byte(test.calls), &calls); err != nil {
			t.Fatal(err)
		}
		m, err := match.Compile(calls, documents)
		if err != nil {
			t.Errorf("%s: %v", test.calls, err)
			continue
		}
		core, _ := documents(specs.Core)
		if got := m.Matches(core.Operation("issueJob"), test.call); got != test.want {
			t.Errorf("%s: got %v, want %v", test.calls, got, test.want)
		}
		if m.Matches(nil, test.call) {
			t.Errorf("%s: a call of no operation is meant", test.calls)
		}
	}
}

// What can fit no call is an error that says what could.
func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		calls match.Calls
		want  string
	}{
		{match.Calls{Operation: "core.isueJob"}, `operation: unknown operation "core.isueJob"; want perhaps core.issueJob`},
		{match.Calls{Operation: "cor.issueJob"}, `operation: unknown operation "cor.issueJob"; want the name of an interface`},
		{match.Calls{Operation: "cor*.x"}, `operation: unknown operation "cor*.x"`},
		{match.Calls{Operation: "core.[", Method: "FETCH"}, `operation: "core.[" is not a valid pattern`},
		{match.Calls{Interface: "cor"}, `interface: unknown interface "cor"; want core`},
		{match.Calls{Interface: "llm", Operation: "core.*"}, `operation: unknown operation "core.*" of the interface llm`},
		{match.Calls{Method: "FETCH"}, `method: unknown method "FETCH"; want`},
		{match.Calls{Path: "api/pools"}, `path: "api/pools" is not a valid pattern: want one such as`},
		{match.Calls{Path: "/api/pool/*"}, `path: no operation fits /api/pool/*`},
		{match.Calls{Operation: "workflow.getPool", Method: "PUT"}, `method: workflow.getPool is GET /api/pools/{`},
		{match.Calls{Path: "/["}, `path: "/[" is not a valid pattern`},
	} {
		_, err := match.Compile(test.calls, documents)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %s", test.calls, err, test.want)
		}
	}
}

// A description names the operations that it can mean, so that others need not be asked about it.
func TestOperations(t *testing.T) {
	t.Parallel()
	keys := func(calls match.Calls) ([]match.Key, string) {
		m, err := match.Compile(calls, documents)
		if err != nil {
			t.Fatal(err)
		}
		return m.Operations(), m.Address(specs.Workflow)
	}
	got, address := keys(match.Calls{Path: "/api/pools/7/", Method: "GET"})
	if diff := cmp.Diff([]match.Key{{Interface: specs.Workflow, ID: "getPool"}}, got); diff != "" || address != "/api/pools/7" {
		t.Errorf("(-want +got)\n%s\nat %q", diff, address)
	}
	if got, address = keys(match.Calls{Path: "/api/pools/*", Method: "GET"}); len(got) != 1 || address != "" {
		t.Errorf("got %v at %q, want one operation and no address", got, address)
	}
	if got, _ = keys(match.Calls{}); got != nil {
		t.Errorf("got %v, want nil for all operations", got)
	}
}
