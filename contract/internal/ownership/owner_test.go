package ownership_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// interfaces makes small documents of several interfaces: core is below /v3, and all have /api/projects.
func interfaces(t *testing.T) []*specs.Document {
	t.Helper()
	var list []*specs.Document
	for name, base := range map[string]string{"workflow": "", "llm": "", "core": "/v3"} {
		source := fmt.Sprintf(
			`{openapi: 3.0.3, info: {title: T, version: '1'}, servers: [{url: 'https://%s.svc.example%s'}], paths: {
			/api/projects: {get: {operationId: listProjects, responses: {'200': {description: ok}}}},
			/api/%[1]s: {get: {operationId: own, responses: {'200': {description: ok}}}}}}`, name, base)
		d, err := specs.Parse(specs.Interface(name), name+".yaml", []byte(source), specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

// With a brand, the default addresses carry it; those with the neutral word stay known.
func TestOwnerInABrand(t *testing.T) {
	t.Parallel()
	documents := interfaces(t)
	for _, d := range documents {
		d.Brand = "Acme"
	}
	addresses, err := ownership.NewAddresses(documents, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]ownership.State{
		"https://workflow.acme.example/api/projects":     ownership.Matched,
		"https://eu01.core.acme.example/v3/api/projects": ownership.Matched,
		"https://workflow.svc.example/api/projects":      ownership.Matched,
		"https://workflow.other.example/api/projects":    ownership.Unmatched,
	} {
		item := record.Item{Exchange: &recording.Exchange{Request: recording.Request{Method: "GET", URL: url}}}
		if got := addresses.Owner(&item).State; got != want {
			t.Errorf("%s: state %d, want %d", url, got, want)
		}
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	documents := interfaces(t)
	for name, tt := range map[string]struct {
		bases map[specs.Interface][]string
		cases map[string]string // request → owner
	}{
		"default addresses": {nil, map[string]string{
			"GET https://workflow.svc.example/api/projects":          "workflow.listProjects",
			"GET http://workflow.svc.example:80/api/projects":        "workflow.listProjects",
			"GET https://core.svc.example/v3/api/projects":           "core.listProjects",
			"GET https://eu01.core.svc.example/v3/api/projects":      "core.listProjects",
			"GET https://hardcore.svc.example/v3/api/projects":       "unmatched",
			"GET https://core.svc.example/api/projects":              "unmatched",
			"GET https://other.example/api/projects":                 "unmatched",
			"GET http://127.0.0.1:4010/workflow/api/projects":        "workflow.listProjects",
			"GET http://[::1]:4010/core/v3/api/projects":             "core.listProjects",
			"GET http://localhost:4010/workflows/api/projects":       "unmatched",
			"GET http://workflow.localhost:4010/api/projects":        "workflow.listProjects",
			"GET http://localhost:4010/_worlds/w-1/llm/api/projects": "llm.listProjects in w-1",
			"GET http://llm.localhost:4010/_worlds/w-1/api/projects": "llm.listProjects in w-1",
			"GET http://localhost:4010/_understudy/worlds":           "ignored",
			"OPTIONS https://workflow.svc.example/api/projects":      "ignored",
			"HEAD https://workflow.svc.example/api/projects":         "ignored",
			"POST https://workflow.svc.example/api/projects":         "workflow, not GET",
			"GET https://workflow.svc.example/api/nothing":           "workflow, nothing",
			"OPTIONS https://workflow.svc.example/api/nothing":       "workflow, nothing",
			"GET https://workflow.svc.example":                       "workflow, nothing",
			"GET /api/projects":                                      "unmatched",
			"GET https://workflow.svc.example//api/projects":         "workflow.listProjects",
			"GET https://workflow.svc.example/api%2Fprojects":        "workflow, nothing",
			"GET https://core.svc.example//v3//api//projects//":      "core.listProjects",
			"GET http://127.0.0.1:4010//core//v3/api/projects":       "core.listProjects",
			"GET http://127.0.0.1:4010//cores//v3/api/projects":      "unmatched",
			"GET http://localhost:1//_worlds//w//llm//api/projects":  "llm.listProjects in w",
			"GET http://localhost:4010//_understudy//worlds":         "ignored",
			"GET data:image/png;base64,AAAA":                         "unmatched",
			"GET blob:https://workflow.svc.example/550e":             "unmatched",
			"CONNECT https://workflow.svc.example:443":               "ignored",
			"CONNECT workflow.svc.example:443":                       "ignored",
			"GET wss://workflow.svc.example/api/projects":            "ignored",
		}},
		"given addresses": {
			map[specs.Interface][]string{
				"workflow": {"https://gate.example/flow/", "http://localhost:1/_worlds/w/workflow"},
				"llm":      {"https://gate.example"},
			},
			map[string]string{
				"GET https://gate.example/flow/api/projects":             "workflow.listProjects",
				"GET https://gate.example//flow//api/projects":           "workflow.listProjects",
				"GET https://gate.example/api/projects":                  "llm.listProjects",
				"GET https://gate.example/flows/api/projects":            "llm, nothing",
				"GET https://workflow.svc.example/api/projects":          "unmatched",
				"GET http://localhost:1/_worlds/v/workflow/api/projects": "workflow.listProjects in v",
				"GET http://localhost:2/core/v3/api/projects":            "core.listProjects",
			},
		},
		"a given address with slashes too many": {
			map[specs.Interface][]string{"workflow": {"https://gate.example//gw//flow//"}},
			map[string]string{
				"GET https://gate.example/gw/flow/api/projects":    "workflow.listProjects",
				"GET https://gate.example//gw//flow//api/projects": "workflow.listProjects",
			},
		},
		"one address for two": {
			map[specs.Interface][]string{"workflow": {"https://gate.example"}, "llm": {"https://gate.example"}},
			map[string]string{
				"GET https://gate.example/api/projects": "several",
				"GET https://gate.example/api/llm":      "llm.own",
				"GET https://gate.example/api/core":     "several",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := ownership.NewAddresses(documents, tt.bases, nil)
			if err != nil {
				t.Fatal(err)
			}
			for request, want := range tt.cases {
				if diff := cmp.Diff(want, ownerOf(a, request)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", request, diff)
				}
			}
		})
	}
}

func ownerOf(a *ownership.Addresses, request string) string {
	var method, url string
	_, _ = fmt.Sscan(request, &method, &url)
	o := a.Owner(&record.Item{Exchange: &recording.Exchange{Request: recording.Request{Method: method, URL: url}}})
	switch o.State {
	case ownership.Unmatched:
		return "unmatched"
	case ownership.Several:
		return "several"
	case ownership.Ignored:
		return "ignored"
	case ownership.Matched:
	}
	text := string(o.Document.Interface)
	switch {
	case o.Match.Operation != nil:
		text = o.Match.Operation.Name()
	case o.Match.Allow != "":
		return text + ", not " + o.Match.Allow
	default:
		return text + ", nothing"
	}
	if o.World != "" {
		text += " in " + o.World
	}
	return text
}

// The interfaces of one installation have one site, however they are addressed; those of another have another.
func TestSites(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bases map[specs.Interface][]string
		same  bool
		urls  [2]string
	}{
		"default hosts":      {nil, true, [2]string{"https://core.svc.example/v3/x", "https://llm.svc.example/x"}},
		"a region":           {nil, true, [2]string{"https://eu01.core.svc.example/v3/x", "https://eu01.llm.svc.example/x"}},
		"another region":     {nil, false, [2]string{"https://eu01.core.svc.example/v3/x", "https://llm.svc.example/x"}},
		"the default region": {nil, true, [2]string{"https://us01.core.svc.example/v3/x", "https://llm.svc.example/x"}},
		"labels":             {nil, true, [2]string{"http://core.localhost:4010/v3/x", "http://llm.localhost:4010/x"}},
		"paths":              {nil, true, [2]string{"http://127.0.0.1:4010/core/v3/x", "http://127.0.0.1:4010/llm/x"}},
		"another port":       {nil, false, [2]string{"http://127.0.0.1:4010/core/v3/x", "http://127.0.0.1:4011/llm/x"}},
		"a label and a path": {nil, true, [2]string{"http://core.localhost:4010/v3/x", "http://localhost:4010/llm/x"}},
		"given, and a default": {
			map[specs.Interface][]string{"core": {"http://127.0.0.1:4010/core/v3"}},
			true,
			[2]string{"http://127.0.0.1:4010/core/v3/x", "http://127.0.0.1:4010/llm/x"},
		},
		"given together": {
			map[specs.Interface][]string{
				"core": {"https://a.example/v3", "https://b.example/v3"},
				"llm":  {"https://c.example", "https://d.example"},
			},
			true,
			[2]string{"https://b.example/v3/x", "https://d.example/x"},
		},
		"not given together": {
			map[specs.Interface][]string{
				"core": {"https://a.example/v3", "https://b.example/v3"},
				"llm":  {"https://c.example", "https://d.example"},
			},
			false,
			[2]string{"https://a.example/v3/x", "https://d.example/x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := ownership.NewAddresses(interfaces(t), tt.bases, nil)
			if err != nil {
				t.Fatal(err)
			}
			var sites [2]string
			for i, url := range tt.urls {
				e := &recording.Exchange{Request: recording.Request{Method: "GET", URL: url}}
				if sites[i] = a.Owner(&record.Item{Exchange: e}).Site; sites[i] == "" {
					t.Errorf("%s has no site", url)
				}
			}
			if (sites[0] == sites[1]) != tt.same {
				t.Errorf("sites %q", sites)
			}
		})
	}
}

// What a mock recorded itself has the names under which its clients know it.
func TestAMockOnAllHosts(t *testing.T) {
	t.Parallel()
	given, err := ownership.NewAddresses(interfaces(t), map[specs.Interface][]string{"llm": {"https://gate.example/l"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := given.OnAllHosts()
	for request, want := range map[string]string{
		"GET http://mock:4010/workflow/api/projects":             "workflow.listProjects",
		"GET https://10.0.0.7/_worlds/w/core/v3/api/projects":    "core.listProjects in w",
		"GET http://mock:4010/llm/api/projects":                  "llm.listProjects",
		"GET https://gate.example/l/api/projects":                "llm.listProjects",
		"GET https://workflow.svc.example/api/projects":          "workflow.listProjects",
		"GET http://workflow.localhost:4010/api/projects":        "workflow.listProjects",
		"GET http://mock:4010/_understudy/worlds/default/faults": "ignored",
		"GET http://mock:4010/api/projects":                      "unmatched",
	} {
		if got := ownerOf(a, request); got != want {
			t.Errorf("%s belongs to %s, want %s", request, got, want)
		}
	}
	if got := ownerOf(given, "GET http://mock:4010/workflow/api/projects"); got != "unmatched" {
		t.Errorf("without it, it belongs to %s", got)
	}
}

func TestTheHostOfARelativeAddress(t *testing.T) {
	t.Parallel()
	a, err := ownership.NewAddresses(interfaces(t), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/projects", "//api/projects", "//api//projects?x=//a"} {
		o := a.Owner(&record.Item{Exchange: &recording.Exchange{Request: recording.Request{
			Method: "GET", URL: path,
			Headers: recording.Headers{{"host", "workflow.svc.example"}, {"x-understudy-world", "w"}},
		}}})
		if o.State != ownership.Matched || o.World != "w" || o.Match.Operation == nil {
			t.Errorf("%s: owner %+v", path, o)
		}
	}
}

// Secrets are taken out by the operation that is documented at a path, and by an extra only if there is none: paths of
// extras may be any two words.
func TestFindOperation(t *testing.T) {
	t.Parallel()
	var documents []*specs.Document
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, d)
	}
	for request, want := range map[string]string{
		"POST https://x.example/api/pools":          "workflow.createPool",
		"POST https://x.example/workflow/api/pools": "workflow.createPool",
		"POST https://x.example/shop/orders":        "ingestion.ingestEvents",
		"GET https://x.example/nothing/at/all":      "",
	} {
		method, url, _ := strings.Cut(request, " ")
		got := ""
		e := &recording.Exchange{Request: recording.Request{Method: method, URL: url}}
		if o := ownership.FindOperation(documents, e); o != nil {
			got = o.Name()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}
