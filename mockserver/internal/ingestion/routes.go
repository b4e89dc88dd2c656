// Package ingestion is the event ingestion interface: one operation, whose records are rows of core's tables.
package ingestion

import "svc.example/understudy/mockserver/internal/op"

// Interface is the event ingestion interface.
func Interface(skip op.Skips) op.Interface {
	// What stands in an event is the client's own: nothing in it is renamed.
	return op.Interface{Name: "ingestion", Branded: true, Error: errorReply, Routes: []op.Route{{
		Path: "POST /postback/v3/event/{database_name}/{table_name}",
		Rule: ingestEvent, For: op.Anyone, MaxBody: maxBody(skip),
	}}}
}

// maxBody is the most bytes of a body (documented).
func maxBody(skip op.Skips) int64 {
	if skip[SkipSize] {
		return 0 // what the server takes otherwise
	}
	return 1_048_064
}
