package audience

import (
	"errors"
	"strconv"
	"strings"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// answerQuery counts the profiles of a query, as they are just before its job ends. A job that has an answer, since one
// was queued for it, keeps that.
func answerQuery(w *world.State, e world.DueEvent) {
	q, ok := w.Audience.Queries.Get(e.ID)
	job, _ := bridge.Job(w, q.Job)
	if !ok || job.Status != world.JobRunning || job.Answer != nil {
		return
	}
	a, _ := w.Audience.Audiences.Get(q.Audience)
	var body queryRequest
	err := op.Unmarshal(q.Request, &body)
	var list preview
	if err == nil {
		list, err = count(w, a, body, e)
	}
	switch {
	case q.Answer == nil:
	case q.Answer.Error != "":
		err = errors.New(q.Answer.Error)
	default:
		q.Found = found(q.Answer)
		w.Audience.Queries.Put(q.ID, q)
		scripted(w, q, list)
		return
	}
	if err == nil {
		q.Found = &list.found
		w.Audience.Queries.Put(q.ID, q)
	}
	bridge.AnswerJob(w, q.Job, list.columns, list.rows, err)
}

// preview is the answer of the job of a query: the profiles with the columns that were asked for, or else their number.
type preview struct {
	found   world.Found
	columns [][2]string
	rows    [][]any
}

func count(w *world.State, a world.ParentSegment, body queryRequest, e world.DueEvent) (preview, error) {
	p, err := profilesOf(w, a, e.At)
	if err != nil {
		return preview{}, err
	}
	reader := newRuleReader(w, a)
	rule := reader.rule(body.Rule)
	if err := reader.err(); err != nil {
		return preview{}, err // columns may have gone since it was asked
	}
	taken := p.evaluate(rule)
	if len(body.Columns) == 0 {
		n := taken.size()
		return preview{world.Found{Count: n, Preview: n}, [][2]string{{"count", "bigint"}}, [][]any{{n}}}, nil
	}
	list := preview{found: world.Found{Count: taken.size()}}
	for _, name := range body.Columns {
		list.columns = append(list.columns, [2]string{name, engineType(p.columns[name])})
	}
	for _, place := range taken.places() {
		if row, fits := previewRow(p, body, p.rows[place]); fits {
			list.rows = append(list.rows, row)
		}
	}
	list.found.Preview = int64(len(list.rows))
	return list, nil
}

// previewRow returns a profile as the preview shows it, if it has the text to filter by in any column of that
// (assumed).
func previewRow(p *profiles, body queryRequest, profile map[string]string) (row []any, fits bool) {
	for _, name := range body.Columns {
		text, present := profile[name]
		fits = fits || strings.Contains(strings.ToLower(text), strings.ToLower(body.Filter))
		row = append(row, typedValue(p.columns[name], text, present))
	}
	return row, fits
}

// engineType returns the word of the job's engine for a type of a column.
func engineType(kind string) string {
	switch kind {
	case "int":
		return "integer"
	case "long":
		return "bigint"
	case "float":
		return "real"
	case "double":
		return "double"
	}
	return "varchar"
}

// typedValue returns a value in the type of its column; null if it has none there.
func typedValue(kind, text string, present bool) any {
	switch {
	case !present:
		return nil
	case kind == "int" || kind == "long":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		return nil
	case kind == "float" || kind == "double":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
		return nil
	}
	return text
}
