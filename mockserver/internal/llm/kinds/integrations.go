package kinds

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// The kinds of integrations with rules of their own (public).
const (
	webhook = "WEBHOOK"
	Chatapp = "CHATAPP"
)

// InChannel is the message mode in which all members of a channel see the answers (public).
const InChannel = "in_channel"

// Integrations is the kind of integrations with other services.
var Integrations = jsonapi.NewKind(jsonapi.KindOf[world.Integration]{
	Type: "integrations", Noun: "integration",
	New: func(_ *op.Call, i *world.Integration) { i.ChatappMessageMode = InChannel },
	Set: setIntegration,
	Remove: func(c *op.Call, i world.Resource[world.Integration]) error {
		jsonapi.DeleteWhere(c.World, &c.World.LLM.Actions,
			func(a world.Action) bool { return a.IntegrationID == i.UUID })
		return nil
	},
	View: viewIntegration,
})

func setIntegration(c *op.Call, _, after *world.Resource[world.Integration]) error {
	i := &after.Attributes
	errs := []error{
		jsonapi.RequireRef(c, "projectId", i.ProjectID, &c.World.LLM.Projects),
		jsonapi.RequireText("serviceType", i.ServiceType),
		checkActions(c, i.Actions),
	}
	setCredentials(c, after)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	setActions(c, after)
	return nil
}

// setCredentials generates the credentials of a webhook's callers, unless the client has sent them.
func setCredentials(c *op.Call, r *world.Resource[world.Integration]) {
	i := &r.Attributes
	if i.WebhookAuthorizationHeader = ""; i.ServiceType != webhook {
		return
	}
	chance := c.World.Random("llm.webhook", r.ID)
	if i.WebhookAuthorizationUsername == nil {
		user := "webhook-" + hex.EncodeToString(chance[:4])
		i.WebhookAuthorizationUsername = &user
	}
	if i.WebhookAuthorizationPassword == nil {
		password := hex.EncodeToString(chance[4:20])
		i.WebhookAuthorizationPassword = &password
	}
	pair := *i.WebhookAuthorizationUsername + ":" + *i.WebhookAuthorizationPassword
	i.WebhookAuthorizationHeader = "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
}

// checkActions requires prompts that exist, each once, and tags of the form key:value.
func checkActions(c *op.Call, actions []world.IntegrationAction) error {
	var errs []error
	seen := jsonapi.IDSet{}
	for n, action := range actions {
		prompt := jsonapi.AttributeAt("actions", n, "promptId")
		errs = append(errs, jsonapi.RequireRef(c, prompt, action.PromptID, &c.World.LLM.Prompts))
		if seen[action.PromptID] {
			errs = append(errs, jsonapi.Unprocessable(prompt, jsonapi.NotUnique,
				"the prompt %s is already used by an action of the integration", action.PromptID))
		}
		seen[action.PromptID] = true
		for m, tag := range action.UITags {
			if !isTag(tag) {
				attribute := fmt.Sprintf("%s.%d", jsonapi.AttributeAt("actions", n, "uiTags"), m)
				errs = append(errs, jsonapi.Unprocessable(attribute, jsonapi.InvalidFormat,
					"want a tag of the form key:value, not %q", tag))
			}
		}
	}
	return errors.Join(errs...)
}

// setActions updates the actions to what the integration lists: actions of prompts that remain keep their ids.
func setActions(c *op.Call, i *world.Resource[world.Integration]) {
	rows := &c.World.LLM.Actions
	jsonapi.DeleteWhere(c.World, rows, func(a world.Action) bool {
		stays := func(entry world.IntegrationAction) bool { return entry.PromptID == a.PromptID }
		return a.IntegrationID == i.UUID && !slices.ContainsFunc(i.Attributes.Actions, stays)
	})
	for _, entry := range i.Attributes.Actions {
		action, ok := actionOf(c.World, i.UUID, entry.PromptID)
		if !ok {
			action = jsonapi.NewResource[world.Action](c, c.World.NewID(jsonapi.Sequence))
		}
		action.Attributes = world.Action{
			IntegrationID: i.UUID, PromptID: entry.PromptID,
			ChatWidgetType: entry.ChatWidgetType, ChatWidgetLabel: entry.ChatWidgetLabel, UITags: entry.UITags,
		}
		rows.Put(action.ID, action)
	}
}

// actionOf returns the action of an integration that runs a prompt.
func actionOf(w *world.State, integration, prompt string) (world.Resource[world.Action], bool) {
	return table.First(&w.LLM.Actions, func(a world.Resource[world.Action]) bool {
		return a.Attributes.IntegrationID == integration && a.Attributes.PromptID == prompt
	})
}

// viewIntegration adds the addresses of the actions, which depend on the base address of the request.
func viewIntegration(c *op.Call, r world.Resource[world.Integration]) any {
	entries := slices.Clone(r.Attributes.Actions)
	for n := range entries {
		if action, ok := actionOf(c.World, r.UUID, entries[n].PromptID); ok {
			service := r.Attributes.ServiceType
			entries[n].WebhookTextURL, entries[n].ChatappRequestURL = addresses(c, service, action.UUID)
		}
	}
	r.Attributes.Actions = entries
	return jsonapi.WithTimes(r)
}

// Actions is the kind of actions, by which integrations run prompts.
var Actions = jsonapi.NewKind(jsonapi.KindOf[world.Action]{
	Type: "actions", Noun: "action",
	Filters: map[string]jsonapi.Filter[world.Action]{
		"parent_segment_id": InParentSegment[world.Action],
		"project_id":        filterByIntegration(func(i world.Integration, text string) bool { return i.ProjectID == text }),
		"prompt_id":         jsonapi.Equal(func(a world.Action) string { return a.PromptID }),
		"service_type": filterByIntegration(func(i world.Integration,
			text string,
		) bool {
			return i.ServiceType == text
		}),
		"skip_managed": filterByIntegration(func(i world.Integration, text string) bool {
			skip := text == "true" || text == "auto" && i.ChatIgnoreManagedActions
			return !skip || !i.IsManaged
		}),
		"ui_tags": hasTag,
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

// filterByIntegration returns a filter that passes the actions whose integration fits the filter's text.
func filterByIntegration(fits func(i world.Integration, text string) bool) jsonapi.Filter[world.Action] {
	return func(c *op.Call, text string) (func(world.Resource[world.Action]) bool, error) {
		return func(a world.Resource[world.Action]) bool {
			i, ok := jsonapi.Find(c.World, a.Attributes.IntegrationID, &c.World.LLM.Integrations)
			return ok && fits(i.Attributes, text)
		}, nil
	}
}

// hasTag returns a test that passes the actions with a tag.
func hasTag(_ *op.Call, text string) (func(world.Resource[world.Action]) bool, error) {
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
