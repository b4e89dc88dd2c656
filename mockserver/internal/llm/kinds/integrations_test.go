package kinds_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestIntegrations(t *testing.T) {
	t.Parallel()
	t.Run("a webhook gets a user, a password and their header", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		made := s.Create("integrations", llmtest.WebhookAttributes).Want(http.StatusCreated)
		user := made.Value("data.attributes.webhookAuthorizationUsername").Text()
		password := made.Value("data.attributes.webhookAuthorizationPassword").Text()
		if user == "" || len(password) < 16 {
			t.Errorf("user %q, password %q", user, password)
		}
		made.Wants("data.attributes.webhookAuthorizationHeader", basic(user, password), "data.attributes.chatappMessageMode",
			"in_channel",
			"data.attributes.webhookCorsOrigins.#", "0", "data.attributes.isManaged", "false",
			"data.attributes.chatappSigningSecret", "")
		other := s.Create("integrations", llmtest.WebhookAttributes).Want(http.StatusCreated)
		if other.Value("data.attributes.webhookAuthorizationPassword").Text() == password {
			t.Error("two integrations have one password")
		}
	})
	t.Run("what the client gives is kept, and a change of it changes the header", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		made := s.Create("integrations",
			`{"projectId":"PROJECT","serviceType":"WEBHOOK","actions":[],"webhookAuthorizationUsername":"me",
			"webhookAuthorizationPassword":"secret"}`).Want(http.StatusCreated)
		made.Wants("data.attributes.webhookAuthorizationHeader", basic("me", "secret"))
		id := made.Value("data.id").Text()
		s.Change("integrations", id, `{"webhookAuthorizationPassword":"other"}`).Want(http.StatusOK).
			Wants("data.attributes.webhookAuthorizationHeader", basic("me", "other"))
		s.Change("integrations", id, `{"webhookAuthorizationHeader":"x"}`).Refused(http.StatusBadRequest, `"code":"105"`)
		s.Change("integrations", id, `{"serviceType":"CHATAPP"}`).Want(http.StatusOK).
			Wants("data.attributes.webhookAuthorizationHeader", "")
	})
	t.Run("an integration of another kind has no credentials", func(t *testing.T) {
		t.Parallel()
		llmtest.New(t).Create("integrations",
			`{"projectId":"PROJECT","serviceType":"CHATAPP","actions":[]}`).Want(http.StatusCreated).
			Wants(
				"data.attributes.webhookAuthorizationUsername", "", "data.attributes.webhookAuthorizationHeader", "")
	})
	t.Run("there are up to 10 CORS origins", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		id := s.Make("integrations", llmtest.WebhookAttributes)
		origins := func(n int) string {
			return `{"webhookCorsOrigins":[` + strings.TrimSuffix(strings.Repeat(`{"origin":"https://a.example"},`, n), ",") +
				`]}`
		}
		s.Change("integrations", id, origins(10)).Want(http.StatusOK).
			Wants("data.attributes.webhookCorsOrigins.9.origin", "https://a.example")
		llmtest.WantUnprocessable(s.Change("integrations", id, origins(11)), "webhookCorsOrigins", llmtest.TooLong)
	})
	t.Run("each action names a prompt that there is, once, and has tags of the form key:value", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		llmtest.WantUnprocessable(s.Create("integrations", `{"projectId":"PROJECT","serviceType":"WEBHOOK",
			"actions":[{"promptId":"PROMPT"},{"promptId":"PROMPT"}]}`),
			"actions/1/promptId", llmtest.TwiceThere)
		llmtest.WantUnprocessable(s.Create("integrations",
			`{"projectId":"PROJECT","serviceType":"WEBHOOK","actions":[{"promptId":"AGENT"}]}`),
			"actions/0/promptId", llmtest.Misfit)
		for _, tag := range []string{"sales", ":sales", "team:"} {
			llmtest.WantUnprocessable(s.Create("integrations", `{"projectId":"PROJECT","serviceType":"WEBHOOK",
				"actions":[{"promptId":"PROMPT","uiTags":["a:b","`+tag+`"]}]}`),
				"actions/0/uiTags/1", llmtest.Misfit)
		}
		s.Create("integrations", strings.Replace(llmtest.WebhookAttributes, `"uiTags"`, `"webhookTextUrl":"x","uiTags"`, 1)).
			Refused(http.StatusBadRequest, "webhookTextUrl", `"code":"105"`)
		s.Get("/api/actions").Wants("meta.total", "0")
	})
	t.Run("replacing the actions moves updatedAt, and those of prompts that stay keep their ids", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		id := s.Make("integrations", llmtest.WebhookAttributes)
		action := s.IDs("/api/actions")[0]
		other := s.Make("prompts", `{"name":"Tell","projectId":"PROJECT","agentId":"AGENT","template":"x"}`)
		s.Advance(time.Minute)
		changed := s.Change("integrations", id,
			`{"actions":[{"promptId":"`+other+`"},{"promptId":"PROMPT","chatWidgetLabel":"Ask"}]}`).
			Want(http.StatusOK)
		changed.Wants("data.attributes.updatedAt", "2026-01-15T09:31:00.000Z", "data.attributes.actions.0.promptId", other,
			"data.attributes.actions.1.webhookTextUrl", "http://localhost/llm/api/webhooks/"+action+"/text")
		s.Get("/api/actions?filter[prompt_id]="+s.Prompt).Wants("data.0.id", action,
			"data.0.attributes.chatWidgetLabel", "Ask", "data.0.attributes.uiTags.#", "0")
		s.Change("integrations", id, `{"actions":[{"promptId":"`+other+`"}]}`).Want(http.StatusOK)
		s.Get("/api/actions").Wants("meta.total", "1", "data.0.attributes.promptId", other)
		s.Remove("integrations", id)
		s.Get("/api/actions").Wants("meta.total", "0")
		s.Get("/api/prompts/" + s.Prompt).Want(http.StatusOK)
	})
	t.Run("its project is there", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		llmtest.WantUnprocessable(s.Create("integrations", `{"projectId":"AGENT","serviceType":"WEBHOOK","actions":[]}`),
			"projectId", llmtest.Misfit)
		llmtest.WantUnprocessable(s.Create("integrations", `{"projectId":"PROJECT","serviceType":"","actions":[]}`),
			"serviceType", llmtest.Blank)
	})
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

