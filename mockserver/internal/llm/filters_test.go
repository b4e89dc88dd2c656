package llm_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
	"svc.example/understudy/specs"
)

// filterID returns the id of a resource of filterCast.
func filterID(n int) string { return fmt.Sprintf("20000000-0000-4000-8000-%012d", n) }

// The resources of filterCast that filters name.
const (
	castStore = iota + 1
	castOffice
	castHelper
	castClerk
	castPrompt
	castForm
	castWindow
	castHook
	castFormChat
	castWindowChat
)

// filterCast has resources of all kinds that have lists, so that each filter passes some of them.
var filterCast = strings.NewReplacer(
	"STORE", filterID(castStore), "OFFICE", filterID(castOffice), "HELPER", filterID(castHelper), "CLERK",
	filterID(castClerk),
	"ASK", filterID(castPrompt), "FORMCHAT", filterID(castFormChat), "WINDOWCHAT", filterID(castWindowChat), "FORM",
	filterID(castForm),
	"WINDOW", filterID(castWindow), "INTEGRATION", filterID(castHook),
).Replace(`
llm:
  projects:
  - {id: STORE, attributes: {name: Store, description: for the shop window}}
  - {id: OFFICE, attributes: {name: Office}}
  - {attributes: {name: Empty}}
  textResources:
  - {attributes: {name: Style, text: Be brief.}}
  - {attributes: {name: Hours, text: From nine to five.}}
  textKnowledgeBases: [{attributes: {projectId: Store, name: Rules, text: Goods can be sent back.}}]
  agents:
  - {id: HELPER, attributes: {projectId: Store, name: Helper, modelType: gpt-5}}
  - {id: CLERK, attributes: {projectId: Office, name: Clerk, modelType: gpt-5}}
  prompts:
  - {id: ASK, attributes: {projectId: Store, agentId: Helper, name: Ask, template: Go on.}}
  - {attributes: {projectId: Office, agentId: Clerk, name: Tell, template: Go on.}}
  integrations:
  - {id: INTEGRATION, attributes: {projectId: Store, serviceType: WEBHOOK, actions: [{promptId: Ask, uiTags: ['team:sales']}]}}
  - {attributes: {projectId: Office, serviceType: CHATAPP, actions: [{promptId: Tell, uiTags: ['team:support']}]}}
  chatInterfaces:
  - {id: WINDOW, attributes: {projectId: Office, name: Window, textInputEnabled: true, textInputAgentId: Clerk}}
  - {attributes: {projectId: Empty, name: Door, textInputEnabled: false}}
  formInterfaces:
  - {id: FORM, attributes: {projectId: Store, agentId: Helper, name: Form, promptTemplate: Go, formJsonSchema: '{}'}}
  - {attributes: {projectId: Office, agentId: Clerk, name: Sheet, promptTemplate: Go, formJsonSchema: '{}'}}
  agentSchedules:
  - attributes:
      {projectId: Store, agentId: Helper, formInterfaceId: Form, name: Morning, repeatUnit: daily, repeatFrequency: 1,
       timezone: UTC, startAt: '2026-02-01T09:00:00', parameterValues: {}}
  - attributes:
      {projectId: Office, agentId: Clerk, chatInterfaceId: Window, name: Evening, repeatUnit: daily, repeatFrequency: 1,
       timezone: UTC, startAt: '2026-02-01T19:00:00', parameterValues: {input: Go on.}}
  chats:
  - {id: FORMCHAT, attributes: {formInterfaceId: Form}}
  - {id: WINDOWCHAT, attributes: {chatInterfaceId: Window}}
  - {attributes: {promptId: Ask, integrationId: INTEGRATION}}
  chatAttachments:
  - {attributes: {chatId: FORMCHAT, inputFieldName: null, contentType: text/plain, binaryBase64: aGk=}}
  - {attributes: {chatId: WINDOWCHAT, inputFieldName: null, contentType: text/plain, binaryBase64: aGk=}}
`)

