package specs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

// document returns a user's own document, with operations given as "METHOD /path operationId".
func document(servers string, operations ...string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "openapi: 3.0.3\ninfo: {title: own, version: '1'}\nservers: [%s]\npaths:\n", servers)
	byPath := map[string][]string{}
	var paths []string
	for _, line := range operations {
		method, rest, _ := strings.Cut(line, " ")
		path, id, _ := strings.Cut(rest, " ")
		if byPath[path] == nil {
			paths = append(paths, path)
		}
		if id != "" {
			id = "operationId: " + id + ", "
		}
		byPath[path] = append(byPath[path],
			fmt.Sprintf("%s: {%sresponses: {'200': {description: x}}}", strings.ToLower(method), id))
	}
	for _, path := range paths {
		fmt.Fprintf(&text, "  '%s': {%s}\n", path, strings.Join(byPath[path], ", "))
	}
	return text.String()
}

func parse(tb testing.TB, iface specs.Interface, text string) *specs.Document {
	tb.Helper()
	doc, err := specs.Parse(iface, "own.yaml", []byte(text), "")
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

// named lists the operations of a document by name.
func named(d *specs.Document) map[string]string {
	list := map[string]string{}
	for _, op := range d.Operations {
		list[op.Name()] = op.Method + " " + op.Path
	}
	return list
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		iface, servers string
		operations     []string
		base           string
		want           map[string]string
	}{
		"an operation is ours by method and path, whatever it is called": {
			iface:      specs.Workflow,
			operations: []string{"GET /api/pools", "DELETE /api/pools/{poolId} dropPool", "GET /api/ponds getPonds"},
			want: map[string]string{
				"workflow.listPools": "GET /api/pools", "workflow.deletePool": "DELETE /api/pools/{poolId}",
				"workflow.getPonds": "GET /api/ponds",
			},
		},
		"path parameters have our names": {
			iface:      specs.Workflow,
			operations: []string{"GET /api/pools/{id} a", "DELETE /api/pools/{pool} b"},
			want: map[string]string{
				"workflow.getPool":    "GET /api/pools/{poolId}",
				"workflow.deletePool": "DELETE /api/pools/{poolId}",
			},
		},
		"the same id may stand on several operations of ours": {
			iface: specs.Workflow, operations: []string{"GET /api/pools get", "GET /api/sessions get"},
			want: map[string]string{"workflow.listPools": "GET /api/pools", "workflow.listSessions": "GET /api/sessions"},
		},
		"a foreign operation never has an id of ours, whether or not ours is there": {
			iface:      specs.Workflow,
			operations: []string{"GET /api/pools x", "GET /api/ponds listPools", "DELETE /api/ponds/{pond} deletePool"},
			want: map[string]string{
				"workflow.listPools": "GET /api/pools", "workflow.getApiPonds": "GET /api/ponds",
				"workflow.deleteApiPondsPond": "DELETE /api/ponds/{pond}",
			},
		},
		"foreign operations without ids, or with the same, have ids of method and path": {
			iface: specs.Workflow,
			operations: []string{
				"GET /api/pools", "GET /api/ponds", "GET /api/pond_fish fish", "PUT /api/pond_fish fish",
			},
			want: map[string]string{
				"workflow.listPools": "GET /api/pools", "workflow.getApiPonds": "GET /api/ponds",
				"workflow.getApiPondFish": "GET /api/pond_fish", "workflow.putApiPondFish": "PUT /api/pond_fish",
			},
		},
		"ids of method and path that are the same get a suffix": {
			iface:      specs.Workflow,
			operations: []string{"GET /api/pools", "GET /api/a-b", "GET /api/a_b", "GET /api/c", "GET /api/d getApiC"},
			want: map[string]string{
				"workflow.listPools": "GET /api/pools", "workflow.getApiAB_35f2b81d": "GET /api/a-b",
				"workflow.getApiAB_6e024253": "GET /api/a_b", "workflow.getApiC_6928ee26": "GET /api/c",
				"workflow.getApiC": "GET /api/d",
			},
		},
		"paths may begin after the server's base path": {
			iface: specs.Workflow, servers: "{url: 'https://x.example/api'}", operations: []string{"GET /pools", "GET /ponds"},
			want: map[string]string{"workflow.listPools": "GET /api/pools", "workflow.getPonds": "GET /api/ponds"},
		},
		"or hold a base path that ours have apart": {
			iface: specs.Core, operations: []string{"GET /v3/database/list", "GET /v3/ponds", "GET /status"}, base: "/v3",
			want: map[string]string{
				"core.listDatabases": "GET /database/list", "core.getV3Ponds": "GET /ponds",
				"core.getStatus": "GET ",
			},
		},
		"or leave it out": {
			iface: specs.Core, operations: []string{"GET /database/list", "GET /ponds"}, base: "/v3",
			want: map[string]string{"core.listDatabases": "GET /database/list", "core.getPonds": "GET /ponds"},
		},
		"a gateway's path before ours is passed over": {
			iface: specs.Core, servers: "{url: 'https://x.example/platform/core/v3/'}", base: "/v3",
			operations: []string{"GET /database/list"},
			want:       map[string]string{"core.listDatabases": "GET /database/list"},
		},
		"one of several servers is enough": {
			iface: specs.Workflow, servers: "{url: 'http://localhost:8080'}, {url: 'https://{h}/{v}', variables: {h: " +
				"{default: x}, v: {default: api}}}",
			operations: []string{"GET /pools"},
			want:       map[string]string{"workflow.listPools": "GET /api/pools"},
		},
		"a slash at the end makes no difference": {
			iface: specs.DWH, operations: []string{"GET /v1/dwh", "GET /v1/dwh/{id}/"},
			want: map[string]string{"dwh.listDwhIntegrations": "GET /v1/dwh/", "dwh.getDwhIntegration": "GET /v1/dwh/{dwh_id}"},
		},
		"two parameters in one segment": {
			iface: specs.Core, operations: []string{"GET /table/tail/{d}/{t}{f}", "GET /database/list"}, base: "/v3",
			want: map[string]string{
				"core.tailTable":     "GET /table/tail/{database_name}/{table_name}{path_format}",
				"core.listDatabases": "GET /database/list",
			},
		},
		"a document without any operation of ours stays as it is": {
			iface: specs.Workflow, servers: "{url: /base}", operations: []string{"GET /ponds listPools"}, base: "/base",
			want: map[string]string{"workflow.getPonds": "GET /ponds"},
		},
		"a host without a scheme is no path": {
			iface: specs.Workflow, servers: "{url: //x.example/base}", operations: []string{"GET /ponds"}, base: "/base",
			want: map[string]string{"workflow.getPonds": "GET /ponds"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, specs.Interface(tt.iface), document(tt.servers, tt.operations...))
			if diff := cmp.Diff(tt.want, named(doc)); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
			if doc.BasePath != tt.base {
				t.Errorf("base path %q, want %q", doc.BasePath, tt.base)
			}
			for _, op := range doc.Operations {
				if place, err := doc.Place(op.Pointer); err != nil || place.Pointer != op.Pointer {
					t.Errorf("%s: its pointer %s is not in the document", op.Name(), op.Pointer)
				}
			}
		})
	}
	t.Run("servers of a path or of an operation count for it alone", func(t *testing.T) {
		t.Parallel()
		doc := parse(t, specs.Workflow, `openapi: 3.1.0
info: {title: own, version: '1'}
servers: [{url: https://x.example}]
paths:
  /api/pools: {get: {responses: {'200': {description: x}}}}
  /sessions: {servers: [{url: https://x.example/api}], get: {responses: {'200': {description: x}}}}
  /workflows: {get: {servers: [{url: https://x.example/api}], responses: {'200': {description: x}}}}
`)
		want := map[string]string{
			"workflow.listPools": "GET /api/pools", "workflow.listSessions": "GET /api/sessions",
			"workflow.listWorkflows": "GET /api/workflows",
		}
		if diff := cmp.Diff(want, named(doc)); diff != "" {
			t.Errorf("operations (-want +got):\n%s", diff)
		}
	})
	t.Run("an operation that stands there twice is left out", func(t *testing.T) {
		t.Parallel()
		doc := parse(t, specs.Workflow, document("", "GET /api/pools/{a}", "GET /api/pools/{b}"))
		if len(doc.Operations) != 1 || len(doc.Ignored) != 1 || doc.Ignored[0].Pointer != "/paths/~1api~1pools~1{b}/get" ||
			doc.Ignored[0].Line == 0 {
			t.Errorf("%d operations, ignored: %+v", len(doc.Operations), doc.Ignored)
		}
	})
	t.Run("a parameter is found by our name and by the document's", func(t *testing.T) {
		t.Parallel()
		doc := parse(t, specs.Core, document("", "GET /table/tail/{table_name}/{t}{f}"))
		m := doc.Find("GET", "/table/tail/shop/orders.json")
		got := []string{
			m.Param("database_name"), m.Param("table_name"), m.Param("path_format"), m.Declared("table_name"),
			m.Declared("t"), m.Declared("f"),
		}
		if diff := cmp.Diff([]string{"shop", "orders", ".json", "shop", "orders", ".json"}, got); diff != "" {
			t.Errorf("parameters (-want +got):\n%s", diff)
		}
	})
	t.Run("a path is also found as the document writes it", func(t *testing.T) {
		t.Parallel()
		doc := parse(t, specs.Workflow, document("{url: 'https://x.example/api'}", "GET /pools/{p}"))
		if m := doc.FindWritten("GET", "/pools/7"); m.Operation == nil || m.Param("poolId") != "7" {
			t.Errorf("match %+v", m)
		}
		if m := load(t, specs.Workflow).FindWritten("GET", "/api/pools/7"); m.Operation != nil {
			t.Errorf("ours is written only one way: %+v", m)
		}
	})
}

