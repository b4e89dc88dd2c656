package knowledge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

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
		found, err := s.find(t.Query, nil, wanted)
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

// chosen returns the tables that the arguments name, or all.
func (s *source) chosen(args Arguments, rows int) ([]schemaTable, error) {
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
