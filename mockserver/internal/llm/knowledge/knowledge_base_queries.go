package knowledge

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
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
func (q Querier) QueryKnowledgeBase(c *op.Call) (op.Reply, error) {
	_, r, err := resource.Find[world.Resource[world.KnowledgeBase]](KnowledgeBases.Resource, c)
	if err != nil {
		return op.Reply{}, err
	}
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
	tables, err := s.chosen(args, 0)
	return s.schemaText(tables), err
}

// search returns the tables and columns with one of the words in their names or, where values are indexed, in their
// values.
func (s *source) search(args Arguments) (string, error) {
	words := strings.FieldsFunc(strings.ToLower(args.Keywords), func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) == 0 {
		return "", op.Unprocessable("arguments.keywords", "is missing: %s needs words to search for", searchSchema)
	}
	tables, err := s.chosen(args, math.MaxInt)
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
	found, err := s.find(statement, views, s.base.MaxRows)
	if err != nil {
		return "", op.Unprocessable("", "the query failed: %v", err)
	}
	return s.rowsText(found), nil
}

// find queries the engine, and stores the note of the answer.
func (s *source) find(text string, views []bridge.View, rows int) (bridge.QuestionResult, error) {
	found, err := bridge.Ask(s.world, s.Engine, s.queries, bridge.Question{
		Caller: s.caller, Database: s.base.DatabaseName, Text: text, Now: s.now, Views: views,
	}, rows)
	if found.Note != "" {
		s.notes = append(s.notes, found.Note)
	}
	return found, err
}
