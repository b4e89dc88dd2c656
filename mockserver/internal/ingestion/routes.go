// Package ingestion is the event ingestion interface: one operation, and an extra for lists of events, whose records
// are rows of core's tables.
package ingestion

import (
	"fmt"
	"regexp"

	"svc.example/understudy/mockserver/internal/op"
)

// Interface returns the event ingestion interface.
func Interface() op.Interface {
	return op.Interface{
		Name: "ingestion", Error: errorReply, Outside: newerPathHint,
		Branded:  true, // what stands in an event is the client's own: nothing in it is renamed
		Browsers: true,
		Routes: []op.Route{{
			Path:   "POST /postback/v3/event/{database_name}/{table_name}",
			Handle: ingestEvent, For: op.Anyone, MaxBody: maxBody,
		}},
		Extras: []op.Route{{
			Path:   "POST /{database_name}/{table_name}",
			Handle: ingestEvents, For: op.Anyone, MaxBody: maxBody,
		}},
	}
}

// newerPath is a path that newer clients send lists of events to: /{database}/{table}.
var newerPath = regexp.MustCompile(`^/(\w+)/(\w+)/?$`)

// newerPathHint returns a hint for the path to which newer client libraries send events (client), or the empty text. It
// is asked where the extras are switched off.
func newerPathHint(method, path string) string {
	names := newerPath.FindStringSubmatch(path)
	if method != "POST" || names == nil || names[1] == "postback" {
		return ""
	}
	return fmt.Sprintf("POST %s with a list of events, as newer client libraries send it, is not part of this interface: "+
		"want POST /postback/v3/event/%s/%s with one event, as application/json", path, names[1], names[2])
}

// maxBody is the limit of a body in bytes (documented).
const maxBody = 1_048_064
