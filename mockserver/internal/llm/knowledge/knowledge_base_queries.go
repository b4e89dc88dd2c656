package knowledge

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
	"svc.example/understudy/specs"
)

// Querier queries the engine that answers jobs.
type Querier struct{ Engine bridge.Engine }

// The functions of a knowledge base (public).
const (
	listColumns     = "LIST_COLUMNS"
	searchSchema    = "SEARCH_SCHEMA"
	queryDataDirect = "QUERY_DATA_DIRECT"
)

// Arguments holds the arguments of a function. Which function takes which of them is assumed.
type Arguments struct {
	Query     string  `json:"query"`
	Statement string  `json:"statement"` // the query under another name
	Keywords  string  `json:"keywords"`
	Tables    *string `json:"tables"`
}

// QueryKnowledgeBase answers with the text that an agent would get.
func (q Querier) QueryKnowledgeBase(c *op.Call, r world.Resource[world.KnowledgeBase]) (op.Reply, error) {
	var body struct {
		Function  string    `json:"function"`
		Arguments Arguments `json:"arguments"`
	}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	content, notes, err := q.Ask(c, r.Attributes, body.Function, body.Arguments)
	if err != nil {
		return op.Reply{}, err
	}
	reply, err := jsonapi.PlainReply(map[string]string{"content": content})
	reply.Notes = notes
	return reply, err
}

// IsUnknownFunction reports whether an error of the document's schema is about the name of a function, which is 422
// (public).
func IsUnknownFunction(o *specs.Operation, e *op.Error) bool {
	return o.ID == "queryKnowledgeBase" && e.Field == "function" && e.Reason == "enum"
}

// Ask runs a function on a knowledge base as the caller. It returns a text, and notes for the author of a test. A
// function that cannot run is unprocessable.
func (q Querier) Ask(c *op.Call, base world.KnowledgeBase, function string, args Arguments) (string, []string, error) {
	s := &source{Querier: q, world: c.World, queries: &c.Queries, caller: c.Caller, now: c.Now, base: base}
	var text string
	var err error
	switch function {
	case listColumns:
		text, err = s.list(args)
	case searchSchema:
		text, err = s.search(args)
	case queryDataDirect:
		text, err = s.query(args)
	default:
		err = op.Unprocessable("function", "want %s, %s or %s, not %q", listColumns, searchSchema, queryDataDirect,
			function)
	}
	return text, s.notes, err
}

// source is a knowledge base with the rights of a user.
type source struct {
	Querier
	world   *world.State
	queries *op.Queries
	caller  world.Caller
	now     time.Time
	base    world.KnowledgeBase
	notes   []string
}

func (s *source) list(args Arguments) (string, error) {
	tables, err := s.selectTables(args, 0)
	return s.schemaText(tables), err
}

// search returns the tables and columns with one of the words in their names or, where values are indexed, in their
// values.
func (s *source) search(args Arguments) (string, error) {
	words := strings.FieldsFunc(strings.ToLower(args.Keywords), func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) == 0 {
		return "", op.Unprocessable("arguments.keywords", "is missing: %s needs words to search for", searchSchema)
	}
	tables, err := s.selectTables(args, math.MaxInt)
	if err != nil {
		return "", err
	}
	found := []schemaTable{}
	for _, t := range tables {
		if !containsAny(t.Name, words) {
			t.Columns = slices.DeleteFunc(t.Columns, func(column schemaColumn) bool {
				return !containsAny(column.Name, words) && !containsAny(column.Description, words) &&
					!slices.ContainsFunc(column.values, func(value string) bool { return containsAny(value, words) })
			})
		}
		if len(t.Columns) > 0 || containsAny(t.Name, words) {
			found = append(found, t)
		}
	}
	return s.schemaText(found), nil
}

func containsAny(text string, words []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// query runs SQL over the database, and over the tables of the knowledge base whose rows may be read.
func (s *source) query(args Arguments) (string, error) {
	statement := cmp.Or(args.Query, args.Statement)
	if strings.TrimSpace(statement) == "" {
		return "", op.Unprocessable("arguments.query", "is missing: %s needs SQL", queryDataDirect)
	}
	var views []bridge.View
	for _, t := range s.base.Tables {
		if t.EnableData {
			views = append(views, bridge.View{Name: t.Name, Text: t.Query})
		}
	}
	found, err := s.ask(statement, views, s.base.MaxRows)
	if err != nil {
		return "", op.Unprocessable("", "the query failed: %v", err)
	}
	return s.rowsText(found), nil
}

// ask queries the engine, and stores the note of the answer.
func (s *source) ask(text string, views []bridge.View, rows int) (bridge.QuestionResult, error) {
	found, err := bridge.Ask(s.world, s.Engine, s.queries, bridge.Question{
		Caller: s.caller, Database: s.base.DatabaseName, Text: text, Now: s.now, Views: views,
	}, rows)
	if found.Note != "" {
		s.notes = append(s.notes, found.Note)
	}
	return found, err
}

// noEngine is the note for a query that nothing can answer.
const noEngine = "the mock has no query engine"

// rowsText returns the rows of a query in the format of the knowledge base, with a note if rows were cut off (public).
func (s *source) rowsText(found bridge.QuestionResult) string {
	if s.base.FormatType == markdownKV {
		return markdownRows(found)
	}
	switch {
	case found.Silent:
		return jsonRows(found, noEngine)
	case isCut(found):
		return jsonRows(found, fmt.Sprintf("only the first %d of %d rows are shown", len(found.Rows), found.Count))
	}
	return jsonRows(found, "")
}

func isCut(found bridge.QuestionResult) bool { return int64(len(found.Rows)) < found.Count }

// jsonRows returns an array of objects. The note is one of the objects, so that the text stays JSON (assumed).
func jsonRows(found bridge.QuestionResult, note string) string {
	text := []byte{'['}
	for i, row := range found.Rows {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '{')
		for j, value := range row {
			if j > 0 {
				text = append(text, ',')
			}
			text = append(append(appendText(text, found.Columns[j][0]), ':'), value...)
		}
		text = append(text, '}')
	}
	if note != "" {
		if len(found.Rows) > 0 {
			text = append(text, ',')
		}
		text = append(appendText(append(text, `{"note":`...), note), '}')
	}
	return string(append(text, ']'))
}

