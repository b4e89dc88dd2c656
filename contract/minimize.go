package contract

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

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
// exchanges can be left out. If the evidence of a finding is not enough, the exchanges near it are tried, too.
//
// It reads the source again, once: source must be re-readable, and unchanged since the report was made.
func (c *Checker) Minimize(ctx context.Context, source Source, r *Report, dir string) error {
	o, err := c.reproducer(r)
	if err != nil {
		return err
	}
	m := &minimizer{ctx: ctx, checker: c, reproducer: o, bases: r.Bases, wanted: map[int][]*reduction{}}
	m.queueViolations(r)
	if err := m.read(source); err != nil {
		return fmt.Errorf("minimize: %w", err)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("minimize: %w", err)
	}
	return m.write(dir)
}

// reproducer returns one that judges as the report was made: where interfaces were guessed, a few exchanges would be
// guessed otherwise.
func (c *Checker) reproducer(r *Report) (*reproducer, error) {
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

// reduction is the search for the smallest recording that shows a finding.
type reduction struct {
	finding *report.Finding
	last    int // number of the last exchange of its evidence
	records []record.Raw

	exchanges []*recording.Exchange // the smallest that show it; none when nothing does
	judged    *recording.Exchange
}

// minimizer reads a recording once, and reduces all findings on the way.
type minimizer struct {
	ctx        context.Context
	checker    *Checker
	reproducer *reproducer
	bases      []report.Base

	reductions []*reduction // in the order in which their evidence is complete
	unlisted   int          // violations beyond
	wanted     map[int][]*reduction
	file       string
	fileHead   []record.Raw // of the file at hand
	nearby     []record.Raw // the latest ones of it
	bytes      int          // of these
}

func (m *minimizer) queueViolations(r *Report) {
	for i := range r.Groups {
		f := &r.Groups[i].Finding
		switch {
		case f.Verdict != report.Fail || f.Accepted:
			continue
		case len(m.reductions) == maxMinimized:
			m.unlisted++
			continue
		}
		h := &reduction{finding: f, last: slices.Max(append(slices.Clone(f.Evidence), f.Exchange))}
		m.reductions = append(m.reductions, h)
		for _, number := range f.Evidence {
			m.wanted[number] = append(m.wanted[number], h)
		}
	}
	slices.SortStableFunc(m.reductions, func(a, b *reduction) int { return cmp.Compare(a.last, b.last) })
}

func (m *minimizer) read(source Source) error {
	open := m.reductions
	for record, err := range source {
		if err != nil {
			continue // the report says so
		}
		isNew := record.File != m.file
		for len(open) > 0 && (record.Number > open[0].last+laterRecords || isNew && record.Number > open[0].last) {
			m.reduce(open[0])
			open = open[1:]
		}
		if len(open) == 0 || m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		m.keepNearby(record)
		for _, h := range m.wanted[record.Number] {
			h.records = append(h.records, record)
		}
	}
	for _, h := range open {
		m.reduce(h)
	}
	return m.ctx.Err()
}

// keepNearby remembers a record for as long as it may be near to some evidence.
func (m *minimizer) keepNearby(record record.Raw) {
	if record.File != m.file {
		m.file, m.fileHead, m.nearby, m.bytes = record.File, nil, nil, 0
	}
	if len(m.fileHead) < firstRecords {
		m.fileHead = append(m.fileHead, record)
		return
	}
	m.nearby, m.bytes = append(m.nearby, record), m.bytes+record.Size()
	for len(m.nearby) > nearRecords+laterRecords || m.bytes > nearBytes && len(m.nearby) > 0 {
		m.bytes -= m.nearby[0].Size()
		m.nearby = m.nearby[1:]
	}
}

// reduce looks for the smallest recording of a finding: a part of its evidence, or else of what is near.
func (m *minimizer) reduce(h *reduction) {
	if m.ctx.Err() != nil {
		return
	}
	id := h.finding.ID
	exchanges := m.withoutSecrets(h.records)
	if m.reproducer.shows(m.ctx, id, exchanges) == nil {
		all := slices.Concat(h.records, m.fileHead, m.nearby)
		slices.SortStableFunc(all, func(a, b record.Raw) int { return cmp.Compare(a.Number, b.Number) })
		all = slices.CompactFunc(all, func(a, b record.Raw) bool { return a.Number == b.Number })
		if exchanges = m.withoutSecrets(all); m.reproducer.shows(m.ctx, id, exchanges) == nil {
			return
		}
	}
	smallest := m.reproducer.smallest(m.ctx, id, exchanges)
	if shown := m.reproducer.shows(m.ctx, id, smallest); shown != nil { // unless the context has ended
		h.exchanges, h.judged = smallest, smallest[shown.Exchange-1]
	}
	h.records = nil
}

// withoutSecrets returns exchanges without their secrets. What cannot be read is left out.
func (m *minimizer) withoutSecrets(records []record.Raw) []*recording.Exchange {
	var list []*recording.Exchange
	for _, record := range records {
		if m.ctx.Err() != nil {
			return nil
		}
		if item, err := record.Decode(); err == nil {
			list = append(list, m.checker.redactor.Redact(item.Exchange, m.reproducer.judge.Match(item).Operation()))
		}
	}
	return list
}
