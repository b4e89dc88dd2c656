package audience

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/world"
)

// timeColumn is the time of a record, which every table has beside its columns.
const timeColumn = "time"

// profiles are those of an audience at one moment. Every record of the table is one (assumed).
type profiles struct {
	columns columns
	rows    []map[string]string // oldest first; what a profile lacks is null
	now     time.Time
}

// columns are the types of a table's columns, by name.
type columns map[string]string

// numeric reports whether values of a column, or the elements of its arrays, are numbers.
func (c columns) numeric(name string) bool {
	kind := strings.TrimSuffix(strings.TrimPrefix(c[name], "array<"), ">")
	return slices.Contains([]string{"int", "long", "float", "double"}, kind)
}

// columnsOf returns the columns of an audience's profiles: those of the table's schema, or of its records if it has
// none. They are nil, and thus not known, while the table does not exist.
func columnsOf(w *world.State, a world.ParentSegment) columns {
	table, records, err := bridge.Table(w, a.Database, a.Table)
	if err != nil {
		return nil
	}
	list := columns{timeColumn: "long"}
	for _, column := range table.Schema {
		list[column.Name] = column.Type
	}
	if len(table.Schema) == 0 {
		for record := range records.All() {
			for name := range valuesOf(record) {
				if list[name] == "" {
					list[name] = "string"
				}
			}
		}
	}
	return list
}

func valuesOf(r world.Record) map[string]string {
	values := map[string]string{}
	_ = json.Unmarshal([]byte(r.Values), &values) // records are objects of texts
	values[timeColumn] = strconv.FormatInt(r.Time, 10)
	return values
}

func profilesOf(w *world.State, a world.ParentSegment, now time.Time) (*profiles, error) {
	_, records, err := bridge.Table(w, a.Database, a.Table)
	if err != nil {
		return nil, err
	}
	p := &profiles{columns: columnsOf(w, a), rows: make([]map[string]string, 0, records.Len()), now: now}
	for record := range records.All() {
		p.rows = append(p.rows, valuesOf(record))
	}
	return p, nil
}

// missingRecordsNote returns a note for counts if the world has dropped some of an audience's profiles.
func missingRecordsNote(w *world.State, a world.ParentSegment) []string {
	table, records, err := bridge.Table(w, a.Database, a.Table)
	if held := int64(records.Len()); err == nil && held < table.Count {
		return []string{fmt.Sprintf("audience %d: only the %d records of %s.%s that the world keeps were counted, of %d; it "+
			"drops the oldest beyond its limit, which is set with WithRecordLimit or --record-limit",
			a.ID, held, a.Database, a.Table, table.Count)}
	}
	return nil
}

// set holds which of the profiles fit, by their places. A nil set is unknown: the mock cannot evaluate the condition.
// Sets are immutable.
type set []bool

func (p *profiles) matching(holds func(profile map[string]string) bool) set {
	s := make(set, len(p.rows))
	for i, row := range p.rows {
		s[i] = holds(row)
	}
	return s
}

// evaluate returns the profiles that fit a condition: all of them, if it cannot be evaluated.
func (p *profiles) evaluate(n node) set {
	if s := n(p); s != nil {
		return s
	}
	return p.matching(func(map[string]string) bool { return true })
}

func (s set) places() []int {
	var list []int
	for i, in := range s {
		if in {
			list = append(list, i)
		}
	}
	return list
}

func (s set) size() int64 { return int64(len(s.places())) }

func (s set) complement() set {
	if s == nil {
		return nil
	}
	other := make(set, len(s))
	for i, in := range s {
		other[i] = !in
	}
	return other
}

// joinSets joins two sets place by place. If one is unknown, the result is the other.
func joinSets(a, b set, join func(a, b bool) bool) set {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	joined := make(set, len(a))
	for i := range a {
		joined[i] = join(a[i], b[i])
	}
	return joined
}

func andTest(a, b bool) bool { return a && b }
func orTest(a, b bool) bool  { return a || b }

// limited returns the profiles of a set that a limit keeps: the first ones in its order, or the oldest.
func (p *profiles) limited(s set, l limit) set {
	places := s.places()
	slices.SortStableFunc(places, func(a, b int) int { return p.compare(p.rows[a], p.rows[b], l.OrderColumns) })
	keep := l.Number
	if l.Type == percent {
		keep = math.Ceil(float64(len(places)) * l.Number / 100) // that parts of a profile count as one is assumed
	}
	kept := make(set, len(s))
	for _, place := range places[:int(min(keep, float64(len(places))))] {
		kept[place] = true
	}
	return kept
}

// compare orders two profiles by columns; null comes last.
func (p *profiles) compare(a, b map[string]string, by []orderColumn) int {
	for _, column := range by {
		x, hasX := a[column.Column]
		y, hasY := b[column.Column]
		if !hasX || !hasY {
			if hasX != hasY {
				return map[bool]int{true: -1, false: 1}[hasX]
			}
			continue
		}
		order := strings.Compare(x, y)
		if p.columns.numeric(column.Column) {
			order = compareNumbers(x, y)
		}
		if column.Order == descending {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// compareNumbers compares integers exactly, and other numbers as well as can be. A text that is not a number is less
// than any number.
func compareNumbers(x, y string) int {
	n, errN := strconv.ParseInt(x, 10, 64)
	m, errM := strconv.ParseInt(y, 10, 64)
	if errN == nil && errM == nil {
		return cmp.Compare(n, m)
	}
	return cmp.Compare(parseNumber(x), parseNumber(y))
}

// parseNumber returns the value of a text, NaN if it has none.
func parseNumber(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}