// newFilters returns a mock with filterCast, in which the first two chats have an artifact each, the attachment of the
// first is sent, and the last project and the last integration are managed.
func newFilters(t *testing.T) *mocktest.Client {
	t.Helper()
	c := mocktest.New(t, "llm").Load(filterCast)
	text := mockserver.TurnArtifact{Output: "report", ArtifactType: "MARKDOWN_TEXT_OUTPUT", TextContent: new("# A")}
	llmtest.ScriptChat(c, mockserver.Turn{Events: []mockserver.TurnEvent{{Artifact: &text}}})
	c.Post("/api/chats/"+filterID(castFormChat)+"/continue", `{"input":"Go on."}`).Want(http.StatusOK)
	llmtest.Make(c, "chat_attachments",
		`{"chatId":"`+filterID(castFormChat)+`","inputFieldName":null,"contentType":"text/plain","binaryBase64":"aGk="}`)
	c.Post("/api/chats/"+filterID(castWindowChat)+"/continue", `{"input":"Go on."}`).Want(http.StatusOK)
	c.Edit(func(state string) string {
		for _, edit := range []struct {
			resource        string
			at              int
			attribute, text string
		}{
			{"Projects", 2, "isManaged", "true"},
			{"Projects", 2, "managedType", `"PACKAGE"`},
			{"Integrations", 1, "isManaged", "true"},
		} {
			root := jsontree.Parse(state)
			id := slices.Collect(root.Get("state", "llm", edit.resource).Each)[edit.at].Name()
			state = root.With(edit.text, "state", "llm", edit.resource, id, "attributes", edit.attribute)
		}
		return state
	})
	return c
}

// passing holds, by value of a filter, the positions of the passing resources in the list without filters.
type passing map[string][]int

// filterCases holds values of all filters, by operation, with the resources that pass.
var filterCases = map[string]map[string]passing{
	"listActions": {
		"filter[parent_segment_id]": {"61": {}}, // only resources that the platform creates belong to one
		"filter[project_id]":        {filterID(castStore): {0}, llmtest.NoID: {}},
		"filter[prompt_id]":         {filterID(castPrompt): {0}},
		"filter[service_type]":      {"CHATAPP": {1}},
		"filter[skip_managed]":      {"true": {0}, "false": {0, 1}},
		"filter[ui_tags]":           {"team:support": {1}, "team:none": {}},
	},
	"listAgentSchedules": {
		"filter[agentId]":         {filterID(castHelper): {0}},
		"filter[projectId]":       {filterID(castOffice): {1}},
		"filter[formInterfaceId]": {filterID(castForm): {0}},
		"filter[chatInterfaceId]": {filterID(castWindow): {1}},
		"filter[interfaceType]":   {"form": {0}, "chat": {1}, "fax": {}},
	},
	"listAgents": {"filter[project_id]": {filterID(castStore): {0}, filterID(castOffice): {1}, llmtest.NoID: {}}},
	"listArtifacts": {
		"filter[chat_id]":           {filterID(castFormChat): {0}},
		"filter[chat_interface_id]": {filterID(castWindow): {1}},
		"filter[form_interface_id]": {filterID(castForm): {0}},
	},
	"listChatAttachments": {
		"filter[attachment_type]": {"USER_INPUT": {0, 1}, "USER_INPUT_DRAFT": {2}},
		"filter[chat_id]":         {filterID(castWindowChat): {1}},
	},
	"listChatInterfaces": {
		"filter[name]":       {"Door": {1}, "Doo": {}},
		"filter[project_id]": {filterID(castOffice): {0}},
	},
	"listChats": {
		"filter[chat_interface_id]": {filterID(castWindow): {1}},
		"filter[form_interface_id]": {filterID(castForm): {0}},
		"filter[has_artifacts]":     {"true": {0, 1}, "false": {2}},
		"filter[parent_segment_id]": {"61": {}},
		"filter[project_id]":        {filterID(castStore): {0, 2}},
		"filter[service_type]":      {"WEBHOOK": {2}},
	},
	"listFormInterfaces": {
		"filter[name]":       {"Sheet": {1}},
		"filter[project_id]": {filterID(castStore): {0}},
	},
	"listProjects": {
		"filter[fulltext]":            {"SHOP": {0}},
		"filter[hasInterfaces]":       {"form": {0, 1}, "chat": {1, 2}},
		"filter[has_form_interfaces]": {"true": {0, 1}, "false": {2}},
		"filter[is_managed]":          {"true": {2}, "false": {0, 1}},
		"filter[manage_type]":         {"PACKAGE,OTHER": {2}},
	},
	"listTextResources": {
		"filter[fulltext]": {"nine": {1}},
		"filter[name]":     {"Style": {0}},
	},
	"listToolTargets": {
		"filter[name]":        {"Clerk": {2}},
		"filter[project_id]":  {filterID(castStore): {0, 1}},
		"filter[target_type]": {"agent": {1, 2}},
	},
}

