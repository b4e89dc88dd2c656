package llm

import (
	"errors"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

var textResources = newKind(kindOf[world.TextResource]{
	Type: "textResources", Noun: "text resource",
	Set:    setTextResource,
	Remove: removeTextResource,
	Filters: map[string]filter[world.TextResource]{
		"name": equal(func(t world.TextResource) string { return t.Name }),
		"fulltext": containing(func(t world.TextResource) []string {
			return []string{t.Name, orEmpty(t.Description), t.Text}
		}),
	},
})

func setTextResource(_ *op.Call, _, after *world.Resource[world.TextResource]) error {
	return errors.Join(requireText("name", after.Attributes.Name), requireText("text", after.Attributes.Text))
}

// removeTextResource takes the text from the schedules that use it (assumed).
func removeTextResource(c *op.Call, r world.Resource[world.TextResource]) error {
	updateWhere(&c.World.LLM.AgentSchedules, func(s *world.AgentSchedule) bool {
		uses := orEmpty(s.TextResourceID) == r.UUID
		if uses {
			s.TextResourceID = nil
		}
		return uses
	})
	return nil
}
