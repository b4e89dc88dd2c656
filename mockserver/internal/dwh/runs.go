package dwh

import (
	"errors"
	"time"

	"svc.example/understudy/mockserver/internal/bridge"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/resource"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// noRecords is for those who look into a target table after a run.
const noRecords = "the tasks of this attempt load nothing: the mock has no warehouse behind it, so the target " +
	"tables do not change"

// runDwhWorkflow starts one more attempt, whatever runs already. It waits when its pool is full (assumed).
func runDwhWorkflow(c *op.Call) (op.Reply, error) {
	i, err := integrationFromPath(c)
	if err == nil {
		err = requireProject(c.World, i)
	}
	if err != nil {
		return op.Reply{}, err
	}
	workflow := workflowOf(bridge.Project(c.World, i.Project).Name)
	a, err := bridge.StartNow(c.World, i.Project, workflow)
	if gone := (*op.Error)(nil); errors.As(err, &gone) && gone.Code == op.CodeNotFound {
		err = op.Conflict("the workflow of integration %d cannot run: %v; another revision of its project was "+
			"uploaded, which an update of the integration replaces", i.ID, err)
	}
	if err != nil {
		return op.Reply{}, err
	}
	return op.Reply{Body: bridge.AttemptView(c.World, a), Notes: []string{noRecords}}, nil
}

// runs are the attempts of the integration's project, whoever has started them.
var runs = resource.New(resource.Of[world.Attempt]{
	Dialect: dialect, Rows: bridge.Attempts,
	Page: resource.ByPage{Newest: true, Page: paging.Page, Size: paging.Size, Default: paging.Default}.Window,
	Match: func(c *op.Call) (func(world.Attempt) bool, error) {
		i, err := integrationFromPath(c)
		return func(a world.Attempt) bool { return bridge.OfProject(c.World, a, i.Project) }, err
	},
	View: func(c *op.Call, a world.Attempt) any {
		return runForm{
			AttemptID: a.ID, AttemptName: a.RetryName, SessionID: a.Session,
			SessionTime: bridge.SessionTime(c.World, a), Status: bridge.AttemptStatus(a),
		}
	},
})

type runForm struct {
	AttemptID   int64  `json:"attempt_id"`
	AttemptName string `json:"attempt_name"`
	SessionID   int64  `json:"session_id"`
	SessionTime string `json:"session_time"`
	Status      string `json:"status"`
}

func listDwhSessionAttempts(c *op.Call) (op.Reply, error) { return runs.List(c) }

func runsPending(c *op.Call) (state string, at time.Time, pending bool) {
	i, err := integrationFromPath(c)
	if err != nil {
		return "", time.Time{}, false
	}
	var ids []int64
	for id, a := range table.All(bridge.Attempts(c.World)) {
		if bridge.OfProject(c.World, a, i.Project) {
			ids = append(ids, id)
		}
	}
	return bridge.Watch(c.World, ids...)
}
