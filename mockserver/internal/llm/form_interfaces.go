package llm

import (
	"errors"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

const formInterfaceType = "formInterfaces"

var formInterfaces = newKind(kindOf[world.FormInterface]{
	Type: formInterfaceType, Noun: "form interface",
	Set: setFormInterface,
	Remove: func(c *op.Call, f world.Resource[world.FormInterface]) error {
		dropInterfaces(c.World, idSet{f.UUID: true})
		return nil
	},
	Filters: map[string]filter[world.FormInterface]{
		"name":       equal(func(f world.FormInterface) string { return f.Name }),
		"project_id": equal(func(f world.FormInterface) string { return f.ProjectID }),
	},
	Related: func(_ *world.World, f world.Resource[world.FormInterface], relation string) []identifier {
		if relation == "project" {
			return []identifier{{"projects", f.Attributes.ProjectID}}
		}
		return nil
	},
})

func setFormInterface(c *op.Call, _, after *world.Resource[world.FormInterface]) error {
	f := &after.Attributes
	f.UseTextResource = takesTextResource(f)
	return errors.Join(
		requireRef(c, "projectId", f.ProjectID, &c.World.LLM.Projects), requireRef(c, "agentId", f.AgentID, &c.World.LLM.Agents),
		requireText("name", f.Name), requireText("promptTemplate", f.PromptTemplate),
		requireObject("formJsonSchema", f.FormJSONSchema), optionalObject("formUiSchema", f.FormUISchema),
	)
}

// takesTextResource: a form takes a text resource when its template or its schema speaks of one (assumed).
func takesTextResource(f *world.FormInterface) bool {
	return strings.Contains(f.FormJSONSchema, "textResource") || strings.Contains(f.PromptTemplate, "textResource")
}
