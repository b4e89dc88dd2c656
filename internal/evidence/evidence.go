// Package evidence shows exchanges on pages: the report of a check, that of a comparison, and the console share how a
// request and its response look, and the styles of all else.
package evidence

import (
	_ "embed"
	"fmt"
	"strings"

	"svc.example/understudy/specs/recording"
)

// Templates defines the templates "body", of a *Body, and "message", of a *Message.
//
//go:embed evidence.html
var Templates string

// Styles are those that all pages share.
//
//go:embed evidence.css
var Styles string

// Message is a request or a response.
type Message struct {
	Headers []Header
	Body    *Body // nil if there is none
}

// Header is a line of a message's header.
type Header struct {
	Name, Value string
	Marked      bool // the pointer is to this one
}

// View returns a request or a response for a page. The pointer is to a place in the exchange, such as
// /response/body/items/0, which is marked if it is on this side: /request or /response. A header that it misses has a
// line of its own.
func View(headers recording.Headers, body *recording.Body, pointer, side string) *Message {
	m := &Message{}
	missing := ""
	if IsBelow(pointer, side+"/headers") {
		missing = strings.TrimPrefix(strings.TrimPrefix(pointer, side+"/headers"), "/")
	}
	for _, h := range headers {
		line := Header{Name: Plain(h[0]), Value: Short(Plain(h[1]), MaxLine)}
		if missing != "" && strings.EqualFold(h[0], strings.TrimPrefix(pointer, side+"/headers/")) {
			line.Marked, missing = true, ""
		}
		m.Headers = append(m.Headers, line)
	}
	if missing != "" {
		m.Headers = append(m.Headers, Header{Name: Plain(missing), Value: "(not there)", Marked: true})
	}
	m.Body = viewBody(body, strings.TrimPrefix(pointer, side+"/body"), IsBelow(pointer, side+"/body"))
	return m
}

// IsBelow reports whether a JSON pointer is to a place, or to one in it.
func IsBelow(pointer, root string) bool {
	return pointer == root || strings.HasPrefix(pointer, root+"/")
}

// Class returns the class of a status by which pages colour it: s2, s4, and so on; none without one.
func Class(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return fmt.Sprintf("s%d", status/100)
}
