package specs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs"
)

func TestResourcesOfOurDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(specs.Interfaces(), specs.Extras()) {
		t.Run(string(name+" says nothing wrong of resources"), func(t *testing.T) {
			t.Parallel()
			d := load(t, name)
			if err := d.CheckResources(); err != nil {
				t.Error(err)
			}
			for _, op := range d.Operations {
				if _, says := op.Spec.Extensions["x-resource"]; says && len(op.Actions()) == 0 {
					t.Errorf("%s: what it does to resources cannot be read", op.Name())
				}
			}
		})
	}
	t.Run("an operation that makes, changes or deletes says of what", func(t *testing.T) {
		t.Parallel()
		for _, name := range specs.Interfaces() {
			for _, op := range load(t, name).All() {
				word := strings.ToLower(op.ID)
				for _, verb := range []string{"create", "update", "delete", "remove", "add"} {
					if strings.HasPrefix(word, verb) && len(op.Actions()) == 0 {
						t.Errorf("%s says nothing of resources: add x-resource", op.Name())
					}
				}
			}
		}
	})
}

// What an operation does, written in short.
func actionsOf(op *specs.Operation) string {
	var list []string
	for _, a := range op.Actions() {
		text := a.Resource.Name + " " + a.Verb + " " + strings.Join(a.Path, "/")
		for _, at := range a.At {
			text += " at " + at.String()
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func TestActions(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"workflow.listPools":    "workflow.pool list  at /pools/*",
		"workflow.getPool":      "workflow.pool get poolId at ",
		"workflow.deletePool":   "workflow.pool delete poolId at ",
		"core.createDatabase":   "core.database create database_name", // the answer shows no database
		"core.deletePolicy":     "core.policy delete policy_id at ",
		"core.swapTables":       "core.table swap database_name/table_name_1; core.table  database_name/table_name_2",
		"core.issueJob":         "core.job create job_id at ; core.database  database_name",
		"ingestion.ingestEvent": "core.table ingest database_name/table_name",
		"dwh.runDwhWorkflow":    "dwh.integration run dwh_id; workflow.attempt   at ",
		"llm.listAgents":        "llm.agent list  at /data/*",
		"llm.updateAgent":       "llm.agent update id at /data",
		"core.deleteBulkLoad":   "core.bulk-load delete name",
		"core.getServerStatus":  "",
	} {
		iface, id, _ := strings.Cut(name, ".")
		if got := actionsOf(load(t, specs.Interface(iface)).Operation(id)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	core := load(t, specs.Core)
	table := core.Resource("core.table")
	if got, want := table.Parent(), "core.database"; got != want {
		t.Errorf("a table is a part of %q, want %q", got, want)
	}
	if !table.IsNamed() || core.Resource("core.job").IsNamed() {
		t.Error("clients name tables, and the platform numbers jobs")
	}
	if r := core.Resource("core.user"); r == nil || r.Provenance != specs.Assumed {
		t.Errorf("the extras' users: %+v", r)
	}
	llm := load(t, specs.LLM)
	if r := llm.ResourceOfType("textKnowledgeBases"); r == nil || r.Title != "text knowledge base" {
		t.Errorf("the resource of a type: %+v", r)
	}
	if got := llm.Resource("llm.agent").Parents; len(got) != 1 || got[0].Resource != "llm.project" {
		t.Errorf("the parents by default: %+v", got)
	}
	if !llm.Operation("listAgents").Actions()[0].IsPartial("filter[project_id]") {
		t.Error("a filtered list is whole")
	}
}

// ponds is a user's own document with one resource of its own.
const ponds = `openapi: 3.0.3
info: {title: Own, version: '1'}
servers: [{url: 'https://workflow.svc.example'}]
x-resources:
  pond: {path: [pondId], name: /name, parents: [{resource: lake, at: /lake}]}
  lake: {path: [lakeId]}
paths:
  /api/ponds:
    get:
      operationId: listPonds
      x-resource: {resource: pond, verb: list, at: /ponds/*}
      responses:
        '200':
          description: Ponds.
          content: {application/json: {schema: {type: object, properties: {ponds: {type: array, items: {$ref: '#/components/schemas/Pond'}}}}}}
  /api/ponds/{pondId}:
    get:
      operationId: getPond
      x-resource: {resource: pond, verb: get}
      parameters: [{name: pondId, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: A pond., content: {application/json: {schema: {$ref: '#/components/schemas/Pond'}}}}
  /api/pools/{pool}:
    get:
      operationId: pool
      parameters: [{name: pool, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: A pool., content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}
components:
  schemas:
    Pond: {type: object, properties: {id: {type: string}, name: {type: string}, lake: {type: string}}}
`

func TestResourcesOfAUsersDocument(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte(ponds), 0o600); err != nil {
		t.Fatal(err)
	}
	own, err := specs.LoadFile(specs.Workflow, file, specs.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"listPonds": "workflow.pond list  at /ponds/*",
		"getPond":   "workflow.pond get pondId at ",
		"getPool":   "workflow.pool get poolId at ", // as our document has it, which says nothing of itself here
	} {
		if got := actionsOf(own.Operation(id)); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if own.Resource("workflow.secret") == nil {
		t.Error("the resources of our document are not there")
	}
}

func TestWrongResources(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, now, want string }{
		"an unknown key": {
			"resource: pond, verb: get", "resource: pond, verbs: get",
			"own.yaml:19: /paths/~1api~1ponds~1{pondId}/get/x-resource: additionalProperties 'verbs' not allowed: want one of " +
				"at, changes,",
		},
		"a wrong type": {
			"path: [pondId]", "path: pondId",
			"own.yaml:5: /x-resources/pond/path: expected array, but got string",
		},
		"no pointer":  {"at: /ponds/*", "at: ponds", "/get/x-resource/at: does not match pattern"},
		"no resource": {"{resource: pond, verb: get}", "{verb: get}", "missing properties: 'resource'"},
		"not declared": {
			"resource: pond, verb: get", "resource: puddle, verb: get",
			"/x-resource/resource: unknown resource puddle; want one of workflow.attempt,",
		},
		"no parent": {
			"resource: lake, at", "resource: sea, at",
			"own.yaml:5: /x-resources/pond/parents: unknown resource workflow.sea",
		},
		"no parameter": {
			"pond: {path: [pondId]", "pond: {path: [pond]",
			"own.yaml:19: /paths/~1api~1ponds~1{pondId}/get/x-resource: /api/ponds/{pondId} has no path parameter pond: want " +
				"path with those of [pondId]",
		},
		"no such place": {
			"at: /ponds/*", "at: /pools/*",
			"own.yaml:11: /paths/~1api~1ponds/get/x-resource/at: \"/pools/*\" does not match",
		},
		"no key there": {"at: /ponds/*", "at: ''", `the object at "" has no /id`},
		"no such name": {
			"name: /name", "name: /title",
			`own.yaml:5: /x-resources/pond/name: "/title" does not match anything`,
		},
		"a mark of nothing": {
			"resource: pond, verb: get}", "resource: pond, verb: star, keeps: mark}",
			"own.yaml:19: /paths/~1api~1ponds~1{pondId}/get/x-resource/keeps: want reads: true beside it",
		},
		"a cycle": {
			"lake: {path: [lakeId]}", "lake: {path: [lakeId], parents: [{resource: pond, at: /pond}]}",
			"/x-resources/lake/parents: it would contain itself: workflow.lake, workflow.pond, workflow.lake",
		},
		"a path without the parent": {
			"parents: [{resource: lake, at: /lake}]}\n  lake: {path: [lakeId]}",
			"parents: [{resource: lake}]}\n  lake: {path: [sea, lakeId]}",
			"own.yaml:5: /x-resources/pond/path: pondId does not identify a lake, its parent",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(ponds, tt.old, tt.now, 1)
			if text == ponds {
				t.Fatalf("%q is not in the document", tt.old)
			}
			file := filepath.Join(t.TempDir(), "own.yaml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := specs.LoadFile(specs.Workflow, file, specs.Neutral); err == nil ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("error (-want +got):\n%s", cmp.Diff(tt.want, errorText(err)))
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
