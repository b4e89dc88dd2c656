package audience_test

import (
	"fmt"
	"strings"
	"testing"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
)

// sixPeople is a fixture with an audience of six people, who differ in all that rules ask for, and one without any.
const sixPeople = `
  policies:
  - {name: asking, databases: {query: [crm]}}
core:
  databases:
  - name: crm
    tables:
    - name: people
      schema: [[id, long], [name, string], [city, string], [age, int], [score, double], [tags, array<string>],
        [joined, string]]
      records:
      - {time: now-1h, id: '1', name: Ada, city: Oslo, age: '31', score: '7.5', tags: '["red","blue"]', joined: '2026-01-15T08:00:00Z'}
      - {time: now-2d, id: '2', name: Ben, city: Osaka, age: '9', score: '-1', tags: '["red","red"]', joined: '2026-01-12'}
      - {time: now-3d, id: '3', name: Cy, city: oslo, age: '100', score: '7.50', tags: '[]', joined: '2026-01-05 10:00:00'}
      - {time: now-4d, id: '4', name: Di, age: '42', tags: '["green",null]', joined: '2025-10-01'}
      - {time: now-5d, id: '5', name: Eve, city: Lima, score: '1e2', tags: blue, joined: '1768557600'}
      - {time: now-6d, id: '9007199254740993', name: Flo, city: Lima, age: '42', score: '3', joined: soon}
    - {name: nobody}
  connections:
  - {name: lake, url: 's3://lake.example/in'}
audience:
  audiences:
  - {id: 61, name: People, database: crm, table: people}
  - {id: 62, name: Nobody, database: crm, table: nobody}
  segments:
  - {id: 70, audience: People, name: From Lima, rule: {type: And, conditions: [{type: Value, leftValue: {name: city}, operator: {type: Equal, rightValue: Lima}}]}}
  - {id: 71, audience: People, name: All, population: 4, segmentFolderId: 65, user: analyst@shop.example}
  - {id: 80, audience: Nobody, name: Others}
`

// Where the tests ask, mostly.
const (
	segments    = "/audiences/61/segments"
	queries     = "/audiences/61/segments/queries"
	activations = "/audiences/61/segments/70/syndications"
)

// newClient returns a client of a mock with sixPeople.
func newClient(t *testing.T, opts ...mockserver.Option) *mocktest.Client {
	t.Helper()
	return load(mocktest.New(t, "audience", opts...), sixPeople)
}

// load loads a fixture in which the analyst may ask.
func load(c *mocktest.Client, fixture string) *mocktest.Client {
	c.Helper()
	people := strings.Replace(mocktest.People, "email: analyst@shop.example, role: restricted",
		"email: analyst@shop.example, role: restricted, policies: [asking]", 1)
	if err := c.World().Load([]byte(people + fixture)); err != nil {
		c.Fatal(err)
	}
	return c
}

// newSlowClient returns a client of a mock whose queries take twenty seconds.
func newSlowClient(t *testing.T, opts ...mockserver.Option) *mocktest.Client {
	t.Helper()
	return load(mocktest.New(t, "audience", opts...),
		strings.Replace(sixPeople, "audience:\n", "audience:\n  queryTime: 20s\n", 1))
}

// named asks who fits a rule, by name.
func named(c *mocktest.Client, rule string) string {
	c.Helper()
	answer := c.Post(queries, fmt.Sprintf(`{"columns": ["name"], "rule": %s}`, rule)).Want(200).Wants("status", "success")
	rows := c.At("core").Get("/job/result/" + answer.Value("jobid").Text() + "?format=json").Want(200)
	var list []string
	for line := range strings.Lines(rows.Body) {
		list = append(list, jsontree.Find(line, "0").Text())
	}
	if n := answer.Value("count").Int(); int(n) != len(list) {
		c.Errorf("the count is %d, but there are %d in the preview", n, len(list))
	}
	return strings.Join(list, " ")
}

// notes returns the journal's remarks on the last exchange of the audience interface.
func notes(c *mocktest.Client) string {
	c.Helper()
	journal, err := c.World().Journal()
	if err != nil {
		c.Fatal(err)
	}
	var all []string
	for _, exchange := range journal {
		if strings.HasPrefix(exchange.Operation, "audience.") {
			all = exchange.Notes
		}
	}
	return strings.Join(all, "; ")
}
