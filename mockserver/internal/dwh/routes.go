package dwh

import "svc.example/understudy/mockserver/internal/op"

// Interface returns the routes of the interface in the order of its document. Its workflows run in the workflow
// interface, so that nothing is ever due here.
func Interface() op.Interface {
	return op.Interface{
		Name: "dwh", Error: errorReply,
		Routes: []op.Route{
			{Path: "GET /v1/dwh/", Handle: integrations.List},
			{Path: "POST /v1/dwh/", Handle: createDwhIntegration},
			{Path: "GET /v1/dwh/{dwh_id}", Handle: getDwhIntegration},
			{Path: "PUT /v1/dwh/{dwh_id}", Handle: updateDwhIntegration},
			{Path: "DELETE /v1/dwh/{dwh_id}", Handle: deleteDwhIntegration},
			{Path: "GET /v1/dwh/{dwh_id}/bulkload_sessions", Handle: listDwhBulkloadSessions},
			{Path: "GET /v1/dwh/{dwh_id}/configs", Handle: getDwhConfigs},
			{Path: "PUT /v1/dwh/{dwh_id}/run_workflow", Handle: runDwhWorkflow},
			{Path: "GET /v1/dwh/{dwh_id}/session_attempts", Handle: runs.List, Pending: runsPending},
			{Path: "POST /v1/guess", Handle: guessDwhConfig},
		},
	}
}
