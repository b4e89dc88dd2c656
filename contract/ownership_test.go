package contract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// asked returns a recording of requests, one a line: "GET https://host/path", with the status of the answer unless it
// is 200.
func asked(lines ...string) contract.Source {
	var list []*recording.Exchange
	for _, line := range lines {
		e := &recording.Exchange{Response: &recording.Response{Status: 200}}
		_, _ = fmt.Sscan(line, &e.Request.Method, &e.Request.URL, &e.Response.Status)
		list = append(list, e)
	}
	return contract.Exchanges(slices.Values(list))
}

func basesOf(r *contract.Report) []string {
	list := []string{}
	for _, b := range r.Bases {
		list = append(list, fmt.Sprintf("%s %s %s ×%d", b.Source, b.Interface, b.URL, b.Exchanges))
	}
	return list
}

// The mock's own addresses are known, whatever else was given.
func TestTheMockIsKnownBesideAGivenBase(t *testing.T) {
	t.Parallel()
	lines := asked(
		"GET https://given.acme.io/api/pools", "GET http://127.0.0.1:4010/workflow/api/pools",
		"GET http://[::1]:1/workflow/api/pools",
		"GET http://workflow.localhost/api/pools", "GET http://localhost:4010/core/v3/job/list",
		"GET https://workflow.svc.example/api/pools",
	)
	r := checked(t, lines, contract.WithBaseURL("workflow", "https://given.acme.io"))
	if r.Exchanges.Matched != 5 || r.Exchanges.Unmatched != 1 {
		t.Errorf("%+v, want that only the default address of an interface with a base is not known", r.Exchanges)
	}
}

// A base address with too little or too much in it makes every operation one that is none.
func TestABaseThatIsNotQuiteRight(t *testing.T) {
	t.Parallel()
	r := checked(t, asked("GET https://a.acme.io/v3/database/list", "GET https://b.acme.io/x/api/pools",
		"GET https://b.acme.io/x/api/hunter2"),
		contract.WithBaseURL("core", "https://a.acme.io"), contract.WithBaseURL("workflow", "https://b.acme.io/x/api"))
	var messages []string
	for _, f := range r.Findings {
		messages = append(messages, f.Message)
	}
	want := []string{
		"GET /v3/database/list is not documented; it would match GET /database/list with the base address " +
			"https://a.acme.io/v3",
		"GET /pools is not documented; it would match GET /api/pools with the base address https://b.acme.io/x",
		"GET /* is not documented; the nearest is GET /api/pools",
	}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestUnmatchedAddresses(t *testing.T) {
	t.Parallel()
	r, _ := checker(t).Check(t.Context(), asked(
		"GET https://user:hunter2@flow.acme.io/api/pools?token=hunter2#hunter2",
		"GET https://flow.acme.io/api/pools/17", "GET https://flow.acme.io/api/pools/18",
		"GET https://gw.acme.io/dp/core/v3/table/list/shop",
		"GET https://x.acme.io/api/projects/1",
		"GET https://workflwo.svc.example/nothing/AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhIjKl",
		"GET https://cdn.acme.io/v2/app.js;jsessionid=hunter2",
		"get :: 200", "GET mailto:hunter2@acme.io",
	))
	want := []report.Unmatched{
		{
			Method: "GET", URL: "https://flow.acme.io/api/pools/*", Count: 2, Exchange: 2,
			Hint: "--base workflow=https://flow.acme.io",
		},
		{
			Method: "GET", URL: "https://flow.acme.io/api/pools", Count: 1, Exchange: 1,
			Hint: "--base workflow=https://flow.acme.io",
		},
		{
			Method: "GET", URL: "https://gw.acme.io/dp/core/v3/table/list/shop", Count: 1, Exchange: 4,
			Hint: "--base core=https://gw.acme.io/dp/core/v3",
		},
		{
			Method: "GET", URL: "https://x.acme.io/api/projects/*", Count: 1, Exchange: 5,
			Hint: "--base llm=https://x.acme.io, or --base workflow=https://x.acme.io",
		},
		{
			Method: "GET", URL: "https://workflwo.svc.example/nothing/*", Count: 1, Exchange: 6,
			Hint: "the nearest base is https://workflow.svc.example, of workflow",
		},
		{Method: "GET", URL: "https://cdn.acme.io/v2/app.js", Count: 1, Exchange: 7},
		{Method: "(no method)", URL: "(no address)", Count: 1, Exchange: 8},
		{Method: "GET", URL: "(no address)", Count: 1, Exchange: 9},
	}
	for i := range want {
		want[i].Claimants = []string{}
	}
	if diff := cmp.Diff(want, r.Unmatched); diff != "" {
		t.Errorf("unmatched addresses (-want +got):\n%s", diff)
	}
}

func TestAddressesThatSeveralInterfacesClaim(t *testing.T) {
	t.Parallel()
	both := []contract.Option{
		contract.WithBaseURL("workflow", "https://x.acme.io"),
		contract.WithBaseURL("llm", "http://x.acme.io"),
	}
	r := checked(t, asked("GET https://x.acme.io/api/pools", "GET https://x.acme.io/api/projects"), both...)
	want := []report.Unmatched{{
		Method: "GET", URL: "https://x.acme.io/api/projects", Claimants: []string{"llm", "workflow"}, Count: 1, Exchange: 2,
		Hint: "give each of them its own base address",
	}}
	if diff := cmp.Diff(want, r.Unmatched); diff != "" {
		t.Errorf("unmatched addresses (-want +got):\n%s", diff)
	}
}

func TestUnmatchedAddressesAreBounded(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 26 * 26 * 2 {
		lines = append(lines, fmt.Sprintf("GET https://x.acme.io/%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676))
	}
	r, _ := checker(t).Check(t.Context(), asked(lines...))
	if len(r.Unmatched) != 1000 ||
		!slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "352 more exchanges") }) {
		t.Errorf("%d unmatched addresses, notes %q", len(r.Unmatched), r.Notes)
	}
}
