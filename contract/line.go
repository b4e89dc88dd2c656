package contract

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// lineOf is an exchange in one line, its URL below the base address of its interface, as the document has it, and
// without secrets. One that stands for another is whole, as it was recorded.
func (c *Checker) lineOf(r *judge.Result) report.Line {
	e := &recording.Exchange{Request: recording.Request{URL: r.Item.Request.URL}}
	line := report.Line{
		Exchange: r.Item.Number, Method: r.Item.Request.Method, URL: c.redactor.Redact(e, r.Operation()).Request.URL,
		File: r.Item.File, Line: r.Item.Line, Entry: r.Item.Entry, Offset: r.Item.Offset,
	}
	if u, err := url.Parse(line.URL); err == nil {
		line.URL = strings.TrimPrefix(line.URL, u.Scheme+"://"+u.Host)
		if base, found := strings.CutSuffix(u.EscapedPath(), r.Owner.Path); found && r.Owner.Path != "" &&
			!r.Owner.Rewritten {
			line.URL = strings.TrimPrefix(line.URL, base)
		}
	}
	if r.Item.Response != nil {
		line.Status = r.Item.Response.Status
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

// unescape undoes specs.EscapePointer.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// clean takes credentials out of what a finding says: messages and pointers quote names, paths and media types.
func (c *Checker) clean(f *report.Finding) {
	f.Message = c.redactor.Text(f.Message)
	if strings.Contains(f.Pointer, "@") {
		tokens := strings.Split(f.Pointer, "/")
		for i, token := range tokens {
			tokens[i] = specs.EscapePointer(c.redactor.Text(unescape.Replace(token)))
		}
		f.Pointer = strings.Join(tokens, "/")
	}
	if len(f.Engines) == 0 {
		return
	}
	f.Engines = slices.Clone(f.Engines) // the judge keeps its own
	for i := range f.Engines {
		f.Engines[i].Message = c.redactor.Text(f.Engines[i].Message)
	}
}
