package match_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

func documents(iface specs.Interface) (*specs.Document, error) {
	return specs.Load(iface, specs.Neutral)
}

// A call matches if all given members match, and then it has all the traits of the description.
func TestMatches(t *testing.T) {
	t.Parallel()
	account := &world.Account{ID: 1}
	account.Users.Put(7, world.User{ID: 7, Email: "mia@shop.example"})
	account.PutKey(world.Key{Key: "1/mia", User: 7})
	account.Users.Put(8, world.User{ID: 8, Name: "Jo"})
	account.PutKey(world.Key{Key: "1/Jo", User: 8})
	platform := specs.PlatformKey(1, "1/mia")
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
		{`{"caller":"mia@ſhop.example"}`, call(nil), true},
		{`{"caller":"Jo"}`, call(func(r *match.Request) { r.Key = "1/Jo" }), true},
		{`{"caller":"jo"}`, call(func(r *match.Request) { r.Key = "1/Jo" }), false},
		{`{"caller":"1/mia"}`, call(func(r *match.Request) { r.Key = platform }), true},
		{`{"caller":"1/admin"}`, call(nil), false},
		{`{"caller":"mia@shop.example"}`, call(func(r *match.Request) { r.Key = "1/other" }), false},
		{`{"caller":"mia@shop.example"}`, call(func(r *match.Request) { r.Account = nil }), false},
		{`{"request":{"query":{"a":"2"}}}`, call(nil), true},
		{`{"request":{"body":{"query":"select 1","none":null,"priority":1}}}`, call(nil), true},
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
		{`{"request":{"matches":{}}}`, call(nil), true},
		{`{"request":{"matches":{"path":"^/job/issue/(hive|trino)/shop db$"}}}`, call(nil), true},
		{`{"request":{"matches":{"path":"^/issue"}}}`, call(nil), false},
		{`{"request":{"matches":{"query":{"a":"^[2-9]$"}}}}`, call(nil), true},
		{`{"request":{"matches":{"query":{"a":"^[3-9]$"}}}}`, call(nil), false},
		{`{"request":{"matches":{"query":{"b":""}}}}`, call(nil), false},
		{`{"request":{"matches":{"headers":{"x-try":"[0-9]","Content-Type":"json"}}}}`, call(nil), true},
		{`{"request":{"matches":{"headers":{"x-try":"^[a-z]"}}}}`, call(nil), false},
		{`{"request":{"matches":{"body":{"query":"^select [0-9]$","priority":"^1","tags":["^[a-z]$",{"b":"1"}]}}}}`, call(nil), true},
		{`{"request":{"matches":{"body":{"query":"^insert"}}}}`, call(nil), false},
		{`{"request":{"matches":{"body":{"priority":1,"none":null}}}}`, call(nil), true},
		{`{"request":{"matches":{"body":{"none":".*"}}}}`, call(nil), false},
		{`{"request":{"matches":{"body":{"tags":".*"}}}}`, call(nil), false},
		{`{"request":{"matches":{"body":{"query":"^x$"}}}}`, form, true},
		{`{"request":{"matches":{"body":{"query":""}}}}`, broken, false},
		{`{"request":{"query":{"a":"1"},"matches":{"query":{"a":"^2$"}}}}`, call(nil), true},
		{`{"request":{"query":{"a":"^1$"}}}`, call(nil), false},
		{`{"request":{"matches":{"body":{"query":"a"}}}}`, call(func(r *match.Request) {
			r.Body = []byte(`{"query":"` + strings.Repeat("a", 70_000) + `"}`)
		}), false},
		{`{"request":{"body":{"query":"x","n":["1","2"]}}}`, form, true},
		{`{"request":{"body":{"n":"1"}}}`, form, false},
	} {
		var calls match.Calls
		if err := json.Unmarshal([]byte(test.calls), &calls); err != nil {
			t.Fatal(err)
		}
		m, err := match.Compile(calls, match.Documents{Names: specs.Interfaces(), Of: documents})
		if err != nil {
			t.Errorf("%s: %v", test.calls, err)
			continue
		}
		core, _ := documents(specs.Core)
		if got := m.Matches(core.Operation("issueJob"), test.call); got != test.want {
			t.Errorf("%s: got %v, want %v", test.calls, got, test.want)
		}
		for _, trait := range m.Traits(specs.Core) {
			if test.want && !slices.Contains(test.call.Values(trait.Part), trait.Value) {
				t.Errorf("%s: the call has not the trait %+v", test.calls, trait)
			}
		}
		if m.Matches(nil, test.call) {
			t.Errorf("%s: a call of no operation is meant", test.calls)
		}
	}
}