var operationID = regexp.MustCompile(`(?m)^\s+operationId: \w+\n`)

// Our own documents are read as they are without any ids.
func TestIdentityOfOurs(t *testing.T) {
	t.Parallel()
	for _, name := range specs.Interfaces() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			ours := load(t, name)
			stripped := parse(t, name, operationID.ReplaceAllString(string(ours.Source()), ""))
			if diff := cmp.Diff(named(ours), named(stripped)); diff != "" {
				t.Errorf("operations (-ours +stripped):\n%s", diff)
			}
			if missing, extra := ours.Compare(stripped); len(missing)+len(extra) > 0 {
				t.Errorf("missing %v, extra %v", missing, extra)
			}
		})
	}
}

// Server Variable Object: a variable has its default, or any value of its list.
func TestServerVariables(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server string
		want   []string
	}{
		"any value":           {`{url: 'https://{r}.h.example/v1', variables: {r: {default: eu}}}`, []string{"https://eu.h.example/v1", "https://*.h.example/v1"}},
		"any in a label":      {`{url: 'https://{r}-api.h.example', variables: {r: {default: eu}}}`, []string{"https://eu-api.h.example", "https://*-api.h.example"}},
		"any in the path":     {`{url: 'https://{r}.h.example/{v}', variables: {r: {default: eu}, v: {default: v1}}}`, []string{"https://eu.h.example/v1", "https://*.h.example/v1"}},
		"any in both":         {`{url: 'https://{r}.h.example/{r}', variables: {r: {default: eu}}}`, []string{"https://eu.h.example/eu"}},
		"any host":            {`{url: 'https://{h}/v1', variables: {h: {default: h.example}}}`, []string{"https://h.example/v1"}},
		"any domain":          {`{url: 'https://api.{d}.example', variables: {d: {default: h}}}`, []string{"https://api.h.example"}},
		"any port":            {`{url: 'https://api.h.example:{p}', variables: {p: {default: '8443'}}}`, []string{"https://api.h.example:8443"}},
		"a list":              {`{url: 'https://{r}.h.example/v1', variables: {r: {default: eu, enum: [eu, us]}}}`, []string{"https://eu.h.example/v1", "https://us.h.example/v1"}},
		"a default besides":   {`{url: 'https://{r}.h.example/v1', variables: {r: {default: eu, enum: [us]}}}`, []string{"https://eu.h.example/v1", "https://us.h.example/v1"}},
		"a scheme":            {`{url: '{s}://h.example/v1', variables: {s: {default: https, enum: [http]}}}`, []string{"https://h.example/v1", "http://h.example/v1"}},
		"two variables":       {`{url: '{s}://{r}.h.example/v1', variables: {s: {default: https, enum: [http]}, r: {default: eu, enum: [us]}}}`, []string{"https://eu.h.example/v1", "http://eu.h.example/v1", "https://us.h.example/v1", "http://us.h.example/v1"}},
		"no variable":         {`{url: 'https://h.example/v1/'}`, []string{"https://h.example/v1"}},
		"not a whole address": {`{url: '/v1'}`, nil},
	} {
		text := `{openapi: 3.0.3, info: {title: t, version: '1'}, servers: [` + tt.server + `], paths: {/x: {get: {responses: {'200': {description: a}}}}}}`
		d, err := specs.Parse("shop", "shop.yaml", []byte(text), specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, d.ServerURLs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Server Object, url: the paths of the document stand below the path of each of its servers.
func TestServersHavePathsOfTheirOwn(t *testing.T) {
	t.Parallel()
	const paths = `/x: {get: {responses: {'200': {description: a}}}}`
	const elsewhere = paths + `, /y: {servers: [{url: 'https://k.example/z'}], get: {responses: {'200': {description: a}}}}`
	for name, tt := range map[string]struct {
		servers, paths string
		want           []string
	}{
		"the second has none": {"{url: 'https://h.example/v1'}, {url: 'https://k.example'}", paths, []string{"https://h.example/v1", "https://k.example"}},
		"the first has none":  {"{url: 'http://localhost:8080/'}, {url: 'https://h.example/v1/'}", paths, []string{"http://localhost:8080", "https://h.example/v1"}},
		"different ones":      {"{url: 'https://h.example/v1'}, {url: 'https://h.example/v2'}", paths, []string{"https://h.example/v1", "https://h.example/v2"}},
		"a variable":          {"{url: 'https://h.example/{v}', variables: {v: {default: v1, enum: [v1, v2]}}}", paths, []string{"https://h.example/v1", "https://h.example/v2"}},
		"the first is a path": {"{url: /v1}, {url: 'https://h.example/api/v1'}", paths, []string{"https://h.example/api/v1"}},
		"no scheme":           {"{url: //h.example/v1/}", paths, []string{"https://h.example/v1", "http://h.example/v1"}},
		"a path is elsewhere": {"{url: 'https://h.example/v1'}, {url: 'https://i.example/v1'}", elsewhere, []string{"https://h.example", "https://i.example"}},
	} {
		text := `{openapi: 3.0.3, info: {title: t, version: '1'}, servers: [` + tt.servers + `], paths: {` + tt.paths + `}}`
		d, err := specs.Parse("shop", "shop.yaml", []byte(text), specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, d.ServerURLs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
