package kinds_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

func TestPages(t *testing.T) {
	t.Parallel()
	t.Run("a page in the middle has all four links, with what else was asked for", func(t *testing.T) {
		t.Parallel()
		page := newTexts(t, "a", "b", "c", "d",
			"e").Get("/api/text_resources?sort=-name&page[limit]=2&page[offset]=2").
			Want(http.StatusOK)
		page.Wants("data.#", "2", "data.0.attributes.name", "c", "meta.total", "5")
		for name, offset := range map[string]string{"first": "0", "prev": "0", "next": "4", "last": "4"} {
			link, err := url.Parse(page.Value("links." + name).Text())
			if err != nil {
				t.Fatal(err)
			}
			query := link.Query()
			if link.Path != "/llm/api/text_resources" || query.Get("page[offset]") != offset ||
				query.Get("page[limit]") != "2" ||
				query.Get("sort") != "-name" {
				t.Errorf("links.%s is %s", name, link)
			}
		}
	})
	t.Run("links lead on until there is no next one", func(t *testing.T) {
		t.Parallel()
		s := newTexts(t, "a", "b", "c")
		seen := ""
		for path := "/api/text_resources?page[limit]=2"; path != ""; {
			page := s.Get(path).Want(http.StatusOK)
			for name := range page.Value("data.#.attributes.name").List {
				seen += name.Text()
			}
			path = strings.TrimPrefix(page.Value("links.next").Text(), "http://localhost/llm")
		}
		if seen != "abc" {
			t.Errorf("the pages have %q", seen)
		}
	})
	t.Run("an empty list has one page, which is the first and the last", func(t *testing.T) {
		t.Parallel()
		page := newTexts(t).Get("/api/text_resources").Want(http.StatusOK)
		link := "http://localhost/llm/api/text_resources?page%5Blimit%5D=20&page%5Boffset%5D=0"
		page.Wants("data.#", "0", "meta.total", "0", "links.first", link, "links.last", link, "links.next", "", "links.prev",
			"")
	})
	t.Run("a page that cannot be is refused with code 118", func(t *testing.T) {
		t.Parallel()
		s := newTexts(t)
		for _, page := range []string{"page[limit]=101", "page[limit]=0", "page[limit]=x", "page[offset]=-1"} {
			name, _, _ := strings.Cut(page, "=")
			s.Get("/api/text_resources?"+page).Refused(http.StatusBadRequest, `"code":"118"`, `"status":"400"`, name)
		}
	})
}

func TestSorting(t *testing.T) {
	t.Parallel()
	t.Run("without sort, resources come as they were made", func(t *testing.T) {
		t.Parallel()
		if got := newTexts(t, "b", "a", "c").Names("/api/text_resources"); got != "b a c" {
			t.Error(got)
		}
	})
	t.Run("fields in either spelling sort, several in turn, and a minus turns the order round", func(t *testing.T) {
		t.Parallel()
		s := newTexts(t, "b", "a")
		s.Advance(time.Minute)
		s.Make("text_resources", `{"name":"a","description":"later","text":"x"}`)
		for sort, want := range map[string]string{
			"name": "a a b", "-name": "b a a", "-created_at,name": "a a b", "createdAt,-name": "b a a",
		} {
			if got := s.Names("/api/text_resources?sort=" + sort); got != want {
				t.Errorf("sort=%s gives %q, want %q", sort, got, want)
			}
		}
		if got := s.Get("/api/text_resources?sort=name,-created_at").Value(
			"data.0.attributes.description").Text(); got != "later" {
			t.Errorf("the second field does not count: %q", got)
		}
		ids := s.IDs("/api/text_resources?sort=-id")
		if !slices.IsSortedFunc(ids, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("ids do not descend: %v", ids)
		}
	})
	t.Run("an unknown field is refused with code 114", func(t *testing.T) {
		t.Parallel()
		newTexts(t).Get("/api/text_resources?sort=-colour").Refused(http.StatusBadRequest, `"code":"114"`, "colour")
	})
}

