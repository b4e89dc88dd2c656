package workflow

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

const agentID = "agent-1"

type logForm struct {
	FileName      string `json:"fileName"`
	FileSize      int64  `json:"fileSize"`
	TaskName      string `json:"taskName"`
	FileTime      string `json:"fileTime"`
	FileTimestamp string `json:"fileTimestamp"`
	AgentID       string `json:"agentId"`
	Direct        string `json:"direct,omitempty"`
}

// logFile is the log that one try of a task wrote.
type logFile struct {
	name  string
	start time.Time // in UTC, to the microsecond
	last  bool      // of the task's tries
	task  world.Task
	plan  dig.Task
	agent string
	given *string // its text, if a fixture has it
}

var listLogFiles = op.OnTwo(logFiles, func(c *op.Call, attempt world.Attempt, files []logFile) (op.Reply, error) {
	direct, err := c.Flag("direct_download", true)
	if err != nil {
		return op.Reply{}, err
	}
	forms, z := []logForm{}, packer()
	for _, f := range files {
		if !strings.HasPrefix(f.task.Name, c.Text("task")) {
			continue
		}
		form := logForm{
			FileName: f.name, FileSize: int64(len(f.bytes(z))), TaskName: f.task.Name,
			FileTime: op.Instant(f.start), FileTimestamp: f.start.Format("2006-01-02T15:04:05.000000Z"), AgentID: f.agent,
		}
		if direct {
			form.Direct = c.Base + "/api/logs/" + op.IDText(attempt.ID) + "/files/" + url.PathEscape(f.name)
		}
		forms = append(forms, form)
	}
	return op.OK(map[string]any{"files": forms})
})

var downloadLogFile = op.OnTwo(logFiles, func(c *op.Call, _ world.Attempt, files []logFile) (op.Reply, error) {
	name := c.Param("file_name")
	i := slices.IndexFunc(files, func(f logFile) bool { return f.name == name })
	if i < 0 {
		return op.Reply{}, op.NotFound("log file", "name", name)
	}
	return op.Reply{Bytes: files[i].bytes(packer()), Type: "application/gzip"}, nil
})

// logFiles returns the log files of the attempt of the path, by name.
func logFiles(c *op.Call) (world.Attempt, []logFile, error) {
	attempt, tasks, err := tasksFromPath("attempt_id")(c)
	if err != nil {
		return attempt, nil, err
	}
	definition, _ := c.World.Workflow.Definitions.Get(attempt.Definition)
	var files []logFile
	for _, t := range tasks {
		for _, log := range t.Logs {
			files = append(files, logFile{name: log.Name, start: log.Time, agent: log.Agent, task: t, given: &log.Text})
		}
		if len(t.Logs) > 0 {
			continue
		}
		for i, start := range t.Starts {
			// Finer times would be in the name only: readers of time stamps stop at six digits.
			start = start.UTC().Truncate(time.Microsecond)
			files = append(files, logFile{
				name:  fmt.Sprintf("%s@%08x%08x.%s.log.gz", t.Name, start.Unix(), start.Nanosecond(), agentID),
				start: start, last: i == len(t.Starts)-1, task: t, plan: definition.Workflow.Tasks[t.Plan],
				agent: agentID,
			})
		}
	}
	slices.SortFunc(files, func(a, b logFile) int { return cmp.Compare(a.name, b.name) })
	return attempt, files, nil
}

// packer compresses log files. It does not really, so that they stay the same over versions of the library.
func packer() *gzip.Writer {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.NoCompression) // cannot fail: the level is valid
	return z
}

// bytes returns the file's content. A packer is large, so those who need many files share one.
func (f *logFile) bytes(z *gzip.Writer) []byte {
	var b bytes.Buffer
	z.Reset(&b)
	_, _ = z.Write([]byte(f.text())) // cannot fail: a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

func (f *logFile) text() string {
	if f.given != nil {
		return *f.given
	}
	var b strings.Builder
	line := func(at time.Time, level, format string, args ...any) {
		fmt.Fprintf(&b, "%s [%s] %s: ", at.UTC().Format("2006-01-02 15:04:05.000 -0700"), level, f.task.Name)
		fmt.Fprintf(&b, format+"\n", args...)
	}
	line(f.start, "INFO", "%s>: %s", f.plan.Operator, f.plan.Command)
	switch {
	case !f.last:
		line(f.start, "WARN", "the task failed and is retried")
	case f.task.Error != "":
		line(f.task.UpdatedAt, "ERROR", "%s", f.task.Error)
	case engine.Final(f.task.State):
		line(f.task.UpdatedAt, "INFO", "%s", f.task.State)
	}
	return b.String()
}
