package kinds

import (
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Actions is the kind of actions, by which integrations run prompts.
var Actions = jsonapi.NewKind(jsonapi.KindOf[world.Action]{
	Type: "actions", Noun: "action",
	Filters: map[string]jsonapi.Filter[world.Action]{
		"parent_segment_id": InParentSegment[world.Action],
		"project_id":        ofIntegration(func(i world.Integration, text string) bool { return i.ProjectID == text }),
		"prompt_id":         jsonapi.Equal(func(a world.Action) string { return a.PromptID }),
		"service_type":      ofIntegration(func(i world.Integration, text string) bool { return i.ServiceType == text }),
		"skip_managed": ofIntegration(func(i world.Integration, text string) bool {
			skip := text == "true" || text == "auto" && i.ChatIgnoreManagedActions
			return !skip || !i.IsManaged
		}),
		"ui_tags": tagged,
	},
	View: func(c *op.Call, a world.Resource[world.Action]) any {
		i, _ := jsonapi.Find(c.World, a.Attributes.IntegrationID, &c.World.LLM.Integrations)
		a.Attributes.WebhookTextURL, a.Attributes.ChatappRequestURL = addresses(c, i.Attributes.ServiceType, a.UUID)
		return a.Attributes
	},
	Links: func(self string) any { return actionLinks{Self: self} },
})

// actionLinks holds the links of an action. The mock has no page to chat on, so that link is null.
type actionLinks struct {
	Self string  `json:"self"`
	Chat *string `json:"chat"`
}

// ofIntegration returns a filter that passes the actions whose integration fits the filter's text.
func ofIntegration(fits func(i world.Integration, text string) bool) jsonapi.Filter[world.Action] {
	return func(c *op.Call, text string) (func(world.Resource[world.Action]) bool, error) {
		return func(a world.Resource[world.Action]) bool {
			i, ok := jsonapi.Find(c.World, a.Attributes.IntegrationID, &c.World.LLM.Integrations)
			return ok && fits(i.Attributes, text)
		}, nil
	}
}

// tagged returns a test that passes the actions with a tag.
func tagged(_ *op.Call, text string) (func(world.Resource[world.Action]) bool, error) {
	if !isTag(text) {
		return nil, jsonapi.BadRequest("filter[ui_tags]", jsonapi.ReasonFilter,
			"want a tag of the form key:value, not %q", text)
	}
	return func(a world.Resource[world.Action]) bool { return slices.Contains(a.Attributes.UITags, text) }, nil
}

// isTag reports whether a text has the form key:value.
func isTag(text string) bool {
	key, value, ok := strings.Cut(text, ":")
	return ok && key != "" && value != ""
}

// addresses returns the addresses at which an action is called: a webhook's or a chat app's, by the kind of its
// integration.
func addresses(c *op.Call, serviceType, action string) (webhookText, chatappRequest *string) {
	switch serviceType {
	case webhook:
		address := c.Base + "/api/webhooks/" + action + "/text"
		return &address, nil
	case Chatapp:
		address := c.Base + "/api/actions/" + action + "/chatapp"
		return nil, &address
	}
	return nil, nil
}

// InParentSegment returns a filter that passes no resource: only the platform creates resources of a parent segment
// (assumed).
func InParentSegment[A any](_ *op.Call, text string) (func(world.Resource[A]) bool, error) {
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return nil, jsonapi.BadRequest("filter[parent_segment_id]", jsonapi.ReasonFilter, "want a number, not %q", text)
	}
	return func(world.Resource[A]) bool { return false }, nil
}
