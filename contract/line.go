package contract

import (
	"net/url"
	"strings"

	"svc.example/understudy/contract/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// lineOf is an exchange in one line, its URL without origin and secrets.
func (c *Checker) lineOf(r *judge.Result) report.Line {
	e := &recording.Exchange{Request: recording.Request{URL: r.Item.Request.URL}}
	line := report.Line{
		Exchange: r.Item.Number, Method: r.Item.Request.Method, URL: c.redactor.Redact(e, r.Operation()).Request.URL,
		File: r.Item.File, Line: r.Item.Line, Offset: r.Item.Offset,
	}
	if u, err := url.Parse(line.URL); err == nil {
		line.URL = strings.TrimPrefix(line.URL, u.Scheme+"://"+u.Host)
	}
	if r.Item.Response != nil {
		line.Status = r.Item.Response.Status
	}
	return line
}
