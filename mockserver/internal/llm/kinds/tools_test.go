package kinds_test

import (
	"fmt"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// toolKinds lists the tools that refer only to a project: their path, their type, and the other attributes that they
// need.
var toolKinds = []struct{ Kind, WireType, Needs string }{
	{"text_knowledge_bases", "textKnowledgeBases", `"name":"First","text":"Goods can be sent back."`},
	{"datastore_query_tools", "datastoreQueryTools", `"name":"First"`},
	{"image_generators", "imageGenerators", `"name":"First","imageModelType":"nova-canvas","imageReturnMode":"ID"`},
	{"presentation_artifact_tools", "presentationArtifactTools", `"name":"First"`},
	{"web_search_tools", "webSearchTools", `"name":"First","modelType":"gpt-5-mini"`},
}

func TestTools(t *testing.T) {
	t.Parallel()
	for _, test := range toolKinds {
		t.Run(test.Kind, func(t *testing.T) {
			t.Parallel()
			c, project := llmtest.NewProject(t)
			attributes := fmt.Sprintf(`{"projectId":%q,%s}`, project, test.Needs)
			created := llmtest.Post(c, test.Kind, attributes).Want(201)
			id := created.Value("data.id").Text()
			path := "/api/" + test.Kind + "/" + id
			created.Wants("data.type", test.WireType, "data.attributes.name", "First", "data.attributes.isManaged", "false",
				"data.attributes.createdAt", "2026-01-15T09:30:00.000Z",
				"data.links.self", "http://localhost/llm"+path)

			c.Advance(time.Minute)
			llmtest.Patch(c, test.Kind, id, `{"name":"Second"}`).Want(200).Wants("data.attributes.name", "Second",
				"data.attributes.updatedAt", "2026-01-15T09:31:00.000Z")
			c.Get(path).Want(200).Wants("data.attributes.name", "Second", "data.attributes.projectId", project)

			llmtest.Patch(c, test.Kind, id, `{"isManaged":true}`).Refused(400, `"105"`, "isManaged")
			llmtest.Patch(c, test.Kind, id, `{"name":"  "}`).Refused(422, "CANNOT_BE_BLANK", "/data/attributes/name")
			llmtest.Patch(c, test.Kind, llmtest.NoID, `{"name":"Third"}`).Refused(404, `"404"`)
			llmtest.Post(c, test.Kind, fmt.Sprintf(`{"projectId":%q,%s}`, llmtest.NoID, test.Needs)).
				Refused(422, "INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/projectId")
			llmtest.Post(c, test.Kind, fmt.Sprintf(`{"projectId":%q,%s,"lastJob":null}`, project, test.Needs)).Refused(400,
				`"105"`)
			llmtest.Post(c, test.Kind, `{}`).Refused(422, "CANNOT_BE_BLANK", "/data/attributes/projectId")
			llmtest.RefusesText(c, "POST", "/api/"+test.Kind)
			llmtest.RefusesText(c, "PATCH", path)

			c.Get(path).Want(200).Wants("data.attributes.name", "Second")
			c.Delete(path).Want(204)
			c.Get(path).Refused(404, id)
			c.Delete(path).Refused(404, id)
		})
	}
}

func TestDatastoreQueryTools(t *testing.T) {
	t.Parallel()
	c, project := llmtest.NewProject(t)
	post := func(bounds string) mocktest.Answer {
		return llmtest.Post(c, "datastore_query_tools", fmt.Sprintf(`{"projectId":%q,"name":"Views"%s}`, project, bounds))
	}
	post("").Want(201).Wants("data.attributes.maxRows", "50", "data.attributes.timeoutSeconds", "60")
	post(
		`,"maxRows":1,"timeoutSeconds":300`,
	).Want(201).
		Wants("data.attributes.maxRows", "1", "data.attributes.timeoutSeconds", "300")
	post(`,"maxRows":"many"`).Refused(422, "NOT_AN_INTEGER", "/data/attributes/maxRows")
	post(`,"timeoutSeconds":1.5`).Refused(422, "NOT_AN_INTEGER", "/data/attributes/timeoutSeconds")
	post(`,"maxRows":101`).Refused(422, "INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/maxRows")
	post(`,"timeoutSeconds":9`).Refused(422, "INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/timeoutSeconds")
}

func TestImageGenerators(t *testing.T) {
	t.Parallel()
	c, project := llmtest.NewProject(t)
	post := func(model, mode string) mocktest.Answer {
		return llmtest.Post(c, "image_generators", fmt.Sprintf(
			`{"projectId":%q,"name":"Pictures","imageModelType":%q,"imageReturnMode":%q}`, project, model, mode))
	}
	post(
		"gpt-5",
		"ID",
	).Refused(422, "INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/imageModelType", "current_settings")
	post("nova-canvas", "URL").Refused(422, "INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/imageReturnMode")
	post("gpt-5", "URL").Refused(422, "imageModelType", "imageReturnMode")
}

func TestPresentationArtifactTools(t *testing.T) {
	t.Parallel()
	c, project := llmtest.NewProject(t)
	id := llmtest.Make(c, "presentation_artifact_tools", fmt.Sprintf(`{"projectId":%q,"name":"Slides"}`, project))
	for _, name := range []string{"", " "} {
		for _, refused := range []mocktest.Answer{
			llmtest.Post(c, "presentation_artifact_tools", fmt.Sprintf(`{"projectId":%q,"name":%q}`, project, name)),
			llmtest.Patch(c, "presentation_artifact_tools", id, fmt.Sprintf(`{"name":%q}`, name)),
		} {
			refused.Want(422).Wants("errors.#", "2",
				"errors.0.source.pointer", "/data/attributes/name", "errors.0.meta.validationCode", "CANNOT_BE_BLANK",
				"errors.1.source.pointer", "/data/attributes/toolTarget/name", "errors.1.meta.validationCode", "CANNOT_BE_BLANK")
		}
	}
	llmtest.Post(c, "presentation_artifact_tools", fmt.Sprintf(`{"projectId":%q}`, project)).Want(422).Wants("errors.#",
		"2")
}

func TestTextKnowledgeBases(t *testing.T) {
	t.Parallel()
	c, project := llmtest.NewProject(t)
	for _, text := range []string{"", "\n "} {
		llmtest.Post(c, "text_knowledge_bases", fmt.Sprintf(`{"projectId":%q,"name":"Returns","text":%q}`, project, text)).
			Refused(422, "CANNOT_BE_BLANK", "/data/attributes/text")
	}
}

func TestWebSearchTools(t *testing.T) {
	t.Parallel()
	c, project := llmtest.NewProject(t)
	post := func(c *mocktest.Client, more string) mocktest.Answer {
		return llmtest.Post(
			c,
			"web_search_tools",
			fmt.Sprintf(`{"projectId":%q,"name":"News","modelType":"gpt-5"%s}`, project, more),
		)
	}
	t.Run("what is left out is null", func(t *testing.T) {
		t.Parallel()
		if filters := post(c.In(t), "").Want(201).Value("data.attributes.filters"); filters.Raw() != "null" {
			t.Errorf("filters are %s, want null", filters.Raw())
		}
		post(c.In(t), `,"filters":null,"userLocation":null,"searchContextSize":null`).Want(201)
	})
	t.Run("filters carry allowed domains", func(t *testing.T) {
		t.Parallel()
		post(c.In(t), `,"filters":{"allowed_domains":["shop.example"]}`).Want(201).
			Wants("data.attributes.filters.allowed_domains.0", "shop.example")
		for _, filters := range []string{`{}`, `{"allowed_domains":"shop.example"}`, `{"allowed_domains":[1]}`, `"all"`} {
			post(
				c.In(t),
				`,"filters":`+filters,
			).Want(422).
				Wants("errors.#", "1", "errors.0.meta.validationCode", "LLM_INVALID_JSON",
					"errors.0.source.pointer", "/data/attributes/filters")
		}
	})
	t.Run("only two models search", func(t *testing.T) {
		t.Parallel()
		llmtest.Post(c.In(t), "web_search_tools",
			fmt.Sprintf(`{"projectId":%q,"name":"News","modelType":"gpt-4.1"}`, project)).
			Refused(422, "INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/modelType")
		post(c.In(t), `,"searchContextSize":"huge"`).Refused(422, "/data/attributes/searchContextSize")
	})
}
