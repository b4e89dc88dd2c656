package contract

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
)

// lineOf returns an exchange in one line, without secrets. Its URL is relative to the base address of its interface, as
// in the document; a rewritten one is whole, as it was recorded.
func (c *Checker) lineOf(r *judge.Result) report.Line {
	line := report.Line{
		Exchange: r.Item.Number, Method: r.Item.Request.Method, URL: c.redactor.URL(r.Item.Request.URL, r.Operation()),
		File: r.Item.File, Line: r.Item.Line, Entry: r.Item.Entry, Offset: r.Item.Offset,
		Status: r.Recorded, Fault: r.Item.Fault,
	}
	if u, err := url.Parse(line.URL); err == nil {
		line.URL = strings.TrimPrefix(line.URL, u.Scheme+"://"+u.Host)
		if base, found := strings.CutSuffix(u.EscapedPath(), r.Owner.Path); found && r.Owner.Path != "" &&
			!r.Owner.Rewritten {
			line.URL = strings.TrimPrefix(line.URL, base)
		}
	}
	line.URL = shortURL(line.URL)
	if b := r.Owner.Base; b != nil && b.Guessed {
		line.Guess = b.Confirmation()
	}
	return line
}

// shortURL returns an address, cut if it is too long to read.
func shortURL(text string) string {
	const longest = 2000
	if len(text) <= longest {
		return text
	}
	end := longest
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + "…"
}
