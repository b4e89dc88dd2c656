package contract

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"unicode/utf8"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/address"
	"svc.example/understudy/specs/recording"
)

const (
	maxShownBody = 64 << 10 // bytes of a body in a report
	maxEvidence  = 2000     // exchanges shown in full
)

// Evidence fills in what forms of a report need that show findings in full: the exchanges of their evidence, and the
// lines of the documents. It reads the source again: source must be re-readable, and unchanged since the check.
func (c *Checker) Evidence(ctx context.Context, source Source, r *Report) error {
	r.Evidence, r.Excerpts = map[int]*recording.Exchange{}, map[report.Spec]report.Excerpt{}
	owners := c.judgeForReport(r)
	wanted := map[int]bool{}
	for i := range r.Groups {
		f := &r.Groups[i].Finding
		c.excerpt(r, f)
		for _, number := range f.Evidence {
			if len(wanted) < maxEvidence {
				wanted[number] = true
			}
		}
	}
	for item, err := range itemsOf(untilDone(ctx, source), wanted) {
		if err != nil {
			return fmt.Errorf("read the evidence: %w", err)
		}
		r.Evidence[item.Number] = shortened(c.redactor.Redact(item.Exchange, owners.Match(item).Operation()))
		if delete(wanted, item.Number); len(wanted) == 0 {
			return nil
		}
	}
	return ctx.Err()
}

// shortened returns an exchange with its long bodies cut.
func shortened(e *recording.Exchange) *recording.Exchange {
	e.Request.Body = shortBody(e.Request.Body)
	if e.Response != nil {
		e.Response.Body = shortBody(e.Response.Body)
	}
	return e
}

func shortBody(b *recording.Body) *recording.Body {
	if b == nil || len(b.Bytes) <= maxShownBody {
		return b
	}
	return &recording.Body{Bytes: b.Bytes[:maxShownBody:maxShownBody], Truncated: true}
}

// excerpt keeps the lines of the document that a finding points at.
func (c *Checker) excerpt(r *Report, f *report.Finding) {
	if e, ok := c.excerptFor(f); ok {
		r.Excerpts[f.Spec] = e
	}
}

// excerptFor returns the lines of the document that a finding points at, if it does.
func (c *Checker) excerptFor(f *report.Finding) (e report.Excerpt, ok bool) {
	const before, after = 2, 9
	for _, d := range c.documents {
		if text := d.SourceOf(f.Spec.File); text != nil && d.Interface == f.Interface && f.Spec.Line > 0 {
			return excerptOf(text, f.Spec.Line-before, f.Spec.Line+after), true
		}
	}
	return e, false
}

func excerptOf(text []byte, first, last int) report.Excerpt {
	e := report.Excerpt{First: max(1, first)}
	number := 0
	for line := range bytes.Lines(text) {
		if number++; number > last {
			break
		}
		if number >= e.First {
			e.Lines = append(e.Lines, string(bytes.TrimRight(line, "\r\n")))
		}
	}
	return e
}

// WriteEvidence writes the exchanges of a finding's evidence as a recording of their own, the smallest that still shows
// what the finding says. Secrets are taken out.
func WriteEvidence(w io.Writer, source Source, f *Finding) error {
	redactor := &recording.Redactor{Salt: []byte(f.ID)}
	wanted := map[int]bool{}
	for _, number := range f.Evidence {
		wanted[number] = true
	}
	for item, err := range itemsOf(source, wanted) {
		if err != nil {
			return err
		}
		if err := recording.Write(w, redactor.Redact(item.Exchange, operationOf(item.Exchange, nil))); err != nil {
			return err
		}
		delete(wanted, item.Number)
	}
	if len(wanted) > 0 {
		return fmt.Errorf("%d exchanges of finding %s are not in the recording", len(wanted), f.ID)
	}
	return nil
}

// untilDone returns a source that ends with a context.
func untilDone(ctx context.Context, source Source) Source {
	return func(yield func(Record, error) bool) {
		for record, err := range source {
			if ctx.Err() != nil || !yield(record, err) {
				return
			}
		}
	}
}

func itemsOf(source Source, wanted map[int]bool) iter.Seq2[record.Item, error] {
	return func(yield func(record.Item, error) bool) {
		for record, err := range source {
			if err != nil || !wanted[record.Number] {
				continue
			}
			if !yield(record.Decode()) {
				return
			}
		}
	}
}

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
