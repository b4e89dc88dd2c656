package contract

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

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
		if err := recording.Write(w, redactor.Redact(item.Exchange, operationOf(item.Exchange))); err != nil {
			return err
		}
		delete(wanted, item.Number)
	}
	if len(wanted) > 0 {
		return fmt.Errorf("%d exchanges of finding %s are not in the recording", len(wanted), f.ID)
	}
	return nil
}

// until is a source that ends with a context.
func until(ctx context.Context, source Source) Source {
	return func(yield func(record.Raw, error) bool) {
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

const (
	maxMinimized = 100      // findings
	firstRecords = 200      // at the beginning of a file, in which a finding is looked for beside its evidence
	nearRecords  = 1000     // likewise before it, and
	laterRecords = 200      // after it
	nearBytes    = 64 << 20 // of all these
)

// Minimize writes for each violation of a report, the first hundred of them, the smallest recording that still shows it
// into a folder: RULE-ID.ndjson, which can be checked again, and RULE-ID.sh, which sends the request again that broke
// the rule. README.md lists them. That a recording shows its finding is checked, without its secrets: none of its
// exchanges can be spared. Where the evidence of a finding is not enough, what stands near it in the recording is
// tried, too.
//
// It reads the source again, once, which therefore must be one that can be, and the same as the report is about.
func (c *Checker) Minimize(ctx context.Context, source Source, r *Report, dir string) error {
	o, err := c.oracle(r)
	if err != nil {
		return err
	}
	m := &minimizer{ctx: ctx, checker: c, oracle: o, bases: r.Bases, wanted: map[int][]*reduction{}}
	m.begin(r)
	if err := m.read(source); err != nil {
		return fmt.Errorf("minimize: %w", err)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("minimize: %w", err)
	}
	return m.write(dir)
}

// oracle judges as the report was made: where interfaces were guessed, a few exchanges would be guessed otherwise.
func (c *Checker) oracle(r *Report) (*reproducer, error) {
	if !c.config.guess || len(r.Bases) == 0 {
		return &reproducer{c, c.judge}, nil
	}
	bases := map[specs.Interface][]string{}
	for _, b := range r.Bases {
		bases[b.Interface] = append(bases[b.Interface], b.URL)
	}
	j, err := judge.New(judge.Config{
		Documents: c.documents, Bases: bases, Brand: c.config.brand, Trust: c.config.trust, Engine: c.config.engine,
	})
	return &reproducer{c, j}, err
}

// reduction is a finding whose smallest recording is looked for.
type reduction struct {
	finding *report.Finding
	last    int // exchange of its evidence
	records []record.Raw

	exchanges []*recording.Exchange // the smallest that show it; none when nothing does
	judged    *recording.Exchange
}

// minimizer reads a recording once, and hunts for all findings on the way.
type minimizer struct {
	ctx     context.Context
	checker *Checker
	oracle  *reproducer
	bases   []report.Base

	hunts  []*reduction // in the order in which their evidence is complete
	more   int          // violations beyond
	wanted map[int][]*reduction
	file   string
	head   []record.Raw // of the file at hand
	near   []record.Raw // the latest ones of it
	bytes  int          // of these
}

func (m *minimizer) begin(r *Report) {
	for i := range r.Groups {
		f := &r.Groups[i].Finding
		switch {
		case f.Verdict != report.Fail || f.Accepted:
			continue
		case len(m.hunts) == maxMinimized:
			m.more++
			continue
		}
		h := &reduction{finding: f, last: slices.Max(append(slices.Clone(f.Evidence), f.Exchange))}
		m.hunts = append(m.hunts, h)
		for _, number := range f.Evidence {
			m.wanted[number] = append(m.wanted[number], h)
		}
	}
	slices.SortStableFunc(m.hunts, func(a, b *reduction) int { return cmp.Compare(a.last, b.last) })
}

func (m *minimizer) read(source Source) error {
	open := m.hunts
	for record, err := range source {
		if err != nil {
			continue // the report says so
		}
		isNew := record.File != m.file
		for len(open) > 0 && (record.Number > open[0].last+laterRecords || isNew && record.Number > open[0].last) {
			m.finish(open[0])
			open = open[1:]
		}
		if len(open) == 0 || m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		m.keep(record)
		for _, h := range m.wanted[record.Number] {
			h.records = append(h.records, record)
		}
	}
	for _, h := range open {
		m.finish(h)
	}
	return m.ctx.Err()
}

// keep remembers a record for as long as it may be near to some evidence.
func (m *minimizer) keep(record record.Raw) {
	if record.File != m.file {
		m.file, m.head, m.near, m.bytes = record.File, nil, nil, 0
	}
	if len(m.head) < firstRecords {
		m.head = append(m.head, record)
		return
	}
	m.near, m.bytes = append(m.near, record), m.bytes+record.Size()
	for len(m.near) > nearRecords+laterRecords || m.bytes > nearBytes && len(m.near) > 0 {
		m.bytes -= m.near[0].Size()
		m.near = m.near[1:]
	}
}

// finish looks for the smallest recording of a finding: a part of its evidence, or else of what is near.
func (m *minimizer) finish(h *reduction) {
	if m.ctx.Err() != nil {
		return
	}
	id := h.finding.ID
	exchanges := m.plain(h.records)
	if m.oracle.shows(m.ctx, id, exchanges) == nil {
		all := slices.Concat(h.records, m.head, m.near)
		slices.SortStableFunc(all, func(a, b record.Raw) int { return cmp.Compare(a.Number, b.Number) })
		all = slices.CompactFunc(all, func(a, b record.Raw) bool { return a.Number == b.Number })
		if exchanges = m.plain(all); m.oracle.shows(m.ctx, id, exchanges) == nil {
			return
		}
	}
	smallest := m.oracle.smallest(m.ctx, id, exchanges)
	if shown := m.oracle.shows(m.ctx, id, smallest); shown != nil { // unless the context has ended
		h.exchanges, h.judged = smallest, smallest[shown.Exchange-1]
	}
	h.records = nil
}

// plain are exchanges without their secrets. What cannot be read shows nothing.
func (m *minimizer) plain(records []record.Raw) []*recording.Exchange {
	var list []*recording.Exchange
	for _, record := range records {
		if m.ctx.Err() != nil {
			return nil
		}
		if item, err := record.Decode(); err == nil {
			list = append(list, m.checker.redactor.Redact(item.Exchange, m.oracle.judge.Match(item).Operation()))
		}
	}
	return list
}
