package dwh

import "svc.example/understudy/mockserver/internal/op"

// Interface is the interface: its routes in the order of its document. Its workflows run in the workflow interface, so
// that nothing is ever due here.
func Interface() op.Interface {
	return op.Interface{
		Name: "dwh", Error: errorReply,
		Routes: []op.Route{
			{Path: "GET /v1/dwh/", Rule: listDwhIntegrations},
			{Path: "POST /v1/dwh/", Rule: createDwhIntegration},
			{Path: "GET /v1/dwh/{dwh_id}", Rule: getDwhIntegration},
			{Path: "PUT /v1/dwh/{dwh_id}", Rule: updateDwhIntegration},
			{Path: "DELETE /v1/dwh/{dwh_id}", Rule: deleteDwhIntegration},
			{Path: "GET /v1/dwh/{dwh_id}/bulkload_sessions", Rule: listDwhBulkloadSessions},
			{Path: "GET /v1/dwh/{dwh_id}/configs", Rule: getDwhConfigs},
			{Path: "PUT /v1/dwh/{dwh_id}/run_workflow", Rule: runDwhWorkflow},
			{Path: "GET /v1/dwh/{dwh_id}/session_attempts", Rule: listDwhSessionAttempts, Pending: runsPending},
			{Path: "POST /v1/guess", Rule: guessDwhConfig},
		},
	}
}