// lists returns the operations that list resources, which have pages.
func lists(t *testing.T) []*specs.Operation {
	t.Helper()
	doc, err := specs.Load(specs.LLM, "")
	if err != nil {
		t.Fatal(err)
	}
	var all []*specs.Operation
	for _, o := range doc.Operations {
		if o.Parameters.GetByInAndName("query", "page[limit]") != nil {
			all = append(all, o)
		}
	}
	return all
}

// Every filter that the document gives to a list passes some of its resources and excludes others.
func TestEveryDocumentedFilterFilters(t *testing.T) {
	t.Parallel()
	c := newFilters(t)
	documented := map[string]map[string]bool{}
	for _, o := range lists(t) {
		for _, ref := range o.Parameters {
			name := ref.Value.Name
			if !strings.HasPrefix(name, "filter[") {
				continue
			}
			if documented[o.ID] == nil {
				documented[o.ID] = map[string]bool{}
			}
			documented[o.ID][name] = true
			t.Run(o.ID+" "+name, func(t *testing.T) {
				t.Parallel()
				c := c.In(t)
				all := idsIn(c, o.Path)
				cases := filterCases[o.ID][name]
				for value, places := range cases {
					want := []string{}
					for _, place := range places {
						want = append(want, all[place])
					}
					got := idsIn(c, o.Path+"?"+url.QueryEscape(name)+"="+url.QueryEscape(value))
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("%s of %v (-want +got)\n%s", value, all, d)
					}
				}
			})
		}
	}
	cases := map[string]map[string]bool{}
	for list, filters := range filterCases {
		cases[list] = map[string]bool{}
		for name := range filters {
			cases[list][name] = true
		}
	}
	if d := cmp.Diff(documented, cases); d != "" {
		t.Errorf("filters (-documented +with cases here)\n%s", d)
	}
}

// A list refuses filters that it does not have, and does not answer with everything.
func TestUnknownFiltersAreRefused(t *testing.T) {
	t.Parallel()
	for mode, c := range map[string]*mocktest.Client{
		"strict":      mocktest.New(t, "llm"),
		"unvalidated": mocktest.New(t, "llm", mockserver.WithValidation(mockserver.Off)),
	} {
		for _, o := range lists(t) {
			t.Run(o.ID+" "+mode, func(t *testing.T) {
				t.Parallel()
				c := c.In(t)
				for _, filter := range []string{"filter[colour]", "filter", "filter[id][]"} {
					c.Get(o.Path+"?"+url.QueryEscape(filter)+"=red").Want(http.StatusBadRequest).
						Wants("errors.#", "1", "errors.0.code", "107", "errors.0.status", "400", "errors.0.title", "Filter not allowed").
						Refused(http.StatusBadRequest, filter+" - unknown filter")
				}
				c.Get(o.Path+"?filter[a]=1&filter[b]=2").Wants("errors.#.code", `["107","107"]`)
			})
		}
	}
	t.Run("the refusal names those that there are", func(t *testing.T) {
		t.Parallel()
		c := mocktest.New(t, "llm")
		c.Get("/api/agent_schedules?filter[agent_id]="+llmtest.NoID).Refused(http.StatusBadRequest, "filter[agentId]",
			"filter[projectId]")
		c.Get("/api/prompts?filter[project_id]="+llmtest.NoID).Refused(http.StatusBadRequest, "this list has none")
	})
}

func idsIn(c *mocktest.Client, path string) []string {
	c.Helper()
	ids := []string{}
	for id := range c.Get(path).Want(http.StatusOK).Value("data.#.id").List {
		ids = append(ids, id.Text())
	}
	return ids
}
