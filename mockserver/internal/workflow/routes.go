package workflow

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/workflow/engine"
	"svc.example/understudy/mockserver/internal/world"
)

// Interface returns the workflow interface: its routes in the order of its document, and what happens when its events
// are due.
func Interface() op.Interface {
	return op.Interface{
		Name: "workflow",
		Routes: []op.Route{
			{Path: "GET /api/attempts", Handle: attempts.List},
			{Path: "PUT /api/attempts", Handle: startAttempt},
			{Path: "GET /api/attempts/{id}", Handle: attempts.Get, Pending: attemptPending},
			{Path: "POST /api/attempts/{id}/kill", Handle: killAttempt},
			{Path: "GET /api/attempts/{id}/retries", Handle: listAttemptRetries, Pending: retriesPending},
			{Path: "GET /api/attempts/{id}/tasks", Handle: listAttemptTasks, Pending: tasksPending("id")},

			{Path: "GET /api/logs/{attempt_id}/files", Handle: listLogFiles, Pending: tasksPending("attempt_id")},
			{Path: "GET /api/logs/{attempt_id}/files/{file_name}", Handle: downloadLogFile},

			{Path: "GET /api/pool_rules", Handle: listPoolRules, For: op.Administrators},
			{Path: "POST /api/pool_rules", Handle: createPoolRule, For: op.Administrators},
			{Path: "GET /api/pool_rules/{poolRuleId}", Handle: poolRules.Get, For: op.Administrators},
			{Path: "PATCH /api/pool_rules/{poolRuleId}", Handle: poolRules.Update, For: op.Administrators},
			{Path: "DELETE /api/pool_rules/{poolRuleId}", Handle: poolRules.Delete, For: op.Administrators},

			{Path: "GET /api/pools", Handle: pools.List, For: op.Administrators},
			{Path: "POST /api/pools", Handle: createPool, For: op.Administrators},
			{Path: "GET /api/pools/{poolId}", Handle: pools.Get, For: op.Administrators},
			{Path: "PATCH /api/pools/{poolId}", Handle: updatePool, For: op.Administrators},
			{Path: "DELETE /api/pools/{poolId}", Handle: deletePool, For: op.Administrators},

			{Path: "GET /api/projects", Handle: listProjects},
			{Path: "PUT /api/projects", Handle: putProject},
			{Path: "GET /api/projects/{id}", Handle: getProject},
			{Path: "DELETE /api/projects/{id}", Handle: deleteProject},
			{Path: "GET /api/projects/{id}/archive", Handle: downloadProjectArchive},
			{Path: "GET /api/projects/{id}/revisions", Handle: listProjectRevisions},
			{Path: "GET /api/projects/{id}/schedules", Handle: listProjectSchedules},
			{Path: "GET /api/projects/{id}/secrets", Handle: listProjectSecrets},
			{Path: "PUT /api/projects/{id}/secrets/{key}", Handle: putProjectSecret},
			{Path: "DELETE /api/projects/{id}/secrets/{key}", Handle: deleteProjectSecret},
			{Path: "GET /api/projects/{id}/sessions", Handle: projectSessions.List},
			{Path: "GET /api/projects/{id}/workflows", Handle: listProjectWorkflows},
			{Path: "GET /api/projects/{id}/workflows/{name}", Handle: getProjectWorkflow},

			{Path: "GET /api/schedules", Handle: listSchedules},
			{Path: "GET /api/schedules/{id}", Handle: getSchedule},
			{Path: "POST /api/schedules/{id}/backfill", Handle: backfillSchedule},
			{Path: "POST /api/schedules/{id}/disable", Handle: disableSchedule},
			{Path: "POST /api/schedules/{id}/enable", Handle: enableSchedule},
			{Path: "POST /api/schedules/{id}/skip", Handle: skipSchedule},

			{Path: "GET /api/sessions", Handle: sessions.List},
			{Path: "GET /api/sessions/{id}", Handle: sessions.Get, Pending: sessionPending},
			{Path: "GET /api/sessions/{id}/attempts", Handle: sessionAttempts.List, Pending: sessionAttemptsPending},

			{Path: "GET /api/workflows", Handle: listWorkflows},
			{Path: "GET /api/workflows/{id}", Handle: getWorkflow},
			{Path: "GET /api/workflows/{id}/truncated_session_time", Handle: getTruncatedSessionTime},
		},
		Extras: []op.Route{
			{Path: "GET /api/version", Handle: getVersion, For: op.Anyone},
			{Path: "GET /api/version/check", Handle: checkVersion, For: op.Anyone},
		},
		Error: errorReply,
		Settle: map[string]func(*world.State, world.DueEvent){
			world.AttemptEvent:  engine.RunAttempt,
			world.ScheduleEvent: runSchedule,
		},
	}
}
