package llm

import (
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

var actions = newKind(kindOf[world.Action]{
	Type: "actions", Noun: "action",
	Filters: map[string]filter[world.Action]{
		"parent_segment_id": inParentSegment[world.Action],
		"project_id":        ofIntegration(func(i world.Integration, text string) bool { return i.ProjectID == text }),
		"prompt_id":         equal(func(a world.Action) string { return a.PromptID }),
		"service_type":      ofIntegration(func(i world.Integration, text string) bool { return i.ServiceType == text }),
		"skip_managed": ofIntegration(func(i world.Integration, text string) bool {
			skip := text == "true" || text == "auto" && i.ChatIgnoreManagedActions
			return !skip || !i.IsManaged
		}),
		"ui_tags": tagged,
	},
	View: func(c *op.Call, a world.Resource[world.Action]) any {
		i, _ := find(c.World, a.Attributes.IntegrationID, &c.World.LLM.Integrations)
		a.Attributes.WebhookTextURL, a.Attributes.ChatappRequestURL = addresses(c, i.Attributes.ServiceType, a.UUID)
		return a.Attributes
	},
	Links: func(self string) any { return actionLinks{Self: self} },
})

// actionLinks are the links of an action. There is no page to chat on, so that of the chat is null.
type actionLinks struct {
	Self string  `json:"self"`
	Chat *string `json:"chat"`
}

// ofIntegration passes the actions whose integration fits the filter's text.
func ofIntegration(fits func(i world.Integration, text string) bool) filter[world.Action] {
	return func(c *op.Call, text string) (func(world.Resource[world.Action]) bool, error) {
		return func(a world.Resource[world.Action]) bool {
			i, ok := find(c.World, a.Attributes.IntegrationID, &c.World.LLM.Integrations)
			return ok && fits(i.Attributes, text)
		}, nil
	}
}

// tagged passes the actions that carry a tag.
func tagged(_ *op.Call, text string) (func(world.Resource[world.Action]) bool, error) {
	if !isTag(text) {
		return nil, badRequest("filter[ui_tags]", reasonFilter, "want a tag of the form key:value, not %q", text)
	}
	return func(a world.Resource[world.Action]) bool { return slices.Contains(a.Attributes.UITags, text) }, nil
}

// isTag reports whether a text has the form key:value.
func isTag(text string) bool {
	key, value, ok := strings.Cut(text, ":")
	return ok && key != "" && value != ""
}

// addresses are those by which an action is called: a webhook's or a chat app's, by the kind of its integration.
func addresses(c *op.Call, serviceType, action string) (webhookText, chatappRequest *string) {
	switch serviceType {
	case webhook:
		address := c.Base + "/api/webhooks/" + action + "/text"
		return &address, nil
	case chatapp:
		address := c.Base + "/api/actions/" + action + "/chatapp"
		return nil, &address
	}
	return nil, nil
}

// inParentSegment passes no resource: what belongs to a parent segment is made by the platform alone (assumed).
func inParentSegment[A any](_ *op.Call, text string) (func(world.Resource[A]) bool, error) {
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return nil, badRequest("filter[parent_segment_id]", reasonFilter, "want a number, not %q", text)
	}
	return func(world.Resource[A]) bool { return false }, nil
}
