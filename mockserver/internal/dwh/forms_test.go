package dwh_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

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
	for name, got := range map[string]gjson.Result{
		"DwhIntegration":     c.Get(path).Value("@this"),
		"DwhIntegrationList": c.Get("/v1/dwh/").Value("@this"),
		"Pagination":         c.Get("/v1/dwh/").Value("pagination"),
		"DwhConfigs":         c.Get(path + "/configs").Value("@this"),
		"BulkloadSession":    c.Get(path + "/bulkload_sessions").Value("0"),
		"WorkflowRun":        run.Value("@this"),
		"SessionAttempt":     c.Get(path + "/session_attempts").Value("items.0"),
		"GuessResult":        c.Post("/v1/guess", `{"basic_configs": `+lake+`}`).Value("@this"),
		"Error":              c.Get("/v1/dwh/9").Value("@this"),
	} {
		schema := doc.T.Components.Schemas[name].Value
		var members []string
		got.ForEach(func(key, _ gjson.Result) bool { members = append(members, key.String()); return true })
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
