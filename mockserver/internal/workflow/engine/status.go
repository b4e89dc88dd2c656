package engine

import (
	"svc.example/understudy/mockserver/internal/world"
)

// Status is the status of an attempt, as on the wire.
type Status string

// The statuses. The last three are final.
const (
	Blocked   Status = "blocked"
	Queued    Status = "queued"
	Running   Status = "running"
	Canceling Status = "canceling"
	Success   Status = "success"
	Failed    Status = "error"
	Killed    Status = "killed"
)

// StatusOf returns the status of an attempt. One that succeeded although it was to be killed is a success.
func StatusOf(a world.Attempt) Status {
	switch {
	case a.Success:
		return Success
	case a.State == world.Done && a.CancelRequested:
		return Killed
	case a.State == world.Done:
		return Failed
	case a.CancelRequested:
		return Canceling
	case a.State == world.Queued:
		return Queued
	case a.State == world.Blocked:
		return Blocked
	}
	return Running
}
