package workflow

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Interface is the workflow interface: its routes in the order of its document, and what happens when its events are
// due.
func Interface() op.Interface {
	return op.Interface{
		Name: "workflow",
		Routes: []op.Route{
			{Path: "GET /api/attempts", Rule: listAttempts},
			{Path: "PUT /api/attempts", Rule: startAttempt},
			{Path: "GET /api/attempts/{id}", Rule: getAttempt, Pending: attemptPending},
			{Path: "POST /api/attempts/{id}/kill", Rule: killAttempt},
			{Path: "GET /api/attempts/{id}/retries", Rule: listAttemptRetries, Pending: retriesPending},
			{Path: "GET /api/attempts/{id}/tasks", Rule: listAttemptTasks, Pending: tasksPending("id")},

			{Path: "GET /api/logs/{attempt_id}/files", Rule: listLogFiles, Pending: tasksPending("attempt_id")},
			{Path: "GET /api/logs/{attempt_id}/files/{file_name}", Rule: downloadLogFile},

			{Path: "GET /api/pool_rules", Rule: listPoolRules, For: op.Administrators},
			{Path: "POST /api/pool_rules", Rule: createPoolRule, For: op.Administrators},
			{Path: "GET /api/pool_rules/{poolRuleId}", Rule: getPoolRule, For: op.Administrators},
			{Path: "PATCH /api/pool_rules/{poolRuleId}", Rule: updatePoolRule, For: op.Administrators},
			{Path: "DELETE /api/pool_rules/{poolRuleId}", Rule: deletePoolRule, For: op.Administrators},

			{Path: "GET /api/pools", Rule: listPools, For: op.Administrators},
			{Path: "POST /api/pools", Rule: createPool, For: op.Administrators},
			{Path: "GET /api/pools/{poolId}", Rule: getPool, For: op.Administrators},
			{Path: "PATCH /api/pools/{poolId}", Rule: updatePool, For: op.Administrators},
			{Path: "DELETE /api/pools/{poolId}", Rule: deletePool, For: op.Administrators},

			{Path: "GET /api/projects", Rule: listProjects},
			{Path: "PUT /api/projects", Rule: putProject},
			{Path: "GET /api/projects/{id}", Rule: getProject},
			{Path: "DELETE /api/projects/{id}", Rule: deleteProject},
			{Path: "GET /api/projects/{id}/archive", Rule: downloadProjectArchive},
			{Path: "GET /api/projects/{id}/revisions", Rule: listProjectRevisions},
			{Path: "GET /api/projects/{id}/schedules", Rule: listProjectSchedules},
			{Path: "GET /api/projects/{id}/secrets", Rule: listProjectSecrets},
			{Path: "PUT /api/projects/{id}/secrets/{key}", Rule: putProjectSecret},
			{Path: "DELETE /api/projects/{id}/secrets/{key}", Rule: deleteProjectSecret},
			{Path: "GET /api/projects/{id}/sessions", Rule: listProjectSessions},
			{Path: "GET /api/projects/{id}/workflows", Rule: listProjectWorkflows},
			{Path: "GET /api/projects/{id}/workflows/{name}", Rule: getProjectWorkflow},

			{Path: "GET /api/schedules", Rule: listSchedules},
			{Path: "GET /api/schedules/{id}", Rule: getSchedule},
			{Path: "POST /api/schedules/{id}/backfill", Rule: backfillSchedule},
			{Path: "POST /api/schedules/{id}/disable", Rule: disableSchedule},
			{Path: "POST /api/schedules/{id}/enable", Rule: enableSchedule},
			{Path: "POST /api/schedules/{id}/skip", Rule: skipSchedule},

			{Path: "GET /api/sessions", Rule: listSessions},
			{Path: "GET /api/sessions/{id}", Rule: getSession, Pending: sessionPending},
			{Path: "GET /api/sessions/{id}/attempts", Rule: listSessionAttempts, Pending: sessionAttemptsPending},

			{Path: "GET /api/workflows", Rule: listWorkflows},
			{Path: "GET /api/workflows/{id}", Rule: getWorkflow},
			{Path: "GET /api/workflows/{id}/truncated_session_time", Rule: getTruncatedSessionTime},
		},
		Extras: []op.Route{
			{Path: "GET /api/version", Rule: getVersion, For: op.Anyone},
			{Path: "GET /api/version/check", Rule: checkVersion, For: op.Anyone},
		},
		Error: errorReply,
		Settle: map[string]func(*world.World, world.Event){
			world.AttemptEvent:  runAttempt,
			world.ScheduleEvent: runSchedule,
		},
	}
}
