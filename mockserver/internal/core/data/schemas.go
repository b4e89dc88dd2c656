package data

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// The columns that no schema lists: the one that every table has, and one whose name is reserved (client).
const (
	timeColumn     = "time"
	reservedColumn = "v"
)

// parseSchema reads the columns of a body: an array of arrays, or a text that holds one (public).
func parseSchema(value jsontext.Value) ([]world.Column, error) {
	if value.Kind() == '"' {
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return nil, op.Invalid("schema", "%v", err)
		}
		value = jsontext.Value(text)
	}
	var rows [][]string
	if err := json.Unmarshal(value, &rows); err != nil || value.Kind() != '[' {
		return nil, op.Invalid("schema", "want a JSON array of columns, or a string that contains one: each of them "+
			`an array of strings, such as ["id","long"]`)
	}
	columns := make([]world.Column, len(rows))
	for i, row := range rows {
		column, err := parseColumn(row)
		if err != nil {
			return nil, err
		}
		columns[i] = column
	}
	return columns, nil
}

// parseColumn reads [name, type], [name, type, alias] or [name, type, alias, description].
func parseColumn(row []string) (world.Column, error) {
	if len(row) < 2 || len(row) > 4 {
		return world.Column{}, op.Invalid("schema", "a column has name, type, alias and description, of which "+
			"the last two may be left out; %q has %d elements", row, len(row))
	}
	if err := checkColumnName(row[0]); err != nil {
		return world.Column{}, err
	}
	if len(row[1]) > maxName || !knownType(row[1]) {
		return world.Column{}, op.Invalid("schema", "column %s has the unknown type %q; want int, long, float, "+
			"double, string, array<…> or map<…,…>", row[0], row[1])
	}
	row = append(slices.Clone(row), "", "")
	return world.Column{Name: row[0], Type: row[1], Alias: row[2], Description: row[3]}, nil
}

// knownType reports whether a type of columns has this name. The list is assumed, chiefly its end.
func knownType(name string) bool {
	if items, ok := cutAround(name, "array<", ">"); ok {
		return knownType(items)
	}
	if pair, ok := cutAround(name, "map<", ">"); ok {
		key, value, _ := strings.Cut(pair, ",")
		return primitiveType(key) && knownType(strings.TrimSpace(value))
	}
	return primitiveType(name)
}

func primitiveType(name string) bool {
	return slices.Contains([]string{"int", "long", "float", "double", "string"}, name)
}

func cutAround(text, before, after string) (string, bool) {
	text, begins := strings.CutPrefix(text, before)
	text, ends := strings.CutSuffix(text, after)
	return text, begins && ends
}

// requireDistinct refuses a duplicate column, and one that no schema lists.
func requireDistinct(columns []world.Column) error {
	seen := map[string]bool{timeColumn: true}
	for _, column := range columns {
		switch {
		case column.Name == timeColumn:
			return op.Unprocessable("schema", "every table has the column %s by default", timeColumn)
		case column.Name == reservedColumn:
			return op.Unprocessable("schema", "the name %s is reserved: want another name for the column", reservedColumn)
		case seen[column.Name]:
			return op.Unprocessable("schema", "the column %s is given twice", column.Name)
		}
		seen[column.Name] = true
	}
	return nil
}

// withoutDuplicates keeps the first of the columns that share a name.
func withoutDuplicates(columns []world.Column) []world.Column {
	seen := map[string]bool{timeColumn: true}
	return slices.DeleteFunc(slices.Clone(columns), func(column world.Column) bool {
		twice := seen[column.Name]
		seen[column.Name] = true
		return twice
	})
}

// schemaText returns a schema in its wire form: a JSON array in a text. With descriptions, all columns have four
// elements, and one without an alias has its name there.
func schemaText(columns []world.Column, described bool) string {
	rows := make([][]string, len(columns))
	for i, column := range columns {
		rows[i] = []string{column.Name, column.Type}
		switch {
		case described && column.Alias == "":
			rows[i] = append(rows[i], column.Name, column.Description)
		case described:
			rows[i] = append(rows[i], column.Alias, column.Description)
		case column.Alias != "":
			rows[i] = append(rows[i], column.Alias)
		}
	}
	text, err := json.Marshal(rows, jsontext.AllowInvalidUTF8(true))
	if err != nil { // texts in arrays are always JSON
		panic(err)
	}
	return string(text)
}

// AppendTableSchema adds columns to the schema of a table.
var AppendTableSchema = op.OnTwo(tableFor(access.Edit), func(
	c *op.Call, d world.Database, t world.Table,
) (op.Reply, error) {
	options, err := readOptions(c)
	if err != nil {
		return op.Reply{}, err
	}
	more, err := options.columns()
	if err != nil {
		return op.Reply{}, err
	}
	t.Schema, t.UpdatedAt = append(slices.Clip(t.Schema), more...), c.Now
	if err := requireDistinct(t.Schema); err != nil {
		return op.Reply{}, err
	}
	putTable(c.World, t)
	return tableReferenceOf(d, t)
})
