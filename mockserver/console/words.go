package console

import (
	"errors"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"svc.example/understudy/internal/evidence"
)

// functions are those that templates may call.
var functions = template.FuncMap{
	"plain":  evidence.Plain,
	"short":  evidence.Short,
	"class":  evidence.Class,
	"number": evidence.Number,
	"bytes":  size,
	"time":   moment,
	"took":   took,
	"stamp":  func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
	"dict":   dict,
	"prose":  prose,
	"add":    func(a, b int) int { return a + b },
	"list":   func(items ...any) []any { return items },
}

// phrase is a part of a text of a document.
type phrase struct {
	Text   string
	IsCode bool // it stands between backticks
}

// prose divides a text of a document at its backticks, if they come in pairs.
func prose(text string) (phrases []phrase) {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return []phrase{{Text: text}}
	}
	for i, part := range parts {
		phrases = append(phrases, phrase{part, i%2 == 1})
	}
	return phrases
}

// size returns a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
}

// moment returns a time for people, in UTC.
func moment(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// took returns a number of milliseconds for people.
func took(ms float64) string {
	switch {
	case ms < 0.1:
		return "< 0.1 ms"
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

// dict returns the values of a template that another one calls, by their names.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, errors.New("dict: want names and values in turn")
	}
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is not a name", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}
