package knowledge

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/bridge"
)

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
