package rule_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/internal/rule"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// What rules know by name has to be in the documents, or else they watch nothing.
func TestWhatRulesNameIsInTheDocuments(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range specs.Interfaces() {
		d, err := specs.Load(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range d.All() {
			known[op.Name()] = true
		}
		for _, r := range d.Resources() {
			known[r.Name] = true
		}
	}
	named := regexp.MustCompile(`"((?:ingestion|audience|dwh|core|llm|workflow)\.[A-Za-z-]+)"`)
	paths := regexp.MustCompile(`Get\("[^"]*"\)`) // into bodies
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range named.FindAllStringSubmatch(paths.ReplaceAllString(string(text), ""), -1) {
			if n++; !known[found[1]] {
				t.Errorf("%s: %s is no operation and no resource of the documents", file, found[1])
			}
		}
	}
	if n == 0 {
		t.Error("no file of the rules names an operation")
	}
}

// What was deleted is gone, whatever the documents describe: each resource is made, deleted, and then shown, missed, or
// shown after a deletion with an unknown outcome.
func TestWhatIsDeletedIsGone(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, name := range specs.Interfaces() {
		d, err := specs.Readable(name, specs.Neutral)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range livesOf(t, d) {
			tried++
			t.Run(l.resource.Name, func(t *testing.T) {
				t.Parallel()
				l.try(t)
			})
		}
	}
	if tried == 0 {
		t.Error("no resource of the documents can be deleted")
	}
}

func (l *life) try(t *testing.T) {
	t.Helper()
	var begin []*recording.Exchange
	if l.byVerb[specs.Create] != nil {
		begin = append(begin, l.exchange(specs.Create, 1, 200))
	}
	deleted := append(slices.Clip(begin), l.exchange(specs.Delete, 2, 200))
	unknown := append(slices.Clip(begin), l.exchange(specs.Delete, 2, 0))
	for _, verb := range []string{specs.Get, specs.List, specs.Update} {
		if l.byVerb[verb] == nil {
			continue
		}
		if got := l.verdicts(t, append(slices.Clip(deleted), l.exchange(verb, 3, 200))); !slices.Contains(got, report.Fail) {
			t.Errorf("%s after it was deleted: %v, want fail", verb, got)
		}
		if verb == specs.List {
			continue
		}
		if got := l.verdicts(t, append(slices.Clip(deleted), l.exchange(verb, 3, 404))); slices.Contains(got, report.Fail) ||
			len(got) > 0 && got[0] != report.Inconclusive {
			t.Errorf("%s is answered with 404 after it was deleted: %v, want none", verb, got)
		}
		if got := l.verdicts(t, append(slices.Clip(unknown), l.exchange(verb, 3, 200))); !slices.Contains(got,
			report.Inconclusive) || slices.Contains(got, report.Fail) {
			t.Errorf("%s after a deletion that was not answered: %v, want inconclusive", verb, got)
		}
	}
}

// verdicts are those of the rules that watch over deletions.
func (l *life) verdicts(t *testing.T, exchanges []*recording.Exchange) (list []report.Verdict) {
	t.Helper()
	return verdictsOf(t, checker(t), exchanges)
}

func verdictsOf(t *testing.T, c *contract.Checker, exchanges []*recording.Exchange) (list []report.Verdict) {
	t.Helper()
	r, err := c.Check(t.Context(), contract.Exchanges(slices.Values(exchanges)))
	if err != nil {
		t.Fatal(err)
	}
	watchers := []string{rule.UseAfterDelete, rule.TokenRevocation, rule.SubUserRemoval, rule.DWHDeletion}
	for _, f := range r.Findings {
		if slices.Contains(watchers, f.Rule) {
			list = append(list, f.Verdict)
		}
	}
	return list
}

// ponds is a user's own document with a resource that none of ours has.
const ponds = `openapi: 3.0.3
x-provenance: client
info: {title: Own, version: '1'}
servers: [{url: 'https://workflow.svc.example'}]
x-resources:
  lake: {path: [lakeId]}
  pond: {path: [pondId], parents: [{resource: lake, at: /lake}]}
paths:
  /api/lakes/{lakeId}:
    parameters: [{name: lakeId, in: path, required: true, schema: {type: string}}]
    delete: {x-resource: {resource: lake, verb: delete}, responses: {'204': {description: gone}}}
  /api/ponds:
    get:
      x-resource: {resource: pond, verb: list, at: /ponds/*}
      responses: {'200': {description: ponds, content: {application/json: {schema: {properties: {ponds: {items: {$ref: '#/components/schemas/Pond'}}}}}}}}
  /api/ponds/{pondId}:
    parameters: [{name: pondId, in: path, required: true, schema: {type: string}}]
    get:
      x-resource: {resource: pond, verb: get}
      responses:
        '200': {description: a pond, content: {application/json: {schema: {$ref: '#/components/schemas/Pond'}}}}
        '404': {description: no pond}
    delete: {x-resource: {resource: pond, verb: delete}, responses: {'204': {description: gone}}}
components: {schemas: {Pond: {properties: {id: {type: string}, lake: {type: string}}}}}
`

func TestAResourceOfAUsersOwnDocumentIsWatched(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte(ponds), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := contract.NewChecker(contract.WithSpec("workflow", file))
	if err != nil {
		t.Fatal(err)
	}
	const pond = `{"id":"7","lake":"3"}`
	for name, tt := range map[string]struct {
		script string
		want   string
	}{
		"it is read":      {"DELETE /ponds/7 => 204\nGET /ponds/7 => 200 " + pond, "[fail]"},
		"it is listed":    {"DELETE /ponds/7 => 204\nGET /ponds => 200 {\"ponds\":[" + pond + "]}", "[fail]"},
		"it is not found": {"DELETE /ponds/7 => 204\nGET /ponds/7 => 404", "[]"},
		"it went with its lake": {
			"GET /ponds/7 => 200 " + pond + "\nDELETE /lakes/3 => 204\nGET /ponds/7 => 200 " + pond,
			"[fail]",
		},
		"the deletion was lost": {"DELETE /ponds/7 => 0\nGET /ponds/7 => 200 " + pond, "[inconclusive]"},
		"it is read meanwhile":  {"1-5 DELETE /ponds/7 => 204\n2-3 GET /ponds/7 => 200 " + pond, "[]"},
		// the document has no pools
		"what is ours, as ours": {"DELETE /pools/7 => 200 {pool 7 1}\nGET /pools/7 => 200 {pool 7 1}", "[]"},
		"another lake was taken": {
			"GET /ponds/7 => 200 " + pond + "\nDELETE /lakes/4 => 204\nGET /ponds/7 => 200 " + pond,
			"[]",
		},
	} {
		if got := fmt.Sprint(verdictsOf(t, c, script(t, tt.script))); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
