package jobs

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// The types of jobs without a query.
const (
	BulkLoadJob     = "bulkload"
	exportJob       = "export"
	resultExportJob = "result_export"
)

// queryTypes returns the types of jobs that have a query (client). The mock runs those whose engines take SQL.
func queryTypes() []string { return []string{"hive", "presto", "trino", "mapred", "pig"} }

func speaksSQL(jobType string) bool { return slices.Contains(queryTypes()[:3], jobType) }

// IssueJob queues a job.
func (g Engine) IssueJob(c *op.Call) (op.Reply, error) {
	database, err := data.DatabaseFor(access.Query)(c)
	if err != nil {
		return op.Reply{}, err
	}
	body := struct {
		jobOptions
		Query    jobQuery `json:"query"`
		Config   jobQuery `json:"config"`   // of a bulk load
		Priority *int     `json:"Priority"` // documented; every client writes it small
	}{}
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	body.jobOptions.Priority = cmp.Or(body.Priority, body.jobOptions.Priority)
	job := world.Job{Type: c.Param("job_type"), Database: database.Name, User: c.Caller.User.ID}
	query := body.Query
	if job.Type == BulkLoadJob && !body.Config.empty() {
		query = body.Config
	}
	if err := query.bind(&job); err != nil {
		return op.Reply{}, err
	}
	if err := body.bind(c.World, &job); err != nil {
		return op.Reply{}, err
	}
	if job, err = IssueWithin(c.World, job, c.Now); err != nil {
		return op.Reply{}, err
	}
	reply := issued(job)
	if note := g.EmptyReason(job); note != "" {
		reply.Notes = []string{note}
	}
	return reply, nil
}

// issued returns the answer for a new job.
func issued(job world.Job) op.Reply {
	id := op.IDText(job.ID)
	return op.Reply{Body: map[string]string{"job": id, "job_id": id, "database": job.Database}}
}

// jobQuery is a query, or the configuration of a bulk load: an object, or a text that holds one.
type jobQuery struct {
	text   string
	object []byte
}

// UnmarshalJSON implements json.Unmarshaler.
func (q *jobQuery) UnmarshalJSON(data []byte) error {
	if data[0] == '{' {
		q.object = bytes.Clone(data)
		return nil
	}
	return json.Unmarshal(data, &q.text)
}

func (q jobQuery) empty() bool { return q.object == nil && q.text == "" }

// bind checks the type of a job, and sets the query or the configuration that the type needs.
func (q jobQuery) bind(job *world.Job) error {
	var config map[string]any
	switch {
	case job.Type == exportJob:
	case job.Type == BulkLoadJob:
		if q.object == nil {
			q.object = []byte(cmp.Or(q.text, "{}"))
		}
		if json.Unmarshal(q.object, &config) != nil || config == nil {
			return op.Unprocessable("config", "want the configuration of the bulk load, a JSON object")
		}
		compact := jsontext.Value(q.object)
		if err := compact.Compact(); err != nil { // so that patterns need not mind the spaces
			return err
		}
		job.BulkLoad = []byte(compact)
	case !slices.Contains(queryTypes(), job.Type):
		return op.Invalid("job_type", "want one of %s, %s, %s, not %q",
			strings.Join(queryTypes(), ", "), BulkLoadJob, exportJob, job.Type)
	case strings.TrimSpace(q.text) == "":
		return op.Unprocessable("query", "is missing: want a query")
	default:
		job.Query = q.text
	}
	return nil
}

// jobOptions holds the fields that all requests for jobs share.
type jobOptions struct {
	exportTarget
	DomainKey     domainKey `json:"domain_key"`
	Priority      *int      `json:"priority"`
	RetryLimit    *int      `json:"retry_limit"`
	Pool          *string   `json:"pool_name"`
	EngineVersion *string   `json:"engine_version"`
}

func (o jobOptions) bind(w *world.State, job *world.Job) error {
	if err := checkRanges(o.Priority, o.RetryLimit); err != nil {
		return err
	}
	url, err := o.url(w)
	if err != nil {
		return err
	}
	job.ResultURL, job.DomainKey = url, string(o.DomainKey)
	wire.Set(&job.Priority, o.Priority)
	wire.Set(&job.RetryLimit, o.RetryLimit)
	wire.Set(&job.Pool, o.Pool)
	wire.Set(&job.EngineVersion, o.EngineVersion)
	return nil
}

// checkRanges requires a priority from −2, very low, to 2, very high, and at most 32 retries (public).
func checkRanges(priority, retryLimit *int) error {
	if p := priority; p != nil && (*p < -2 || *p > 2) {
		return op.Invalid("priority", "want -2 to 2, not %d", *p)
	}
	if r := retryLimit; r != nil && (*r < 0 || *r > 32) {
		return op.Invalid("retry_limit", "want 0 to 32, not %d", *r)
	}
	return nil
}

