package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Where the profiles of audiences are if the recording shows no table.
const (
	assumedDatabase = "audience"
	assumedTable    = "profiles"
)

var from = regexp.MustCompile(`(?i)\bfrom\s+(?:"?(\w+)"?\.)?"?(\w+)"?`)

// profiles returns the table that the profiles of an audience are assumed in: the one that the job of a query reads,
// the first that is known to have the columns that requests name, or one that is made up.
func (l *learner) profiles() (database, table string) {
	for _, q := range l.askedQueries() {
		job := l.things.find(jobKind, q.job)
		if job == nil {
			continue
		}
		o := l.whole(job)
		if found := from.FindStringSubmatch(o.Get("query").String()); found != nil && o.Get("database").String() != "" {
			if database = found[1]; database == "" {
				database = o.Get("database").String()
			}
			return database, found[2]
		}
	}
	columns := l.profileColumns()
	for _, t := range l.things.of(tableKind) {
		schema := gjson.Parse(t.first().Get("schema").String()).Array()
		isUnknown := func(name string) bool {
			return name != "time" && !slices.ContainsFunc(schema, func(c gjson.Result) bool {
				return c.Get("0").String() == name || c.Get("2").String() == name
			})
		}
		if len(columns) > 0 && !slices.ContainsFunc(columns, isUnknown) {
			database, table, _ = strings.Cut(t.id, "/")
			return database, table
		}
	}
	return assumedDatabase, assumedTable
}

// audienceRequests lists the bodies of requests and the objects of answers that name columns and rules.
func (l *learner) audienceRequests() (list []gjson.Result) {
	for _, e := range l.exchanges {
		if e.Operation().Interface != "audience" || !e.ok() {
			continue
		}
		if request, ok := e.JSONRequest(); ok {
			list = append(list, request)
		}
		if answer, ok := e.JSONResponse(); ok && answer.IsArray() {
			list = append(list, answer.Array()...)
		}
	}
	return list
}

// profileColumns lists the columns of profiles that rules, queries and activations name.
func (l *learner) profileColumns() (names []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, o := range l.audienceRequests() {
		for _, value := range leftValues(o.Get("rule")) {
			if left := value.Get("leftValue"); !left.Get("source").Exists() {
				add(left.Get("name").String())
			}
		}
		for _, column := range o.Get("columns").Array() {
			switch source := column.Get("source.column"); {
			case column.Type == gjson.String:
				add(column.Str)
			case source.Type == gjson.String:
				add(source.Str)
			}
		}
	}
	return names
}

// leftValues lists the conditions of a rule that are about a value.
func leftValues(rule gjson.Result) (list []gjson.Result) {
	if rule.Get("leftValue").Exists() {
		list = append(list, rule)
	}
	for _, condition := range rule.Get("conditions").Array() {
		list = append(list, leftValues(condition)...)
	}
	return list
}

// needsAssumedTable reports whether something refers to a table that no answer shows.
func (l *learner) needsAssumedTable() bool {
	l.llm()
	return l.assumes && l.things.find(tableKind, assumedDatabase+"/"+assumedTable) == nil
}

// assumedColumns returns the columns of the table of profiles as far as requests name them: numbers where a rule
// compares them with such.
func (l *learner) assumedColumns() *sequence {
	s := newSequence()
	for _, name := range l.profileColumns() {
		if name == "time" {
			continue
		}
		kind := "string"
		for _, o := range l.audienceRequests() {
			for _, value := range leftValues(o.Get("rule")) {
				operator := value.Get("operator")
				isNumber := operator.Get("rightValue").Type == gjson.Number ||
					operator.Get("rightValues.0").Type == gjson.Number
				if value.Get("leftValue.name").String() == name && isNumber {
					kind = "double"
				}
			}
		}
		column := newSequence()
		column.node.Content = append(column.node.Content, scalar(name), scalar(kind))
		s.node.Content = append(s.node.Content, column.node)
	}
	return s
}

// addProfileColumns adds the columns of the table of profiles if no answer shows its schema.
func (l *learner) addProfileColumns(m *mapping, t *thing) {
	database, table := l.profiles()
	if t.id == database+"/"+table && len(l.audienceIDs()) > 0 && len(l.assumedColumns().node.Content) > 0 {
		m.guess("schema", l.assumedColumns(), "no answer shows it, and requests name these columns")
	}
}
