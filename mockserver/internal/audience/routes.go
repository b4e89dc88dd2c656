package audience

import (
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// Interface returns the routes of the interface in the order of its document, and what happens when its events are due.
func Interface() op.Interface {
	return op.Interface{
		Name: "audience", Error: errorReply,
		Routes: []op.Route{
			{Path: "GET /audiences/{audienceId}/segments", Handle: listSegments},
			{Path: "POST /audiences/{audienceId}/segments", Handle: createSegment},
			{Path: "POST /audiences/{audienceId}/segments/queries", Handle: createSegmentQuery, Pending: queryPending},
			{Path: "POST /audiences/{audienceId}/segments/{segmentId}/syndications", Handle: createActivation},
		},
		Settle: map[string]func(*world.State, world.DueEvent){world.QueryEvent: answerQuery},
	}
}
