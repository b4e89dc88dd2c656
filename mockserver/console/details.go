package console

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/specs"
)

// details holds what only some kinds have: the tasks of an attempt in time, the query and the rows of a job, the rows
// of a table, or the conversation of a chat.
type details struct {
	Attempt *attempt
	Job     *job
	Rows    *tableRows
	Chat    *chat
}

// isSpecial reports whether a kind's own view shows the parts of its objects.
func isSpecial(k *kind) bool { return k.Resource.Name == "workflow.attempt" }

// details returns what only objects of some kinds have; nil for all others.
func (v *visitor) details(k *kind, path []string, value any) (s *details, err error) {
	s = &details{}
	switch k.Resource.Name {
	case "workflow.attempt":
		s.Attempt, err = v.attempt(path[0], value)
	case "core.job":
		s.Job, err = v.job(path[0], value)
	case "core.table":
		s.Rows, err = v.rows(path, value)
	case "llm.chat":
		s.Chat, err = v.chat(path[0])
	default:
		return nil, nil //nolint:nilnil // most have none
	}
	return s, err
}

// attempt describes how the tasks of a workflow's attempt went.
type attempt struct {
	Status string
	Pool   link
	Tasks  *gantt
	Logs   []link // of no task that there is
}

// gantt shows tasks in time.
type gantt struct {
	timeline
	Tasks []task
	IsOn  bool // something goes on
}

type task struct {
	*span
	Name    string
	Depth   int
	IsGroup bool
	Logs    []link
}

// Short returns the last part of the name, which stands below the parts before it.
func (t *task) Short() string { return t.Name[max(0, strings.LastIndexByte(t.Name, '+')):] }

func newGantt(tasks []task) *gantt {
	g := &gantt{Tasks: tasks}
	var spans []*span
	for _, t := range tasks {
		spans = append(spans, t.span)
		g.IsOn = g.IsOn || t.IsOn
	}
	g.timeline = layOut(spans)
	return g
}

// maxLog is the number of bytes of a log that a page shows.
const maxLog = 64 << 10

func (v *visitor) attempt(id string, value any) (*attempt, error) {
	a := &attempt{Status: first(value, specs.Pointer{"status"})}
	if pool := first(value, specs.Pointer{"poolId"}); pool != "" {
		a.Pool = link{What: "pool", Key: pool, Address: v.In("resources", "workflow.pool", pool)}
		if one, err := v.fetch("/workflow/api/pools/" + url.PathEscape(pool)); err == nil {
			a.Pool.Name = first(one, specs.Pointer{"name"})
		}
	}
	body, err := v.fetch("/workflow/api/attempts/" + url.PathEscape(id) + "/tasks")
	if err != nil {
		return nil, err
	}
	var tasks []task
	at := map[string]int{}
	for _, item := range (specs.Pointer{"tasks", "*"}).In(body) {
		name := first(item, specs.Pointer{"fullName"})
		times := timed{specs.Pointer{"state"}, specs.Pointer{"startedAt"}, specs.Pointer{"updatedAt"}}
		if first(item, times.state) == "running" {
			times.end = nil // it was updated when it began
		}
		at[name] = len(tasks)
		tasks = append(tasks, task{
			span: times.span(item, v.now), Name: name, Depth: strings.Count(name, "+") - 1,
			IsGroup: first(item, specs.Pointer{"isGroup"}) == "true",
		})
	}
	logs, err := v.fetch("/workflow/api/logs/" + url.PathEscape(id) + "/files")
	if err != nil {
		logs = nil // an attempt may have none
	}
	for _, file := range (specs.Pointer{"files", "*"}).In(logs) {
		name := first(file, specs.Pointer{"fileName"})
		log := link{What: first(file, specs.Pointer{"fileTime"}), Key: name, Address: v.In("logs", id, name)}
		if i, isThere := at[first(file, specs.Pointer{"taskName"})]; isThere {
			tasks[i].Logs = append(tasks[i].Logs, log)
		} else {
			a.Logs = append(a.Logs, log)
		}
	}
	a.Tasks = newGantt(tasks)
	return a, nil
}

// fetch asks an interface, and decodes the answer.
func (v *visitor) fetch(path string) (any, error) {
	a, err := v.ask(call{Method: http.MethodGet, Path: path})
	if err != nil {
		return nil, err
	}
	if a.Status != http.StatusOK {
		return nil, &refusal{a}
	}
	return jsontree.Decode[any](a.Body)
}

