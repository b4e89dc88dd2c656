package kinds

import (
	"errors"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// FormInterfaceType is the type of form interfaces in answers.
const FormInterfaceType = "formInterfaces"

// FormInterfaces is the kind of form interfaces.
var FormInterfaces = jsonapi.NewKind(jsonapi.KindOf[world.FormInterface]{
	Type: FormInterfaceType, Noun: "form interface",
	Set: setFormInterface,
	Remove: func(c *op.Call, f world.Resource[world.FormInterface]) error {
		dropInterfaces(c.World, jsonapi.IDSet{f.UUID: true})
		return nil
	},
	Filters: map[string]jsonapi.Filter[world.FormInterface]{
		"name":       jsonapi.Equal(func(f world.FormInterface) string { return f.Name }),
		"project_id": jsonapi.Equal(func(f world.FormInterface) string { return f.ProjectID }),
	},
	Related: func(_ *world.State, f world.Resource[world.FormInterface], relation string) []jsonapi.Identifier {
		if relation == "project" {
			return []jsonapi.Identifier{{Type: "projects", ID: f.Attributes.ProjectID}}
		}
		return nil
	},
})

func setFormInterface(c *op.Call, _, after *world.Resource[world.FormInterface]) error {
	f := &after.Attributes
	f.UseTextResource = takesTextResource(f)
	return errors.Join(
		jsonapi.RequireRef(c, "projectId", f.ProjectID, &c.World.LLM.Projects),
		jsonapi.RequireRef(c, "agentId", f.AgentID, &c.World.LLM.Agents),
		jsonapi.RequireText("name", f.Name), jsonapi.RequireText("promptTemplate", f.PromptTemplate),
		jsonapi.RequireObject("formJsonSchema", f.FormJSONSchema),
		jsonapi.OptionalObject("formUiSchema", f.FormUISchema),
	)
}

// takesTextResource reports whether a form accepts a text resource: its template or its schema mentions one (assumed).
func takesTextResource(f *world.FormInterface) bool {
	return strings.Contains(f.FormJSONSchema, "textResource") || strings.Contains(f.PromptTemplate, "textResource")
}
