package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract"
)

// flow is where a base was given.
const flow = "https://flow.acme.io"

func TestAddressesBehindAGateway(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts []contract.Option
		ask  string
		want string // the operation, empty where the address belongs to none
	}{
		"a base may have a path, which is what one gateway needs": {
			opts: []contract.Option{contract.WithBaseURL("workflow", "https://gw.acme.io/gw/workflow")},
			ask:  "GET https://gw.acme.io/gw/workflow/api/pools", want: "workflow.listPools",
		},
		"a prefix that stands for a base, on any host": {
			opts: []contract.Option{contract.WithBaseURL("workflow", flow), contract.WithRewrite("/gw/wf", flow)},
			ask:  "GET https://any.where:8443/gw/wf/api/pools?x=1", want: "workflow.listPools",
		},
		"a prefix that is taken away, the host stays": {
			opts: []contract.Option{contract.WithBaseURL("workflow", flow), contract.WithRewrite("/v1/tenant-*", "/")},
			ask:  "GET " + flow + "/v1/tenant-a/api/pools", want: "workflow.listPools",
		},
		"a prefix that stands for another one": {
			opts: []contract.Option{contract.WithRewrite("/gw/wf/", "/workflow/")},
			ask:  "GET http://127.0.0.1:4010/gw/wf/api/pools", want: "workflow.listPools",
		},
		"a pattern of hosts": {
			opts: []contract.Option{contract.WithRewrite("https://*.gw.acme.io/*", "https://workflow.svc.example")},
			ask:  "GET http://EU.gw.acme.io/wf/api/pools", want: "workflow.listPools",
		},
		"not on another host": {
			opts: []contract.Option{contract.WithRewrite("https://*.gw.acme.io/*", "https://workflow.svc.example")},
			ask:  "GET https://gw.other.io/wf/api/pools",
		},
		"prefixes are of whole segments": {
			opts: []contract.Option{contract.WithRewrite("/gw/wf", "https://workflow.svc.example")},
			ask:  "GET https://gw.acme.io/gw/wfx/api/pools",
		},
		"a path that is shorter than the prefix": {
			opts: []contract.Option{contract.WithRewrite("/gw/wf/x", "https://workflow.svc.example")},
			ask:  "GET https://gw.acme.io/gw/wf",
		},
		"the first that fits decides": {
			opts: []contract.Option{
				contract.WithRewrite("/gw/*", "https://core.svc.example/v3"),
				contract.WithRewrite("/gw/wf", "https://workflow.svc.example"),
			},
			ask: "GET https://gw.acme.io/gw/wf/database/list", want: "core.listDatabases",
		},
		"what is escaped stays so": {
			opts: []contract.Option{contract.WithRewrite("/g w", "https://core.svc.example/v3")},
			ask:  "GET https://gw.acme.io/g%20w/table/list/a%2Fb", want: "core.listTables",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := asked(tt.ask, "GET https://audience.svc.example/entities/parent_segments") // so that something matches
			r := checked(t, source, tt.opts...)
			var got []string
			for operation := range r.Coverage.Operations {
				if !strings.HasPrefix(operation, "audience.") {
					got = append(got, operation)
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.ask, diff)
			}
		})
	}
}

// What is found shows the address that was recorded, and not the one that it stands for.
func TestRewrittenAddressesAreShownAsRecorded(t *testing.T) {
	t.Parallel()
	source := asked("GET https://gw.acme.io/gw/wf/api/pools?zzz=1", "GET https://gw.acme.io/gw/wf/api/nothing",
		"GET https://gw.acme.io/gw/wg/x")
	r := checked(t, source, contract.WithRewrite("/gw/wf", "https://workflow.svc.example"))
	var got []string
	for _, number := range []int{1, 2} {
		got = append(got, r.Shown[number].URL)
	}
	for _, s := range r.Unmatched {
		got = append(got, s.URL)
	}
	want := []string{"/gw/wf/api/pools?zzz=1", "/gw/wf/api/nothing", "https://gw.acme.io/gw/wg/x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}

// Behind a prefix that is taken away on all hosts, bases are guessed as anywhere.
func TestBasesAreGuessedBehindAPrefix(t *testing.T) {
	t.Parallel()
	source := asked("GET https://gw.acme.io/t/1/api/pools", "GET https://gw.acme.io/t/2/api/pools/7")
	r := checked(t, source, contract.WithGuess(true), contract.WithRewrite("/t/*", "/"))
	if diff := cmp.Diff([]string{"guessed workflow https://gw.acme.io ×2"}, basesOf(r)); diff != "" {
		t.Errorf("bases (-want +got):\n%s", diff)
	}
}

func TestRewritesThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ from, to, want string }{
		{"gw", "/", `rewrite gw to /: "gw" is neither a path nor an absolute URL`},
		{"/gw", "workflow", `"workflow" is neither a path nor an absolute URL`},
		{"/gw", "", `"" is neither a path nor an absolute URL`},
		{"//gw.acme.io/gw", "/", "is neither a path nor an absolute URL"},
		{"/gw?x=1", "/", `"/gw?x=1" has more than a host and a path`},
		{"/gw/**", "/", `has the invalid segment pattern "**": want one such as * or tenant-*`},
		{"/gw", "/*", `"/*" has a pattern: only the first prefix may have one`},
		{"/", "/", "both are the same"},
	} {
		_, err := contract.NewChecker(contract.WithRewrite(tt.from, tt.to))
		if got := fmt.Sprint(err); !strings.Contains(got, tt.want) {
			t.Errorf("%s to %s: %s, want %q", tt.from, tt.to, got, tt.want)
		}
	}
}