// job is a query with its result.
type job struct {
	Query, Status, Type string
	Columns             []column
	Rows                [][]string
	IsMore              bool
	Reason              string // why there are no rows
	Output              string // what the job wrote
	Tasks               *gantt // its time in the queue, and when it ran
}

// maxRows is the number of rows of a result that a page shows.
const maxRows = 200

func (v *visitor) job(id string, value any) (*job, error) {
	j := &job{
		Query: first(value, specs.Pointer{"query"}), Status: first(value, specs.Pointer{"status"}),
		Type: first(value, specs.Pointer{"type"}), Output: first(value, specs.Pointer{"debug", "cmdout"}),
	}
	waited := timed{nil, specs.Pointer{"created_at"}, specs.Pointer{"start_at"}}.span(value, v.now)
	ran := timedKinds["core.job"].span(value, v.now)
	if waited.State = "queued"; waited.IsOn && j.Status != waited.State { // it ended without having run
		waited.End, waited.IsOn = timeAt(value, specs.Pointer{"updated_at"}), false
	}
	j.Tasks = newGantt([]task{{span: waited, Name: "in the queue"}, {span: ran, Name: "under way"}})
	var columns [][]string
	if json.Unmarshal([]byte(first(value, specs.Pointer{"hive_result_schema"})), &columns) == nil {
		for _, c := range columns {
			j.Columns = append(j.Columns, column{Name: c[0], Type: strings.Join(c[1:], " ")})
		}
	}
	a, err := v.ask(call{Method: http.MethodGet, Path: "/core/v3/job/result/" + url.PathEscape(id) + "?format=jsonl"})
	switch {
	case err != nil:
		return nil, err
	case a.Status != http.StatusOK:
		j.Reason = cmp.Or(first(value, specs.Pointer{"debug", "stderr"}), a.Message())
		return j, nil
	}
	lines := bufio.NewScanner(bytes.NewReader(a.Body))
	lines.Buffer(nil, len(a.Body)+1)
	for lines.Scan() {
		if len(j.Rows) == maxRows {
			j.IsMore = true
			break
		}
		row, err := jsontree.Decode[[]any](lines.Bytes())
		if err != nil {
			continue
		}
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = shown(cell)
		}
		j.Rows = append(j.Rows, cells)
	}
	return j, lines.Err()
}

// chat holds the messages of a chat.
type chat struct{ Said []said }

type said struct {
	At   time.Time
	Who  string // user, or agent
	What string // input, content, reasoning, tool, output or artifact
	Text string
}

func (v *visitor) chat(id string) (*chat, error) {
	body, err := v.fetch("/llm/api/chats/" + url.PathEscape(id) + "/history")
	if err != nil {
		return nil, err
	}
	c := &chat{}
	for _, entry := range (specs.Pointer{"data", "*"}).In(body) {
		members, _ := entry.(map[string]any)
		for _, what := range slices.Sorted(maps.Keys(members)) {
			if what == "at" {
				continue
			}
			one := said{At: timeAt(entry, specs.Pointer{"at"}), Who: "agent", What: what, Text: shown(members[what])}
			switch what {
			case "input":
				one.Who = "user"
			case "tool":
				one.Text = first(entry, specs.Pointer{"tool", "functionName"}) + " " +
					first(entry, specs.Pointer{"tool", "functionArguments"}) + " → " +
					first(entry, specs.Pointer{"tool", "content"})
			}
			c.Said = append(c.Said, one)
		}
	}
	return c, nil
}

// logPage shows a log of an attempt.
func (v *view) logPage() error {
	id, name := v.r.PathValue("attempt"), v.r.PathValue("file")
	var text string
	err := v.visit(func(v *visitor) error {
		a, err := v.ask(call{
			Method: http.MethodGet, Path: "/workflow/api/logs/" + url.PathEscape(id) + "/files/" + url.PathEscape(name),
		})
		if err == nil && a.Status != http.StatusOK {
			err = &refusal{a}
		}
		text = logText(a)
		return err
	})
	if err != nil {
		return err
	}
	return v.ok("log", "resources", name, struct{ Attempt, Text string }{id, text})
}

// logText returns the text of a log, which is compressed.
func logText(a answer) string {
	unzipped, err := gzip.NewReader(bytes.NewReader(a.Body))
	if err != nil {
		return string(a.Body[:min(len(a.Body), maxLog)])
	}
	text, err := io.ReadAll(io.LimitReader(unzipped, maxLog))
	if err != nil {
		return err.Error()
	}
	return string(text)
}
