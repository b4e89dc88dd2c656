// Package ingestion is the event ingestion interface: one operation, whose records are rows of core's tables.
package ingestion

import (
	"fmt"
	"regexp"

	"svc.example/understudy/mockserver/internal/op"
)

// Interface returns the event ingestion interface.
func Interface() op.Interface {
	return op.Interface{
		Name: "ingestion", Error: errorReply, Outside: newerAddress,
		Branded:  true, // what stands in an event is the client's own: nothing in it is renamed
		Browsers: true,
		Routes: []op.Route{{
			Path:   "POST /postback/v3/event/{database_name}/{table_name}",
			Handle: ingestEvent, For: op.Anyone, MaxBody: maxBody,
		}},
	}
}

// newer is a path that newer clients send lists of events to: /{database}/{table}.
var newer = regexp.MustCompile(`^/(\w+)/(\w+)/?$`)

// newerAddress returns what is right in place of the address that newer client libraries send events to (client).
func newerAddress(method, path string) string {
	names := newer.FindStringSubmatch(path)
	if method != "POST" || names == nil || names[1] == "postback" {
		return ""
	}
	return fmt.Sprintf("POST %s with a list of events, as newer client libraries send it, is not part of this interface: "+
		"want POST /postback/v3/event/%s/%s with one event, as application/json", path, names[1], names[2])
}

// maxBody is the limit of a body in bytes (documented).
const maxBody = 1_048_064
