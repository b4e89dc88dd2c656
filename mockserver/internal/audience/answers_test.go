package audience_test

import (
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/mocktest"
)

func TestScriptedAnswers(t *testing.T) {
	t.Parallel()
	scripted := func(t *testing.T, answers string) *mocktest.Client {
		t.Helper()
		return load(mocktest.New(t, "audience"), sixPeople+"  answers:\n"+answers)
	}
	const ask = `{"columns": ["name"], "pageSize": 2}`
	t.Run("answer the query with their request, as often as they say", func(t *testing.T) {
		t.Parallel()
		c := scripted(t, `
  - {audience: People, request: {pageSize: 2, columns: [name]}, count: 2000, preview: 5, times: 1}
  - {audience: People, request: {columns: [city]}, error: out of memory}
`)
		c.Post(queries, ask).Want(200).Wants("status", "success", "count", "2000", "maxPage", "3")
		c.Post(queries, ask).Want(200).Wants("count", "6", "maxPage", "3")
		c.Post(queries, `{"columns": ["city"]}`).Want(200).Wants("status", "error", "error", "out of memory", "count", "")
		c.Post(queries, `{"columns": ["age"]}`).Want(200).Wants("count", "6")
	})
	t.Run("take their time, and have their rows", func(t *testing.T) {
		t.Parallel()
		c := scripted(t, `
  - {audience: People, count: 1, takes: 20s, columns: [[name, varchar]], rows: [[Zoe]], times: 1}
`)
		c.Post(queries, ask).Want(200).Wants("status", "running")
		c.Advance(20 * time.Second)
		c.Post(queries, ask).Want(200).Wants("status", "success", "count", "1")
	})
	t.Run("count segments that are created", func(t *testing.T) {
		t.Parallel()
		c := scripted(t, `
  - {audience: People, segment: Big, count: 2000}
  - {audience: People, segment: Odd, error: cannot be counted}
`)
		c.Post(segments, `{"name": "Big", "countPopulation": true}`).Want(200).Wants("population", "2000")
		c.Post(segments, `{"name": "Odd", "countPopulation": true}`).Want(200).Wants("population", "")
		c.Post(segments, `{"name": "Small", "countPopulation": true}`).Want(200).Wants("population", "6")
		c.Post(queries, ask).Want(200).Wants("count", "6")
	})
	t.Run("are refused when they contradict themselves", func(t *testing.T) {
		t.Parallel()
		for _, test := range []struct{ answer, want string }{
			{`{audience: People}`, "want either a count or an error"},
			{`{audience: People, count: 1, error: a}`, "want either a count or an error"},
			{`{audience: Nowhere, count: 1}`, `unknown audience "Nowhere"`},
			{`{audience: People, segment: a, count: 1, takes: 1s}`, "a segment is counted at once"},
			{`{audience: People, count: 1, columns: [[a, bigint]], rows: [[1, 2]]}`, "has 2 values, but there are 1 columns"},
		} {
			text := mocktest.People + sixPeople + "  answers: [" + test.answer + "]\n"
			err := mocktest.New(t, "audience").World().Load([]byte(text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s\nerror %v, want %q in it", test.answer, err, test.want)
			}
		}
	})
}