func TestInclusion(t *testing.T) {
	t.Parallel()
	t.Run("who made and changed a resource is included once, without a link", func(t *testing.T) {
		t.Parallel()
		s := newTexts(t, "a", "b")
		id := s.IDs("/api/text_resources")[0]
		s.WithKey("1/owner").Change("text_resources", id, `{"text":"y"}`).Want(http.StatusOK)
		page := s.Get("/api/text_resources?include=createdBy,updatedBy").Want(http.StatusOK)
		page.Wants("included.#", "2", "included.#(attributes.name==Ada Admin).attributes.email", "admin@shop.example",
			"included.#(attributes.name==Otto Owner).type", "users", "included.0.links", "",
			"data.1.relationships.createdBy.data.type", "users")
		author := page.Value("data.0.relationships.createdBy.data.id").Text()
		editor := page.Value("data.0.relationships.updatedBy.data.id").Text()
		if author == editor || author != page.Value("included.#(attributes.name==Ada Admin).id").Text() {
			t.Errorf("author %s, editor %s: %s", author, editor, page.Body)
		}
	})
	t.Run("without include there are no relationships", func(t *testing.T) {
		t.Parallel()
		newTexts(t, "a").Get("/api/text_resources").Wants("included", "", "data.0.relationships", "")
	})
	t.Run("a dot leads on to the authors of interfaces", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		form := s.WithKey("1/owner").Make("form_interfaces", llmtest.FormAttributes)
		one := s.Get("/api/projects/" + s.Project + "?include=formInterfaces.createdBy,chatInterfaces").Want(http.StatusOK)
		one.Wants("data.relationships.formInterfaces.data.0.id", form, "data.relationships.chatInterfaces.data.#", "0",
			"included.#", "2", "included.0.id", form, "included.0.attributes.name", "F",
			"included.0.links.self", "http://localhost/llm/api/form_interfaces/"+form,
			"included.0.relationships.createdBy.data.type", "users", "included.1.attributes.name", "Otto Owner")
	})
	t.Run("the project of a form interface is included", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Make("form_interfaces", llmtest.FormAttributes)
		s.Get("/api/form_interfaces?include=project").Want(http.StatusOK).
			Wants("included.0.id", s.Project, "included.0.attributes.name", "Store", "data.0.relationships.project.data.type",
				"projects")
	})
	t.Run("an unknown relation is refused with code 112", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Get("/api/agents?include=owner").Refused(http.StatusBadRequest, `"code":"112"`, "include")
		s.Get("/api/projects/"+s.Project+"?include=formInterfaces.agent").Refused(http.StatusBadRequest, `"code":"112"`)
	})
	t.Run("an operation that has no include takes no notice of it", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Get("/api/agents/"+s.Agent+"?include=createdBy").Want(http.StatusOK).Wants("included", "", "data.relationships", "")
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("the media type of answers is taken in requests, too, and types in either spelling", func(t *testing.T) {
		t.Parallel()
		s := newTexts(t)
		for _, spelling := range []string{"textResources", "text_resources"} {
			body := `{"data":{"type":"` + spelling + `","attributes":{"name":"a","description":null,"text":"x"}}}`
			made := s.Call(http.MethodPost, "/api/text_resources", body, "Content-Type", "application/vnd.api+json").
				Want(http.StatusCreated)
			if made.Wants("data.type", "textResources"); made.Header.Get("Content-Type") != "application/vnd.api+json" {
				t.Error(made.Header)
			}
		}
	})
	t.Run("what was sent is checked in a body of either media type", func(t *testing.T) {
		t.Parallel()
		body := `{"data":{"type":"textResources","attributes":{"name":7,"description":null,"text":"x"}}}`
		llmtest.WantUnprocessable(newTexts(t).Call(http.MethodPost, "/api/text_resources", body, "Content-Type",
			"application/vnd.api+json"),
			"name", llmtest.Misfit)
	})
	t.Run("all attributes that are wrong are named at once", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		refused := s.Create("prompts",
			`{"name":" ","template":"","projectId":"`+llmtest.NoID+`","agentId":"`+llmtest.NoID+`"}`)
		llmtest.WantUnprocessable(refused, "name", llmtest.Blank)
		llmtest.WantUnprocessable(refused, "template", llmtest.Blank)
		llmtest.WantUnprocessable(refused, "projectId", llmtest.Misfit)
		llmtest.WantUnprocessable(refused, "agentId", llmtest.Misfit)
		llmtest.WantUnprocessable(s.Create("prompts", `{}`), "template", llmtest.Blank)
		refused.Wants("errors.#", "4", "errors.#.status", `["422","422","422","422"]`)
		s.Get("/api/prompts").Wants("meta.total", "1")
	})
	t.Run("attributes of the server's and unknown ones are refused with code 105, each by its name", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		s.Change("agents", s.Agent, `{"isManaged":false,"temperature":7,"name":"Other"}`).
			Refused(http.StatusBadRequest, "isManaged", `"code":"105"`)
		s.Change("agents", s.Agent, `{"updatedAt":null,"name":"Other"}`).
			Refused(http.StatusBadRequest, "updatedAt", `"code":"105"`)
		refused := s.Change("agents", s.Agent, `{"colour":"red","size":7,"name":"Other"}`)
		refused.Refused(http.StatusBadRequest, "colour is not allowed", "size is not allowed")
		refused.Wants("errors.#", "2", "errors.1.code", "105", "errors.0.source", "", "errors.0.meta", "")
		s.Get("/api/agents/"+s.Agent).Wants("data.attributes.name", "Helper")
	})
	t.Run("the id of a change is that of the path, in any case", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		body := func(id string) string {
			return `{"data":{"type":"agents","id":"` + id + `","attributes":{"name":"Other"}}}`
		}
		path := "/api/agents/" + s.Agent
		s.Patch(path, body(llmtest.NoID)).Refused(http.StatusBadRequest, `"code":"110"`, "data.id", s.Agent)
		s.Patch(path, `{"data":{"type":"agents","attributes":{}}}`).Refused(http.StatusBadRequest, `"code":"106"`, "data.id")
		s.Patch(path, `{"data":{"type":"prompts","id":"`+s.Agent+`","attributes":{}}}`).
			Refused(http.StatusBadRequest, `"code":"103"`, "data.type")
		s.Patch(strings.ToUpper(path[len(path)-36:]), "").Want(http.StatusNotFound)
		s.Patch("/api/agents/"+strings.ToUpper(s.Agent), body(strings.ToUpper(s.Agent))).Want(http.StatusOK).
			Wants("data.id", s.Agent)
	})
	t.Run("methods that there are not are refused as everywhere", func(t *testing.T) {
		t.Parallel()
		s := newTexts(t)
		for _, method := range []string{http.MethodHead, http.MethodOptions, http.MethodPut} {
			got := s.Call(method, "/api/text_resources", "")
			got.Refused(http.StatusMethodNotAllowed, `"status":"405"`, method)
			if allow := got.Header.Get("Allow"); allow != "GET, POST" {
				t.Errorf("%s: Allow is %q", method, allow)
			}
		}
	})
}

