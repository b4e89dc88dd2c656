// Package llmtest holds what the tests of the packages of the LLM interface share: mocks with resources, their
// attributes, and a walk over all kinds.
package llmtest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
)

// NoID is a UUID that no resource has.
const NoID = "5dd290e9-2766-453c-8b7f-77e8f8d2b920"

// The validation codes that most tests expect.
const (
	Blank      = "CANNOT_BE_BLANK"
	Misfit     = "INVALID_FORMAT_OR_ASSOCIATION"
	TooLong    = "IS_TOO_LONG"
	TwiceThere = "VIOLATES_UNIQUENESS_CONSTRAINT"
)

// Client calls a mock that has some resources.
type Client struct {
	*mocktest.Client
	Project, Agent, Prompt string
}

// New returns a client of a mock with a project, an agent and a prompt, and the resources of a fixture.
func New(t *testing.T, fixture ...string) *Client {
	t.Helper()
	c := &Client{Client: mocktest.New(t, "llm").Load(strings.Join(fixture, ""))}
	c.Project = c.Make("projects", `{"name":"Store"}`)
	c.Agent = c.Make("agents", c.Fill(`{"name":"Helper","projectId":"PROJECT","modelType":"gpt-5"}`))
	c.Prompt = c.Make("prompts",
		c.Fill(`{"name":"Ask","projectId":"PROJECT","agentId":"AGENT","template":"{{question}}"}`))
	return c
}

// WithKey returns the same client with another key.
func (c *Client) WithKey(key string) *Client {
	other := *c
	other.Client = c.Client.As(key)
	return &other
}

// Fill replaces the words PROJECT, AGENT and PROMPT by ids.
func (c *Client) Fill(text string) string {
	return strings.NewReplacer("PROJECT", c.Project, "AGENT", c.Agent, "PROMPT", c.Prompt).Replace(text)
}

// Create requests the creation of a resource of a kind, by its name in paths.
func (c *Client) Create(kind, attributes string) mocktest.Answer {
	c.Helper()
	return c.Post("/api/"+kind, fmt.Sprintf(`{"data":{"type":%q,"attributes":%s}}`, CamelType(kind),
		c.Fill(attributes)))
}

// Make creates a resource and returns its id.
func (c *Client) Make(kind, attributes string) string {
	c.Helper()
	return c.Create(kind, attributes).Want(http.StatusCreated).Value("data.id").Text()
}

// Change requests a change of a resource.
func (c *Client) Change(kind, id, attributes string) mocktest.Answer {
	c.Helper()
	return c.Patch("/api/"+kind+"/"+id,
		fmt.Sprintf(`{"data":{"type":%q,"id":%q,"attributes":%s}}`, CamelType(kind), id, c.Fill(attributes)))
}

// Remove deletes a resource.
func (c *Client) Remove(kind, id string) {
	c.Helper()
	c.Delete("/api/" + kind + "/" + id).Want(http.StatusNoContent)
}

// IDs returns the ids of a list, in its order.
func (c *Client) IDs(path string) []string {
	c.Helper()
	list := []string{}
	for id := range c.Get(path).Want(http.StatusOK).Value("data.#.id").List {
		list = append(list, id.Text())
	}
	return list
}

// CamelType returns the camelCase type of a kind.
func CamelType(kind string) string {
	words := strings.Split(kind, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// WantUnprocessable fails the test unless an answer is 422 with an error on an attribute, by its code.
func WantUnprocessable(a mocktest.Answer, attribute, code string) {
	a.Helper()
	a.Want(http.StatusUnprocessableEntity)
	pointer := "/data/attributes/" + attribute
	if got := a.Value(fmt.Sprintf("errors.#(source.pointer==%q).meta.validationCode", pointer)).Text(); got != code {
		a.Errorf("%s is refused with %q, want %q: %s", pointer, got, code, a.Body)
	}
	a.Wants("errors.0.code", "100", "errors.0.status", "422")
}

// Names returns the names of a list, in its order, separated by spaces.
func (c *Client) Names(path string) string {
	c.Helper()
	var list []string
	for name := range c.Get(path).Want(http.StatusOK).Value("data.#.attributes.name").List {
		list = append(list, name.Text())
	}
	return strings.Join(list, " ")
}
