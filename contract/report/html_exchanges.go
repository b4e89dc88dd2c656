package report

import (
	"fmt"
	"strings"

	"svc.example/understudy/specs/recording"
)

// exchangeView is an exchange on the page: request and response side by side.
type exchangeView struct {
	Line
	Answer, Class, Place string
	Role                 string // what it has to do with the finding
	Known                bool   // there is more than a line
	URLMarked            bool
	StatusMarked         bool
	Request, Response    *messageView
	Curl                 string
}

type messageView struct {
	Headers []headerView
	Body    *bodyView
}

type headerView struct {
	Name, Value string
	Marked      bool
}

func (r *Report) exchangeView(f *Finding, number int) exchangeView {
	v := exchangeView{Line: r.Shown[number], Role: "evidence"}
	v.Exchange, v.Method, v.URL, v.File = number, plain(v.Method), plain(v.URL), plain(v.File)
	if number == f.Exchange {
		v.Role = "the finding"
	}
	v.Answer, v.Place = v.Line.answer(), v.Line.place()
	v.Class = "none"
	if v.Status >= 100 && v.Status < 600 {
		v.Class = fmt.Sprintf("s%d", v.Status/100)
	}
	e := r.Evidence[number]
	if e == nil {
		return v
	}
	command, _ := Curl(e)
	v.Known, v.Curl = true, visible(command) // who copies it pastes no control characters into a terminal
	pointer := ""
	if number == f.Exchange {
		pointer = f.Pointer
	}
	v.URLMarked = isBelow(pointer, "/request/url") || isBelow(pointer, "/request/query") ||
		isBelow(pointer, "/request/path")
	v.StatusMarked = isBelow(pointer, "/response/status")
	v.Request = viewMessage(e.Request.Headers, e.Request.Body, pointer, "/request")
	if e.Response != nil {
		v.Response = viewMessage(e.Response.Headers, e.Response.Body, pointer, "/response")
	}
	return v
}

func isBelow(pointer, root string) bool {
	return pointer == root || strings.HasPrefix(pointer, root+"/")
}

// viewMessage shows a request or a response. A header that the finding misses has a line of its own.
func viewMessage(headers recording.Headers, body *recording.Body, pointer, side string) *messageView {
	m := &messageView{}
	missing := ""
	if isBelow(pointer, side+"/headers") {
		missing = strings.TrimPrefix(strings.TrimPrefix(pointer, side+"/headers"), "/")
	}
	for _, h := range headers {
		line := headerView{Name: plain(h[0]), Value: short(plain(h[1]), maxLineRunes)}
		if missing != "" && strings.EqualFold(h[0], strings.TrimPrefix(pointer, side+"/headers/")) {
			line.Marked, missing = true, ""
		}
		m.Headers = append(m.Headers, line)
	}
	if missing != "" {
		m.Headers = append(m.Headers, headerView{Name: plain(missing), Value: "(not there)", Marked: true})
	}
	m.Body = viewBody(body, strings.TrimPrefix(pointer, side+"/body"), isBelow(pointer, side+"/body"))
	return m
}
