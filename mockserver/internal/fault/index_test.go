package fault_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/internal/fault"
	"svc.example/understudy/mockserver/internal/match"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// pick returns one of some values.
func pick[T any](random *rand.Rand, values ...T) T { return values[random.IntN(len(values))] }

// anyCalls describes some calls, which share much with those that anyRequest returns.
func anyCalls(random *rand.Rand) (c fixtures.Calls) {
	c.Operation = pick(random, "", "", "workflow.*", "workflow.getPool", "workflow.updatePool", "core.*")
	c.Path = pick(random, "", "", "/api/pools/1", "/api/pools/*", "/api/pools/2/", "/**")
	if strings.HasPrefix(c.Operation, "core") {
		c.Path = ""
	}
	c.Caller = pick(random, "", "", "1/mia", "1/eve", specs.PlatformKey(1, "1/mia"), "Mia@shop.example", "Jo")
	parts := &c.Request
	if random.IntN(3) == 0 {
		parts.Query = map[string]string{pick(random, "a", "b"): pick(random, "1", "2")}
	}
	if random.IntN(3) == 0 {
		parts.Headers = map[string]string{pick(random, "X-A", "x-b"): pick(random, "1", "2")}
	}
	if random.IntN(3) == 0 {
		parts.Body = map[string]any{pick(random, "a", "b"): pick[any](random, "1", "2", 3)}
	}
	return c
}

func anyRequest(random *rand.Rand, account *world.Account) *match.Request {
	return &match.Request{
		Path:     pick(random, "/api/pools/1", "/api/pools/2", "/api/pools/%31/"),
		RawQuery: pick(random, "", "a=1", "a=1&a=1&b=2", "%zz"),
		Header: http.Header{
			"X-A": {pick(random, "1", "2")}, "X-B": {"1", pick(random, "1", "2")}, "Content-Type": {"application/json"},
		},
		Body:    []byte(pick(random, "", `{"a":"1"}`, `{"a":"2","b":3}`, `["a"]`, `{`)),
		Key:     pick(random, "", "1/mia", specs.PlatformKey(1, "1/mia"), "1/jo", "1/eve"),
		Account: account,
	}
}

// An index finds the same rules as a look at each of them, in the order of the plan.
func TestFind(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same numbers each time
	w := newWorld(1)
	account := &w.Account
	account.ID = 1
	account.Users.Put(7, world.User{ID: 7, Email: "mia@SHOP.example"})
	account.Users.Put(8, world.User{ID: 8, Name: "Jo"})
	account.PutKey(world.Key{Key: "1/mia", User: 7})
	account.PutKey(world.Key{Key: "1/jo", User: 8})
	var matchers []*match.Matcher
	for i := range 200 {
		calls := anyCalls(random)
		matcher, err := match.Compile(calls, match.Documents{Names: specs.Interfaces(), Of: documents})
		if err != nil { // as of a path that the operation cannot have
			continue
		}
		matchers = append(matchers, matcher)
		if _, err := fault.Plan(w, fixtures.Fault{ID: fmt.Sprintf("f%d", i), Calls: calls, Status: 503}, match.Documents{Names: specs.Interfaces(), Of: documents}); err != nil {
			t.Fatal(err)
		}
	}
	index, err := fault.NewIndex(w.Faults.Plan, nil, match.Documents{Names: specs.Interfaces(), Of: documents})
	if err != nil {
		t.Fatal(err)
	}
	workflow, _ := documents(specs.Workflow)
	matches := 0
	for range 1000 {
		operation := workflow.Operation(pick(random, "getPool", "updatePool"))
		request := anyRequest(random, account)
		var got, want []string
		for i, matcher := range matchers {
			if matcher.Matches(operation, request) {
				want = append(want, w.Faults.Plan[i].ID)
			}
		}
		for _, rule := range index.Find(operation, request) {
			got = append(got, rule.Fault.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s by %q, %+v: (-want +got)\n%s", operation.Name(), request.Key, request, diff)
		}
		matches += len(got)
	}
	if matches < 1000 {
		t.Errorf("only %d rules match", matches)
	}
}

// Rules that mean other calls cost a call no memory.
func TestFindAllocatesNothing(t *testing.T) { //nolint:paralleltest // others would allocate meanwhile
	for _, words := range []string{
		"core.issueJob nth=%d status=503", "path=/api/pools/1%d status=503", "caller=1/user-%d status=503",
		"caller=user-%d@shop.example status=503", "request.headers.X-Try=%d status=503",
	} {
		w := newWorld(1)
		w.Account.PutKey(world.Key{Key: "1/mia", User: 7})
		w.Account.Users.Put(7, world.User{ID: 7, Email: "mia@shop.example"})
		for i := range 20 {
			plan(t, w, fmt.Sprintf(words, i+1))
		}
		index, err := fault.NewIndex(w.Faults.Plan, nil, match.Documents{Names: specs.Interfaces(), Of: documents})
		if err != nil {
			t.Fatal(err)
		}
		workflow, _ := documents(specs.Workflow)
		operation, header := workflow.Operation("getPool"), http.Header{"X-Try": {"none"}}
		found := 0
		allocations := testing.AllocsPerRun(10, func() {
			found += len(index.Find(operation, &match.Request{
				Path: "/api/pools/1", Key: "1/mia", Header: header, Account: &w.Account,
			}))
		})
		if allocations > 0 || found > 0 {
			t.Errorf("%s: %v allocations, and %d rules found", words, allocations, found)
		}
	}
}

// An index takes over what another one has read.
func TestIndexReuse(t *testing.T) {
	t.Parallel()
	loads := 0
	counted := func(iface specs.Interface) (*specs.Document, error) {
		loads++
		return documents(iface)
	}
	w := newWorld(1)
	plan(t, w, "core.issueJob status=503", "workflow.getPool status=503")
	first, err := fault.NewIndex(w.Faults.Plan, nil, match.Documents{Names: specs.Interfaces(), Of: counted})
	if err != nil || loads != 2 || !first.IsOf(w.Faults.Plan) {
		t.Fatalf("%d documents were loaded, %v", loads, err)
	}
	before := *w
	if err := fault.Remove(w, "fault-1", false); err != nil {
		t.Fatal(err)
	}
	plan(t, w, "llm.* status=503")
	if first.IsOf(w.Faults.Plan) || (*fault.Index)(nil).IsOf(w.Faults.Plan) || !first.IsOf(before.Faults.Plan) {
		t.Error("the index is of another plan")
	}
	second, err := fault.NewIndex(w.Faults.Plan, first, match.Documents{Names: specs.Interfaces(), Of: counted})
	if err != nil || loads != 3 {
		t.Errorf("%d documents were loaded, %v; want one more, for the fault that is new", loads, err)
	}
	workflow, _ := documents(specs.Workflow)
	if found := second.Find(workflow.Operation("getPool"), &match.Request{}); len(found) != 1 || found[0].Fault.ID != "fault-2" {
		t.Errorf("found %v", found)
	}
}
