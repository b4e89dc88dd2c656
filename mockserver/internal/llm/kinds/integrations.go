package kinds

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

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
	for _, action := range table.All(&w.LLM.Actions) {
		if action.Attributes.IntegrationID == integration && action.Attributes.PromptID == prompt {
			return action, true
		}
	}
	return world.Resource[world.Action]{}, false
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
