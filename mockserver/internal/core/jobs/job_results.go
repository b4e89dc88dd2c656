package jobs

import (
	"time"

	"svc.example/understudy/mockserver/internal/core/access"
	"svc.example/understudy/mockserver/internal/core/data"
	"svc.example/understudy/mockserver/internal/core/result"
	"svc.example/understudy/mockserver/internal/core/wire"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

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
