package specs_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"svc.example/understudy/specs"
)

// otherKinds are the kinds of ids that no document describes as resources.
var otherKinds = []string{
	"audience.query", "core.account", "core.connection-number", "core.schedule-number", "dwh.bulkload-session",
	"dwh.configs", "dwh.configuration-digest",
}

// listed stands for the resource that the operation lists.
const listed = "listed"

// A schema that says that its values are ids names a resource of one of the documents, or one of a few other kinds.
func TestIDsAreOfResources(t *testing.T) {
	t.Parallel()
	known := slices.Clone(otherKinds)
	for _, name := range specs.Interfaces() {
		for _, r := range load(t, name).Resources() {
			known = append(known, r.Name)
		}
	}
	used := map[string]bool{}
	for _, name := range slices.Concat(specs.Interfaces(), specs.Extras()) {
		d := load(t, name)
		for kind, line := range idsOf(t, d) {
			word := kind
			if !strings.Contains(kind, ".") {
				word = strings.TrimPrefix(string(d.Interface), "extras/") + "." + kind
			}
			used[word] = true
			if !slices.Contains(known, word) && kind != listed {
				t.Errorf("%s:%d: x-id-of: %s is not a resource, nor one of %s", d.File, line, word, strings.Join(otherKinds, ", "))
			}
		}
	}
	for _, kind := range otherKinds {
		if !used[kind] {
			t.Errorf("no document has an id of %s: remove it from the list of this test", kind)
		}
	}
}

// idsOf returns the kinds of ids of a document, with the line of the first one.
func idsOf(t *testing.T, d *specs.Document) map[string]int {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal(d.Source(), &root); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 && child.Value == "x-id-of" && kinds[n.Content[i+1].Value] == 0 {
				kinds[n.Content[i+1].Value] = child.Line
			}
			walk(child)
		}
	}
	walk(&root)
	return kinds
}

// A document of a user's own may say of what its ids are.
func TestIDsOfOwnDocuments(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"pool":             "",
		"workflow.project": "",
		"Some Pool":        "workflow.yaml:2: .*x-id-of: does not match pattern",
	} {
		_, err := loadFile(t, "workflow.yaml", fmt.Sprintf(`{openapi: 3.0.3, info: {title: t, version: "1"}, x-resources: {},
components: {schemas: {Pond: {type: object, properties: {near: {type: array, items: {type: string, x-id-of: %q}}}}}},
paths: {/api/ponds: {get: {operationId: listPonds, responses: {"200": {description: ponds}}}}}}`, kind))
		if want == "" && err != nil || want != "" && (err == nil || !regexp.MustCompile(want).MatchString(err.Error())) {
			t.Errorf("%s: error %v, want %q", kind, err, want)
		}
	}
}