func TestRights(t *testing.T) {
	t.Parallel()
	t.Run("a sub user has no right to the service", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t).WithKey("1/kiosk")
		s.Get("/api/agents").Refused(http.StatusForbidden, `"status":"403"`, "LlmProject")
		s.Create("projects", `{"name":"Mine"}`).Refused(http.StatusForbidden, "kiosk")
		s.Get("/api/users/current").Refused(http.StatusForbidden, "kiosk")
	})
	t.Run("one to whom something of it is granted has it", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t)
		core := s.At("core")
		policy := core.Post("/access_control/policies", `{"policy":{"name":"chatters"}}`).
			Want(http.StatusOK).Value("id").Text()
		path := "/access_control/policies/" + policy + "/permissions"
		core.Patch("/access_control/users/5/policies", `{"policy_ids":["`+policy+`"]}`).Want(http.StatusOK)
		s.WithKey("1/kiosk").Get("/api/projects").Want(http.StatusForbidden)
		core.Patch(path, `{"LlmProject":[{"operation":"chat","project_id":"`+s.Project+`"}]}`).Want(http.StatusOK)
		s.WithKey("1/kiosk").Make("projects", `{"name":"Mine"}`)
		core.Patch(path, `{"LlmProject":[]}`).Want(http.StatusOK)
		s.WithKey("1/kiosk").Get("/api/projects").Want(http.StatusForbidden)
	})
	t.Run("restricted users may use it all", func(t *testing.T) {
		t.Parallel()
		s := llmtest.New(t).WithKey("1/analyst")
		s.Remove("projects", s.Make("projects", `{"name":"Mine"}`))
	})
}

// newTexts returns a client of a mock with text resources of these names.
func newTexts(t *testing.T, names ...string) *llmtest.Client {
	t.Helper()
	c := &llmtest.Client{Client: mocktest.New(t, "llm")}
	for _, name := range names {
		c.Make("text_resources", `{"name":`+jsonText(name)+`,"description":null,"text":"x"}`)
	}
	return c
}