func appendText(text []byte, value string) []byte {
	quoted, err := jsontext.AppendQuote(text, strings.ToValidUTF8(value, "\uFFFD"))
	if err != nil { // valid UTF-8 can be quoted
		panic(err)
	}
	return quoted
}

// markdownRows returns a section for each row, and one with a warning if rows were cut off (public). The text for no
// rows, and the advice after a cut, are assumed.
func markdownRows(found bridge.QuestionResult) string {
	sections := []string{"# Records"}
	for i, row := range found.Rows {
		sections = append(sections, fmt.Sprintf("## Record %d", i+1), fenced(found.Columns, row))
	}
	switch {
	case found.Silent:
		sections = append(sections, "# Warning", noEngine)
	case isCut(found):
		sections = append(sections, "# Warning", fmt.Sprintf("[TRUNCATED] Results limited to %d rows. "+
			"Use a narrower WHERE, or LIMIT and OFFSET, to get the other rows.", len(found.Rows)))
	case len(found.Rows) == 0:
		sections = append(sections, "No records.")
	}
	return strings.Join(sections, "\n\n")
}

var backticks = regexp.MustCompile("`{3,}")

// fenced returns a row as a block of lines name: value. The fence is longer than any in the values.
func fenced(columns [][2]string, row []jsontext.Value) string {
	lines := make([]string, len(row))
	for i, value := range row {
		lines[i] = columns[i][0] + ": " + oneLine(value)
	}
	text := strings.Join(lines, "\n")
	fence := "```"
	for _, run := range backticks.FindAllString(text, -1) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	return fence + "\n" + text + "\n" + fence
}

// oneLine returns a value as text: a text of one line as it is, and everything else as JSON.
func oneLine(value jsontext.Value) string {
	if value.Kind() != '"' {
		return value.String()
	}
	text, _ := jsontext.AppendUnquote(nil, value) // a value of a row is JSON
	if strings.ContainsAny(string(text), "\r\n") {
		return value.String()
	}
	return string(text)
}

// schemaTable is a table in the form that agents see.
type schemaTable struct {
	Name    string         `json:"table"`
	Columns []schemaColumn `json:"columns"`
}

type schemaColumn struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitzero"`

	values []string // the indexed ones
}

// tables returns the tables of the knowledge base, or else those of its database. It reads up to the given number of
// rows of tables whose values are indexed. The error names the table that fails; the tables before it are returned.
func (s *source) tables(rows int) ([]schemaTable, error) {
	if err := bridge.Queryable(s.world, s.caller.User, s.base.DatabaseName); err != nil {
		return nil, err
	}
	tables := []schemaTable{}
	if len(s.base.Tables) == 0 {
		for _, t := range bridge.Tables(s.world, s.base.DatabaseName) {
			tables = append(tables, schemaOf(t))
		}
		return tables, nil
	}
	for _, t := range s.base.Tables {
		wanted := rows
		if !t.EnableDataIndex {
			wanted = 0
		}
		found, err := s.ask(t.Query, nil, wanted)
		if err != nil {
			return tables, fmt.Errorf("table %s: %w", t.Name, err)
		}
		tables = append(tables, schemaOfFinding(t.Name, found))
	}
	return tables, nil
}

func schemaOf(t world.Table) schemaTable {
	one := schemaTable{Name: t.Name, Columns: []schemaColumn{}}
	for _, column := range t.Schema {
		one.Columns = append(one.Columns,
			schemaColumn{Name: column.Name, Type: column.Type, Description: column.Description})
	}
	return one
}

func schemaOfFinding(name string, found bridge.QuestionResult) schemaTable {
	one := schemaTable{Name: name, Columns: []schemaColumn{}}
	for i, column := range found.Columns {
		c := schemaColumn{Name: column[0], Type: column[1]}
		for _, row := range found.Rows {
			c.values = append(c.values, row[i].String())
		}
		one.Columns = append(one.Columns, c)
	}
	return one
}

// selectTables returns the tables that the arguments name, or all.
func (s *source) selectTables(args Arguments, rows int) ([]schemaTable, error) {
	tables, err := s.tables(rows)
	if err != nil {
		return nil, op.Unprocessable("", "%v", err)
	}
	if args.Tables == nil || strings.TrimSpace(*args.Tables) == "" {
		return tables, nil
	}
	chosen := []schemaTable{}
	for name := range strings.SplitSeq(*args.Tables, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(tables, func(t schemaTable) bool { return strings.EqualFold(t.Name, name) })
		if i < 0 {
			return nil, op.Unprocessable("arguments.tables", "the knowledge base has no table %q", name)
		}
		chosen = append(chosen, tables[i])
	}
	return chosen, nil
}

// schemaText returns tables with their columns in the format of the knowledge base. The forms are assumed.
func (s *source) schemaText(tables []schemaTable) string {
	if s.base.FormatType != markdownKV {
		text, err := json.Marshal(tables)
		if err != nil { // texts are always JSON
			panic(err)
		}
		return string(text)
	}
	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, "## %s\n\n", t.Name)
		for _, column := range t.Columns {
			fmt.Fprintf(&b, "- %s: %s", column.Name, column.Type)
			if column.Description != "" {
				b.WriteString(", " + column.Description)
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}