// matching describes calls by patterns.
func matching(p fixtures.RequestPatterns) match.Calls {
	return match.Calls{Request: fixtures.RequestParts{Matches: &p}}
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
		{matching(fixtures.RequestPatterns{Path: "("}), `request.matches.path: "(" is not a regular expression of RE2: error parsing`},
		{matching(fixtures.RequestPatterns{Query: map[string]string{"a": `(?=x)`}}), `request.matches.query.a: "(?=x)" is not`},
		{matching(fixtures.RequestPatterns{Headers: map[string]string{"X-A": `(\w{500}){2}`}}), `repeats too much`},
		{matching(fixtures.RequestPatterns{Body: map[string]any{"a": "((a{100}){100}){100}"}}), `request.matches.body: "((a{100}`},
		{matching(fixtures.RequestPatterns{Path: strings.Repeat("a", 501)}), `a pattern of 501 bytes: want at most 500`},
		{matching(fixtures.RequestPatterns{Body: make([]string, 200)}), `want at most 100 patterns`},
	} {
		_, err := match.Compile(test.calls, match.Documents{Names: specs.Interfaces(), Of: documents})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %s", test.calls, err, test.want)
		}
	}
}

// A description names the operations and the only path that it can mean, so that others need not be asked about it.
func TestOperations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		calls      match.Calls
		operations []match.Key // nil: all
		traits     int
	}{
		{match.Calls{Path: "/api/pools/7/", Method: "GET"}, []match.Key{{Interface: specs.Workflow, ID: "getPool"}}, 1},
		{match.Calls{Path: "/api/pools/*", Method: "GET"}, []match.Key{{Interface: specs.Workflow, ID: "getPool"}}, 0},
		{match.Calls{}, nil, 0},
		{match.Calls{Caller: "1/mia", Request: fixtures.RequestParts{
			Query: map[string]string{"a": "b"}, Body: map[string]any{"a": "b", "n": 1, "o": map[string]any{"p": "q"}},
		}}, nil, 3},
	} {
		m, err := match.Compile(test.calls, match.Documents{Names: specs.Interfaces(), Of: documents})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.operations, m.Operations()); diff != "" {
			t.Errorf("%+v: (-want +got)\n%s", test.calls, diff)
		}
		if got := m.Traits(specs.Workflow); len(got) != test.traits {
			t.Errorf("%+v has the traits %+v, want %d", test.calls, got, test.traits)
		}
	}
}

// Users are found by their email whatever the case of its letters is, in any script.
func TestCallersByEmail(t *testing.T) {
	t.Parallel()
	core, _ := documents(specs.Core)
	account := &world.Account{ID: 1}
	account.PutKey(world.Key{Key: "1/mia", User: 7})
	for r := range unicode.MaxRune {
		if unicode.SimpleFold(r) == r {
			continue
		}
		account.Users.Put(7, world.User{ID: 7, Email: string(r) + "@shop.example"})
		m, err := match.Compile(match.Calls{Caller: string(unicode.SimpleFold(r)) + "@SHOP.example"}, match.Documents{Names: specs.Interfaces(), Of: documents})
		if err != nil {
			t.Fatal(err)
		}
		call := &match.Request{Key: "1/mia", Account: account}
		trait := m.Traits(specs.Core)[0]
		if !m.Matches(core.Operation("issueJob"), call) || !slices.Contains(call.Values(trait.Part), trait.Value) {
			t.Errorf("%c: the user is not found, or has not the trait %+v", r, trait)
		}
	}
}