func TestActions(t *testing.T) {
	t.Parallel()
	t.Run("an action shows the address that its integration is called by", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		id := s.Make("integrations", llmtest.WebhookAttributes)
		page := s.Get("/api/actions").Want(http.StatusOK)
		action := page.Value("data.0.id").Text()
		page.Wants("data.0.type", "actions", "data.0.attributes.integrationId", id, "data.0.attributes.promptId", s.Prompt,
			"data.0.attributes.webhookTextUrl", "http://localhost/llm/api/webhooks/"+action+"/text",
			"data.0.attributes.chatappRequestUrl", "", "data.0.attributes.uiTags", `["team:sales"]`,
			"data.0.attributes.createdAt", "",
			"data.0.links", `{"self":"http://localhost/llm/api/actions/`+action+`",`+
				`"chat":`+page.Value("data.0.links.chat").Raw()+`}`)
		s.Change("integrations", id, `{"serviceType":"CHATAPP"}`).Want(http.StatusOK)
		s.Get("/api/actions").Wants("data.0.attributes.webhookTextUrl", "", "data.0.attributes.chatappRequestUrl",
			"http://localhost/llm/api/actions/"+action+"/chatapp")
	})
	t.Run("filters narrow the list down, and all of them must hold", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		hook := s.Make("integrations", llmtest.WebhookAttributes)
		other := s.Make("projects", `{"name":"Other"}`)
		app := s.Make("integrations", `{"projectId":"`+other+`","serviceType":"CHATAPP","chatIgnoreManagedActions":true,
			"actions":[{"promptId":"PROMPT","uiTags":["team:help"]}]}`)
		for query, want := range map[string]string{
			"":                             hook + app,
			"filter[ui_tags]=team:sales":   hook,
			"filter[ui_tags]=team:none":    "",
			"filter[project_id]=" + other:  app,
			"filter[prompt_id]=" + s.Agent: "",
			"filter[service_type]=WEBHOOK": hook,
			"filter[skip_managed]=true":    hook + app,
			"filter[skip_managed]=auto":    hook + app,
			"filter[parent_segment_id]=61": "",
			"filter[service_type]=CHATAPP&filter[ui_tags]=team:sales":                  "",
			"filter[service_type]=CHATAPP&filter[prompt_id]=" + s.Prompt:               app,
			fmt.Sprintf("filter[project_id]=%s&filter[ui_tags]=team:sales", s.Project): hook,
		} {
			got := ""
			for id := range s.Get("/api/actions?" + query).
				Want(http.StatusOK).Value("data.#.attributes.integrationId").List {
				got += id.Text()
			}
			if got != want {
				t.Errorf("%s gives %q, want %q", query, got, want)
			}
		}
	})
	t.Run("managed integrations are left out when asked for, or when their chats ignore them", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Make("integrations", llmtest.WebhookAttributes)
		s.Make("integrations",
			strings.Replace(llmtest.WebhookAttributes, `"actions"`, `"chatIgnoreManagedActions":true,"actions"`, 1))
		s.Edit(func(state string) string {
			return strings.ReplaceAll(state, `"isManaged":false,"serviceType"`, `"isManaged":true,"serviceType"`)
		})
		for skip, total := range map[string]string{"true": "0", "false": "2", "auto": "1"} {
			s.Get("/api/actions?filter[skip_managed]="+skip).Want(http.StatusOK).Wants("meta.total", total)
		}
	})
	t.Run("a filter that cannot be read is refused with code 107", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		for _, filter := range []string{
			"filter[ui_tags]=sales", "filter[parent_segment_id]=x",
			"filter[skip_managed]=maybe",
		} {
			name, _, _ := strings.Cut(filter, "=")
			s.Get("/api/actions?"+filter).Refused(http.StatusBadRequest, `"code":"107"`, name)
		}
	})
}
