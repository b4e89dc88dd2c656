package dwh_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// Answers have all the members that the document has, and no other.
func TestForms(t *testing.T) {
	t.Parallel()
	doc, err := specs.Load(specs.DWH, "")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t)
	path := c.create()
	run := c.Put(path+"/run_workflow", "").Want(200)
	for name, got := range map[string]jsontree.Value{
		"DwhIntegration":     c.Get(path).Value(""),
		"DwhIntegrationList": c.Get("/v1/dwh/").Value(""),
		"Pagination":         c.Get("/v1/dwh/").Value("pagination"),
		"DwhConfigs":         c.Get(path + "/configs").Value(""),
		"BulkloadSession":    c.Get(path + "/bulkload_sessions").Value("0"),
		"WorkflowRun":        run.Value(""),
		"SessionAttempt":     c.Get(path + "/session_attempts").Value("items.0"),
		"GuessResult":        c.Post("/v1/guess", `{"basic_configs": `+lake+`}`).Value(""),
		"Error":              c.Get("/v1/dwh/9").Value(""),
	} {
		schema := doc.T.Components.Schemas[name].Value
		var members []string
		for member := range got.Each {
			members = append(members, member.Name())
		}
		slices.Sort(members)
		if d := cmp.Diff(slices.Sorted(maps.Keys(propertiesOf(schema))), members); d != "" {
			t.Errorf("%s (-document +answer)\n%s", name, d)
		}
	}
	c.Get("/v1/dwh/9").Wants("error",
		`{"code":404,"detail":{},"message":"integration with id 9 not found","title":"Not Found"}`)
}

func propertiesOf(schema *openapi3.Schema) openapi3.Schemas {
	all := maps.Clone(schema.Properties)
	for _, part := range schema.AllOf {
		maps.Copy(all, propertiesOf(part.Value))
	}
	return all
}
