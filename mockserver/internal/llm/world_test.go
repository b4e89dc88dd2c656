package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"svc.example/understudy/mockserver/internal/mocktest"
)

// noID is a UUID that no resource has.
const noID = "5dd290e9-2766-453c-8b7f-77e8f8d2b920"

// The validation codes that most tests want.
const (
	blank      = "CANNOT_BE_BLANK"
	misfit     = "INVALID_FORMAT_OR_ASSOCIATION"
	tooLong    = "IS_TOO_LONG"
	twiceThere = "VIOLATES_UNIQUENESS_CONSTRAINT"
)

// studio is a mock in which some resources were made.
type studio struct {
	*mocktest.Client
	project, agent, prompt string
}

// newStudio has a project with an agent and a prompt, and what a fixture says.
func newStudio(t *testing.T, fixture ...string) *studio {
	t.Helper()
	s := &studio{Client: mocktest.New(t, "llm").Load(strings.Join(fixture, ""))}
	s.project = s.make("projects", `{"name":"Store"}`)
	s.agent = s.make("agents", s.fill(`{"name":"Helper","projectId":"PROJECT","modelType":"gpt-5"}`))
	s.prompt = s.make("prompts", s.fill(`{"name":"Ask","projectId":"PROJECT","agentId":"AGENT","template":"{{question}}"}`))
	return s
}

// as is the same studio with another key.
func (s *studio) as(key string) *studio {
	other := *s
	other.Client = s.As(key)
	return &other
}

// fill puts ids in the place of the words PROJECT, AGENT and PROMPT.
func (s *studio) fill(text string) string {
	return strings.NewReplacer("PROJECT", s.project, "AGENT", s.agent, "PROMPT", s.prompt).Replace(text)
}

// create asks for a resource of a kind, by its name in paths.
func (s *studio) create(kind, attributes string) mocktest.Answer {
	s.Helper()
	return s.Post("/api/"+kind, fmt.Sprintf(`{"data":{"type":%q,"attributes":%s}}`, camelType(kind), s.fill(attributes)))
}

// make creates a resource and gives its id.
func (s *studio) make(kind, attributes string) string {
	s.Helper()
	return s.create(kind, attributes).Want(http.StatusCreated).Value("data.id").String()
}

// change asks for a change of a resource.
func (s *studio) change(kind, id, attributes string) mocktest.Answer {
	s.Helper()
	return s.Patch("/api/"+kind+"/"+id,
		fmt.Sprintf(`{"data":{"type":%q,"id":%q,"attributes":%s}}`, camelType(kind), id, s.fill(attributes)))
}

// remove deletes a resource.
func (s *studio) remove(kind, id string) {
	s.Helper()
	s.Delete("/api/" + kind + "/" + id).Want(http.StatusNoContent)
}

// ids are those of a list, in its order.
func (s *studio) ids(path string) []string {
	s.Helper()
	list := []string{}
	for _, id := range s.Get(path).Want(http.StatusOK).Value("data.#.id").Array() {
		list = append(list, id.String())
	}
	return list
}

// camelType is the camelCase type of a kind.
func camelType(kind string) string {
	words := strings.Split(kind, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// wantUnfit fails the test unless an answer is 422 with an error on an attribute, by its code.
func wantUnfit(a mocktest.Answer, attribute, code string) {
	a.Helper()
	a.Want(http.StatusUnprocessableEntity)
	pointer := "/data/attributes/" + attribute
	if got := a.Value(fmt.Sprintf("errors.#(source.pointer==%q).meta.validationCode", pointer)).String(); got != code {
		a.Errorf("%s is refused with %q, want %q: %s", pointer, got, code, a.Body)
	}
	a.Wants("errors.0.code", "100", "errors.0.status", "422")
}

// jsonText is a text as JSON.
func jsonText(text string) string {
	b, _ := json.Marshal(text) // a text can always be written
	return string(b)
}

// stateOf is the dump of a studio's world.
func stateOf(s *studio) gjson.Result {
	s.Helper()
	dump, err := s.World().State()
	if err != nil {
		s.Fatal(err)
	}
	return gjson.GetBytes(dump, "state")
}
