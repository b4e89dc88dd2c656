package contract

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/address"
)

// lineOf returns an exchange in one line, without secrets. Its URL is relative to the base address of its interface, as
// in the document; a rewritten one is whole, as it was recorded.
func (c *Checker) lineOf(r *judge.Result) report.ExchangeLine {
	line := report.ExchangeLine{
		Exchange: r.Item.Number, Method: r.Item.Request.Method, URL: c.redactor.URL(r.Item.Request.URL, r.Operation()),
		File: r.Item.File, Line: r.Item.Line, Entry: r.Item.Entry, Offset: r.Item.Offset,
		Status: r.Recorded, Fault: r.Item.Fault,
	}
	if origin, path, ok := originAndPath(line.URL); ok {
		line.URL = strings.TrimPrefix(line.URL, origin)
		if base, found := strings.CutSuffix(path, r.Owner.Path); found && r.Owner.Path != "" && !r.Owner.Rewritten {
			line.URL = strings.TrimPrefix(line.URL, base)
		}
	}
	line.URL = shortURL(line.URL)
	if b := r.Owner.Base; b != nil && b.Guessed {
		line.Guess = b.Confirmation()
	}
	return line
}

// originAndPath returns the parts of an address, and reports whether it is one.
func originAndPath(raw string) (origin, path string, ok bool) {
	if p, isPlain := address.Cut(raw); isPlain {
		return p.Origin, p.Path, true
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", "", false
	}
	return u.Scheme + "://" + u.Host, u.EscapedPath(), true
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
