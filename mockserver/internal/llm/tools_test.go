package llm_test

import (
	"fmt"
	"testing"
	"time"

	"svc.example/understudy/mockserver"
	"svc.example/understudy/mockserver/internal/mocktest"
)

const nobody = "00000000-0000-4000-8000-000000000000"

// toolClient is a mock with a project.
func toolClient(t *testing.T, opts ...mockserver.Option) (c *mocktest.Client, project string) {
	t.Helper()
	c = mocktest.New(t, "llm", opts...)
	return c, toolProject(c, "Shop")
}

func toolProject(c *mocktest.Client, name string) string {
	c.Helper()
	return toolMake(c, "projects", fmt.Sprintf(`{"name":%q}`, name))
}

// toolMake makes a resource and gives its id. The kind is spelled as in paths.
func toolMake(c *mocktest.Client, kind, attributes string) string {
	c.Helper()
	return toolPost(c, kind, attributes).Want(201).Value("data.id").String()
}

func toolPost(c *mocktest.Client, kind, attributes string) mocktest.Answer {
	c.Helper()
	return c.Post("/api/"+kind, fmt.Sprintf(`{"data":{"type":%q,"attributes":%s}}`, kind, attributes))
}

func toolPatch(c *mocktest.Client, kind, id, attributes string) mocktest.Answer {
	c.Helper()
	return c.Patch("/api/"+kind+"/"+id, fmt.Sprintf(`{"data":{"type":%q,"id":%q,"attributes":%s}}`, kind, id, attributes))
}

// toolKinds are the tools that have nothing to do with anything else: their path, and what they need beside a project.
var toolKinds = []struct{ kind, wireType, needs string }{
	{"text_knowledge_bases", "textKnowledgeBases", `"name":"First","text":"Goods can be sent back."`},
	{"datastore_query_tools", "datastoreQueryTools", `"name":"First"`},
	{"image_generators", "imageGenerators", `"name":"First","imageModelType":"nova-canvas","imageReturnMode":"ID"`},
	{"presentation_artifact_tools", "presentationArtifactTools", `"name":"First"`},
	{"web_search_tools", "webSearchTools", `"name":"First","modelType":"gpt-5-mini"`},
}

func TestTools(t *testing.T) {
	t.Parallel()
	for _, test := range toolKinds {
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()
			c, project := toolClient(t)
			attributes := fmt.Sprintf(`{"projectId":%q,%s}`, project, test.needs)
			created := toolPost(c, test.kind, attributes).Want(201)
			id := created.Value("data.id").String()
			path := "/api/" + test.kind + "/" + id
			created.Wants("data.type", test.wireType, "data.attributes.name", "First", "data.attributes.isManaged", "false",
				"data.attributes.createdAt", "2026-01-15T09:30:00.000Z",
				"data.links.self", "http://localhost/llm"+path)

			c.Advance(time.Minute)
			toolPatch(c, test.kind, id, `{"name":"Second"}`).Want(200).Wants("data.attributes.name", "Second",
				"data.attributes.updatedAt", "2026-01-15T09:31:00.000Z")
			c.Get(path).Want(200).Wants("data.attributes.name", "Second", "data.attributes.projectId", project)

			toolPatch(c, test.kind, id, `{"isManaged":true}`).Refused(400, `"105"`, "isManaged")
			toolPatch(c, test.kind, id, `{"name":"  "}`).Refused(422, "CANNOT_BE_BLANK", "/data/attributes/name")
			toolPatch(c, test.kind, nobody, `{"name":"Third"}`).Refused(404, `"404"`)
			toolPost(c, test.kind, fmt.Sprintf(`{"projectId":%q,%s}`, nobody, test.needs)).
				Refused(422, "INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/projectId")
			toolPost(c, test.kind, fmt.Sprintf(`{"projectId":%q,%s,"lastJob":null}`, project, test.needs)).Refused(400, `"105"`)
			toolPost(c, test.kind, `{}`).Refused(422, "CANNOT_BE_BLANK", "/data/attributes/projectId")
			toolUnsupported(c, "POST", "/api/"+test.kind)
			toolUnsupported(c, "PATCH", path)

			c.Get(path).Want(200).Wants("data.attributes.name", "Second")
			c.Delete(path).Want(204)
			c.Get(path).Refused(404, id)
			c.Delete(path).Refused(404, id)
		})
	}
}

func toolUnsupported(c *mocktest.Client, method, path string) {
	c.Helper()
	c.Call(method, path, "{}", "Content-Type", "text/plain").Refused(415, "text/plain")
}

func TestDatastoreQueryTools(t *testing.T) {
	t.Parallel()
	c, project := toolClient(t)
	post := func(bounds string) mocktest.Answer {
		return toolPost(c, "datastore_query_tools", fmt.Sprintf(`{"projectId":%q,"name":"Views"%s}`, project, bounds))
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
	c, project := toolClient(t)
	post := func(model, mode string) mocktest.Answer {
		return toolPost(c, "image_generators", fmt.Sprintf(
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
	c, project := toolClient(t)
	id := toolMake(c, "presentation_artifact_tools", fmt.Sprintf(`{"projectId":%q,"name":"Slides"}`, project))
	for _, name := range []string{"", " "} {
		for _, refused := range []mocktest.Answer{
			toolPost(c, "presentation_artifact_tools", fmt.Sprintf(`{"projectId":%q,"name":%q}`, project, name)),
			toolPatch(c, "presentation_artifact_tools", id, fmt.Sprintf(`{"name":%q}`, name)),
		} {
			refused.Want(422).Wants("errors.#", "2",
				"errors.0.source.pointer", "/data/attributes/name", "errors.0.meta.validationCode", "CANNOT_BE_BLANK",
				"errors.1.source.pointer", "/data/attributes/toolTarget/name", "errors.1.meta.validationCode", "CANNOT_BE_BLANK")
		}
	}
	toolPost(c, "presentation_artifact_tools", fmt.Sprintf(`{"projectId":%q}`, project)).Want(422).Wants("errors.#", "2")
}

func TestTextKnowledgeBases(t *testing.T) {
	t.Parallel()
	c, project := toolClient(t)
	for _, text := range []string{"", "\n "} {
		toolPost(c, "text_knowledge_bases", fmt.Sprintf(`{"projectId":%q,"name":"Returns","text":%q}`, project, text)).
			Refused(422, "CANNOT_BE_BLANK", "/data/attributes/text")
	}
}

func TestWebSearchTools(t *testing.T) {
	t.Parallel()
	c, project := toolClient(t)
	post := func(c *mocktest.Client, more string) mocktest.Answer {
		return toolPost(
			c,
			"web_search_tools",
			fmt.Sprintf(`{"projectId":%q,"name":"News","modelType":"gpt-5"%s}`, project, more),
		)
	}
	t.Run("what is left out is null", func(t *testing.T) {
		t.Parallel()
		if filters := post(c.In(t), "").Want(201).Value("data.attributes.filters"); filters.Raw != "null" {
			t.Errorf("filters are %s, want null", filters.Raw)
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
		toolPost(c.In(t), "web_search_tools", fmt.Sprintf(`{"projectId":%q,"name":"News","modelType":"gpt-4.1"}`, project)).
			Refused(422, "INVALID_FORMAT_OR_ASSOCIATION", "/data/attributes/modelType")
		post(c.In(t), `,"searchContextSize":"huge"`).Refused(422, "/data/attributes/searchContextSize")
	})
}
