package jobs

import (
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// SetJobResultExport creates a job that exports the result of another as soon as it exists. The mock sends nothing.
var SetJobResultExport = op.On(jobFromPath, func(c *op.Call, target world.Job) (op.Reply, error) {
	if err := requireReadable(c, target); err != nil {
		return op.Reply{}, err
	}
	var body jobOptions
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if err := requireExportable(target); err != nil {
		return op.Reply{}, err
	}
	job := world.Job{
		Type: resultExportJob, Query: "RESULT EXPORT FROM JOB " + op.IDText(target.ID), Database: target.Database,
		User: c.Caller.User.ID, ExportTarget: target.ID,
	}
	if err := body.bind(c.World, &job); err != nil {
		return op.Reply{}, err
	}
	if job.ResultURL == "" {
		return op.Reply{}, op.Unprocessable("result", "is missing: want a URL, or result_connection_id")
	}
	export, err := IssueWithin(c.World, job, c.Now)
	if err != nil {
		return op.Reply{}, err
	}
	target.LinkedExport = export.ID
	c.World.Core.Jobs.Put(target.ID, target)
	return op.OK(jobDetail(c.World, export))
})

// requireExportable refuses a job that has no result and cannot get one.
func requireExportable(target world.Job) error {
	none := target.Status.Finished() && target.Output == nil
	if none || !slices.Contains(queryTypes(), target.Type) {
		return op.Unprocessable("", "job %d (%s, %s) has no result to export", target.ID, target.Type, target.Status)
	}
	return nil
}

// resultExportable returns an error if the target of an export has no result. It is called when the export runs, after
// the end of its target.
func resultExportable(w *world.State, target int64) error {
	job, _ := w.Core.Jobs.Get(target)
	if job.Status != world.JobSuccess {
		return fmt.Errorf("job %d has no result to export: its status is %s", job.ID, job.Status)
	}
	return nil
}

// tableExportable returns an error if the table of an export no longer exists when the export runs.
func tableExportable(w *world.State, job world.Job, database world.Database) error {
	if job.Table == "" {
		return nil
	}
	_, err := data.LiveTableIn(w, database, job.Table)
	return err
}

type exportRequest struct {
	StorageType string    `json:"storage_type"`
	FileFormat  string    `json:"file_format"`
	Bucket      string    `json:"bucket"`
	FilePrefix  string    `json:"file_prefix"`
	From        *int64    `json:"from"`
	To          *int64    `json:"to"`
	Pool        string    `json:"pool_name"`
	DomainKey   domainKey `json:"domain_key"`
}

// CreateExportJob creates a job that writes a table to a bucket. The world does not store the credentials.
var CreateExportJob = op.On(data.DatabaseFor(access.Query), func(
	c *op.Call, database world.Database,
) (op.Reply, error) {
	table, err := data.LiveTableIn(c.World, database, c.Param("table_name"))
	if err != nil {
		return op.Reply{}, err
	}
	var body exportRequest
	if err := c.Decode(&body); err != nil {
		return op.Reply{}, err
	}
	if err := body.check(); err != nil {
		return op.Reply{}, err
	}
	job, err := IssueWithin(c.World, world.Job{
		Type: exportJob, Database: database.Name, Table: table.Name, User: c.Caller.User.ID, Pool: body.Pool,
		DomainKey: string(body.DomainKey),
		ResultURL: "s3://" + body.Bucket + "/" + strings.TrimPrefix(body.FilePrefix, "/"),
	}, c.Now)
	if err != nil {
		return op.Reply{}, err
	}
	return issued(job), nil
})

func (r exportRequest) check() error {
	files := []string{"jsonl.gz", "tsv.gz", "json.gz", "line-json.gz"}
	switch {
	case r.StorageType != "s3":
		return op.Invalid("storage_type", "want s3, which is the only one, not %q", r.StorageType)
	case r.Bucket == "":
		return op.Invalid("bucket", "is missing: want the name of a bucket")
	case r.FileFormat != "" && !slices.Contains(files, r.FileFormat):
		return op.Invalid("file_format", "want one of %s, not %q", strings.Join(files, ", "), r.FileFormat)
	case r.From != nil && r.To != nil && *r.From > *r.To:
		return op.Invalid("from", "%d is after to, which is %d", *r.From, *r.To)
	}
	return nil
}