// domainKey is a text or a number, compared as text.
type domainKey string

// UnmarshalJSON implements json.Unmarshaler.
func (k *domainKey) UnmarshalJSON(data []byte) error {
	switch {
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(k))
	case data[0] == '-' || data[0] >= '0' && data[0] <= '9':
		*k = domainKey(data)
	case data[0] != 'n': // null is none
		return errors.New("want a string or a number")
	}
	return nil
}

// exportTarget is the target of a result: a URL, the settings of a connection as a JSON object in a text (client), or a
// connection with its settings. They may hold secrets, so no message repeats them.
type exportTarget struct {
	Result     *string `json:"result"`
	Connection *int64  `json:"result_connection_id"`
	Settings   *string `json:"result_connection_settings"`
}

// scheme matches the scheme of a URL. The rest is not parsed: passwords stand in it unescaped.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+._-]*://`)

// url returns the target as a URL, as a text that begins with the name of a connection, or as a JSON object. It returns
// the empty string if the job has no target.
func (t exportTarget) url(w *world.State) (string, error) {
	if t.Settings != nil && !isObject(*t.Settings) {
		return "", op.Unprocessable("result_connection_settings", "want a JSON object, as a string")
	}
	if t.Connection != nil {
		connection, ok := w.Core.Connections.Get(*t.Connection)
		if !ok {
			return "", op.Unprocessable("result_connection_id", "connection %d not found", *t.Connection)
		}
		return connection.URL, nil
	}
	if t.Result == nil || *t.Result == "" {
		return "", nil
	}
	name, _, _ := strings.Cut(*t.Result, ":")
	if _, known := w.Core.ConnectionNames.Get(name); !known && !scheme.MatchString(*t.Result) && !isObject(*t.Result) {
		return "", op.Unprocessable("result", "want a URL, the name of a connection, or a JSON object, as a string")
	}
	return *t.Result, nil
}

// isObject reports whether a text is a JSON object.
func isObject(text string) bool {
	var members map[string]jsontext.Value
	return json.Unmarshal([]byte(text), &members) == nil && members != nil
}

// resultsKept is the time for which the result of a job is kept (public).
const resultsKept = 7 * 24 * time.Hour

// GetJobResult returns the handler that answers with the rows of a job. Their ETag is derived from their bytes, so that
// a client can resume a broken download of the same rows in the same form.
func GetJobResult(shared *result.Renderings) op.Handler {
	return func(c *op.Call) (op.Reply, error) { return replyWithResult(c, shared) }
}

func replyWithResult(c *op.Call, shared *result.Renderings) (op.Reply, error) {
	job, err := jobFromPath(c)
	if err != nil {
		return op.Reply{}, err
	}
	if err := requireReadable(c, job); err != nil {
		return op.Reply{}, err
	}
	form, err := result.FormFromCall(c)
	if err != nil {
		return op.Reply{}, err
	}
	if err := requireResult(job, c.Now); err != nil {
		return op.Reply{}, err
	}
	rows, etag, err := shared.Render(job.Output, form)
	if err != nil {
		return op.Reply{}, err
	}
	reply := op.Reply{Bytes: rows, Type: form.Media, ETag: etag}
	if job.Note != "" {
		reply.Notes = []string{job.Note}
	}
	return reply, nil
}

// requireResult returns an error that gives the reason why a job has no result (404 is assumed), or nil.
func requireResult(job world.Job, now time.Time) error {
	missing := func(why string) error {
		return &op.Error{Code: op.CodeNotFound, Message: "job " + op.IDText(job.ID) + " has no result: " + why}
	}
	switch {
	case job.Status != world.JobSuccess:
		return missing("its status is " + string(job.Status))
	case job.Output == nil:
		return missing("jobs of the type " + job.Type + " have none")
	case job.Output.Dropped:
		return missing("it was dropped to free memory, whose limit is set with --state-limit or WithStateLimit, or the " +
			"fixture has only its number of rows")
	case now.Sub(job.EndAt) > resultsKept:
		return missing("it ended at " + wire.DateTime(job.EndAt) + ", and results are kept for 7 days")
	}
	return nil
}

// requireReadable refuses a caller who neither issued a job nor may query its database (assumed).
func requireReadable(c *op.Call, job world.Job) error {
	if c.Caller.Administers() || job.User == c.Caller.User.ID {
		return nil
	}
	database, err := data.LiveDatabase(c.World, job.Database)
	if err != nil {
		return op.Forbidden("job %d belongs to another user, and its database %s was deleted", job.ID, job.Database)
	}
	return data.RequireRight(c, database, access.Query)
}
