package report

import (
	"svc.example/understudy/internal/evidence"
	"svc.example/understudy/specs/recording/snippet"
)

// exchangeView is an exchange on the page: request and response side by side.
type exchangeView struct {
	Line
	Answer, Class, Place string
	Role                 string // what it has to do with the finding
	Known                bool   // there is more than a line
	URLMarked            bool
	StatusMarked         bool
	Request, Response    *evidence.Message
	Curl                 string
}

func (r *Report) exchangeView(f *Finding, number int) exchangeView {
	v := exchangeView{Line: r.Shown[number], Role: "evidence"}
	v.Exchange, v.Method, v.URL, v.File = number, plain(v.Method), plain(v.URL), plain(v.File)
	if number == f.Exchange {
		v.Role = "the finding"
	}
	v.Answer, v.Place = v.Line.answer(), v.Line.place()
	v.Class = evidence.Class(v.Status)
	e := r.Evidence[number]
	if e == nil {
		return v
	}
	command, _ := snippet.Curl(e)
	v.Known, v.Curl = true, command
	pointer := ""
	if number == f.Exchange {
		pointer = f.Pointer
	}
	v.URLMarked = evidence.IsBelow(pointer, "/request/url") || evidence.IsBelow(pointer, "/request/query") ||
		evidence.IsBelow(pointer, "/request/path")
	v.StatusMarked = evidence.IsBelow(pointer, "/response/status")
	v.Request = evidence.View(e.Request.Headers, e.Request.Body, pointer, "/request")
	if e.Response != nil {
		v.Response = evidence.View(e.Response.Headers, e.Response.Body, pointer, "/response")
	}
	return v
}
