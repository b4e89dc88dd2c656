package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// tableRows holds the rows of a table, or of what a person asked for, as a job in the database answers.
type tableRows struct {
	SQL          string // that was asked
	Result       *job
	Columns      []column
	Newer, Older string // addresses of the pages before and after
	From         int    // the number of the first row, from 1 on
	Whole        string // the address of the rows of the table, if something else was asked
}

// The parameters of the rows of a table in the address of its page.
const (
	rowsSQL  = "sql"
	rowsBy   = "by" // the column that they are sorted by; with a - before it, downwards
	rowsFrom = "from"
)

// maxPage is the number of rows of a table that a page shows.
const maxPage = 50

// rows asks for the rows of a table, a page of them, or for what the query of the page says instead.
func (v *visitor) rows(path []string, value any) (*tableRows, error) {
	asked, address := v.r.URL.Query(), v.In(append([]string{"resources", "core.table"}, path...)...)
	t := &tableRows{SQL: asked.Get(rowsSQL), Whole: address}
	isTable := strings.TrimSpace(t.SQL) == ""
	by, isDown := strings.CutPrefix(asked.Get(rowsBy), "-")
	from, _ := strconv.Atoi(asked.Get(rowsFrom)) // 0 if it is none
	from = max(from, 0)
	if isTable {
		t.SQL, t.Whole, t.From = "SELECT * FROM "+quoted(path[1]), "", from+1
		if by != "" {
			t.SQL += " ORDER BY " + quoted(by)
			if isDown {
				t.SQL += " DESC"
			}
		}
		t.SQL += fmt.Sprintf(" LIMIT %d OFFSET %d", maxPage+1, from)
	}
	if isTable { // what a script has in store for a query is not what the table holds
		forget := call{Method: http.MethodDelete, Path: controlPath + "worlds/" + url.PathEscape(v.fork) + "/jobs/results"}
		if _, err := v.send(forget); err != nil {
			return nil, err
		}
	}
	if err := v.query(path[0], t); err != nil {
		return nil, err
	}
	at := func(name, value string) string {
		query := url.Values{rowsBy: asked[rowsBy], rowsFrom: asked[rowsFrom]}
		query.Set(name, value)
		if name == rowsBy {
			query.Del(rowsFrom)
		}
		return address + "?" + query.Encode()
	}
	if !isTable {
		return t, nil
	}
	if holds := first(value, specs.Pointer{"count"}); from == 0 && t.Result.Columns == nil && holds != "0" {
		t.Result.Reason = cmp.Or(t.Result.Reason,
			"Here nothing runs queries, as understudy serve does: the table holds "+holds+" rows.")
	}
	if len(t.Result.Rows) > maxPage {
		t.Result.Rows, t.Result.IsMore = t.Result.Rows[:maxPage], false
		t.Older = at(rowsFrom, strconv.Itoa(from+maxPage))
	}
	if from > 0 {
		t.Newer = at(rowsFrom, strconv.Itoa(max(from-maxPage, 0)))
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		c.Address = at(rowsBy, c.Name)
		if c.Name == by {
			if c.Order = "descending"; !isDown {
				c.Order, c.Address = "ascending", at(rowsBy, "-"+by)
			}
		}
	}
	return t, nil
}

// query lets a job of the fork answer, and waits for it by the fork's clock.
func (v *visitor) query(database string, t *tableRows) error {
	body, _ := json.Marshal(map[string]string{"query": t.SQL}) // a string
	a, err := v.ask(call{
		Method: http.MethodPost, Path: "/core/v3/job/issue/trino/" + url.PathEscape(database), Body: body,
	})
	if err != nil {
		return err
	}
	if a.Status != http.StatusOK {
		t.Result = &job{Reason: a.Message()}
		return nil
	}
	issued, err := jsontree.Decode[any](a.Body)
	if err != nil {
		return err
	}
	id := first(issued, specs.Pointer{"job_id"})
	clock := call{
		Method: http.MethodPost, Path: controlPath + "worlds/" + url.PathEscape(v.fork) + "/clock",
		Body: []byte(`{"untilIdle":true}`),
	}
	if _, err := v.send(clock); err != nil {
		return err
	}
	value, err := v.fetch("/core/v3/job/show/" + url.PathEscape(id))
	if err != nil {
		return err
	}
	if t.Result, err = v.job(id, value); err == nil {
		t.Columns = slices.Clone(t.Result.Columns)
	}
	return err
}

// quoted returns a name as SQL has it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
