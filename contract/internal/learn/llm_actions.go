package learn

import (
	"regexp"

	"go.yaml.in/yaml/v4"
)

const (
	integrationOfAgents = "llm.integration"
	actionKind          = "llm.action"
)

var actionAddress = regexp.MustCompile(`/(?:webhooks|actions)/([0-9a-f-]{36})/`)

// addActions adds the actions of an integration that only their addresses show.
func (b *llmBuilder) addActions(t *thing) {
	for _, entry := range t.first().Get("attributes.actions").Array() {
		for _, name := range []string{"webhookTextUrl", "chatappRequestUrl"} {
			found := actionAddress.FindStringSubmatch(entry.Get(name).String())
			if found == nil || b.known[nameOf(actionKind, found[1])] {
				continue
			}
			if shown := b.things.find(actionKind, found[1]); shown != nil && (shown.first().Exists() || !shown.wasThere()) {
				continue
			}
			m, attributes := newMapping(), newMapping()
			attributes.set("integrationId", t.id)
			attributes.set("promptId", entry.Get("promptId"))
			m.set("id", found[1])
			m.set("attributes", attributes)
			b.made[actionKind].add(m)
			b.known[nameOf(actionKind, found[1])] = true
		}
	}
}

// actionsOf returns what an integration that no answer shows lists, as the actions that answers show have it.
func (b *llmBuilder) actionsOf(integration string) *yaml.Node {
	list := emptyList()
	for _, t := range b.things.of("llm.action") {
		o := t.first().Get("attributes")
		if o.Get("integrationId").String() != integration || integration == "" {
			continue
		}
		m := newMapping()
		for _, name := range []string{"promptId", "chatWidgetType", "chatWidgetLabel"} {
			m.set(name, o.Get(name))
		}
		if tags := o.Get("uiTags"); len(tags.Array()) > 0 {
			m.set("uiTags", tags)
		}
		list.Style = 0
		list.Content = append(list.Content, m.node)
	}
	return list
}

// serviceBy returns the kind of an integration as an overview or the addresses of its actions show it.
func (b *llmBuilder) serviceBy(n *wanted) string {
	for _, t := range b.things.of(actionKind) {
		o := t.first().Get("attributes")
		if o.Get("integrationId").String() == n.id && o.Get("chatappRequestUrl").String() != "" {
			return "CHATAPP"
		}
	}
	return n.service
}
