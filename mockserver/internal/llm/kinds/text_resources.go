package kinds

import (
	"errors"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// TextResources is the kind of text resources.
var TextResources = jsonapi.NewKind(jsonapi.KindOf[world.TextResource]{
	Type: "textResources", Noun: "text resource",
	Set:    setTextResource,
	Remove: removeTextResource,
	Filters: map[string]jsonapi.Filter[world.TextResource]{
		"name": jsonapi.Equal(func(t world.TextResource) string { return t.Name }),
		"fulltext": jsonapi.Containing(func(t world.TextResource) []string {
			return []string{t.Name, jsonapi.OrEmpty(t.Description), t.Text}
		}),
	},
})

func setTextResource(_ *op.Call, _, after *world.Resource[world.TextResource]) error {
	return errors.Join(jsonapi.RequireText("name", after.Attributes.Name),
		jsonapi.RequireText("text", after.Attributes.Text))
}

// removeTextResource takes the text from the schedules that use it (assumed).
func removeTextResource(c *op.Call, r world.Resource[world.TextResource]) error {
	jsonapi.UpdateWhere(&c.World.LLM.AgentSchedules, func(s *world.AgentSchedule) bool {
		uses := jsonapi.OrEmpty(s.TextResourceID) == r.UUID
		if uses {
			s.TextResourceID = nil
		}
		return uses
	})
	return nil
}
