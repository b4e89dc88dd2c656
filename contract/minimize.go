package contract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"svc.example/understudy/contract/internal/capture/record"
	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
	"svc.example/understudy/specs/recording/snippet"
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
	records []Record

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
	fileHead   []Record // of the file at hand
	nearby     []Record // the latest ones of it
	bytes      int      // of these
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
func (m *minimizer) keepNearby(record Record) {
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
		slices.SortStableFunc(all, func(a, b Record) int { return cmp.Compare(a.Number, b.Number) })
		all = slices.CompactFunc(all, func(a, b Record) bool { return a.Number == b.Number })
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
func (m *minimizer) withoutSecrets(records []Record) []*recording.Exchange {
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

// readmeTitle begins the list of the written files. An earlier list is recognised by it.
const readmeTitle = "# The smallest recordings that show each finding\n"

// write writes the reduced recordings into a folder.
func (m *minimizer) write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("minimize: %w", err)
	}
	defer func() { _ = root.Close() }() // what was written is on the disk
	if there, err := root.ReadFile("README.md"); err == nil && !bytes.HasPrefix(there, []byte(readmeTitle)) {
		return fmt.Errorf("minimize: %s/README.md was not written by understudy: choose another folder", dir)
	}
	files := map[string][]byte{"README.md": m.readme()}
	for _, h := range m.reductions {
		if h.exchanges == nil {
			continue
		}
		var lines bytes.Buffer
		for _, e := range h.exchanges {
			if err := recording.Write(&lines, e); err != nil {
				return fmt.Errorf("minimize: %w", err)
			}
		}
		files[h.name()+".ndjson"], files[h.name()+".sh"] = lines.Bytes(), []byte(m.script(h))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := root.WriteFile(name, files[name], 0o600); err != nil {
			return fmt.Errorf("minimize: %w", err)
		}
	}
	return nil
}

func (h *reduction) name() string { return h.finding.Rule + "-" + h.finding.ID }

// script sends the request again that broke the rule.
func (m *minimizer) script(h *reduction) string {
	command, keys := snippet.Curl(h.judged)
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# %s: %s\n#\n", h.finding.Rule, oneLine(h.finding.Message))
	fmt.Fprintf(&b, "# This sends the request again that broke the rule. Showing the violation takes %d; check all "+
		"with\n#   %s\n",
		len(h.exchanges), m.checkCommand(h))
	b.WriteString("set -eu\n")
	for _, key := range keys {
		fmt.Fprintf(&b, ": \"${%s:?set it to the secret that the recording had here}\"\n", key)
	}
	return b.String() + command + "\n"
}

// oneLine keeps a message from being more than a comment, or more than a cell of a table.
func oneLine(message string) string { return strings.Join(strings.Fields(message), " ") }

// checkCommand returns the command that shows the finding again.
func (m *minimizer) checkCommand(h *reduction) string {
	c := m.checker.config
	words := []string{"understudy check"}
	for _, url := range m.basesOf(h.finding.Interface) {
		words = append(words, "--base "+snippet.ShellWord(string(h.finding.Interface)+"="+url))
	}
	if c.trust != specs.Public {
		words = append(words, "--trust "+string(c.trust))
	}
	if c.brand != "" && c.brand != specs.Neutral {
		words = append(words, "--brand "+snippet.ShellWord(string(c.brand)))
	}
	return strings.Join(append(words, h.name()+".ndjson"), " ")
}

// basesOf returns the given and the guessed base addresses of an interface, without the default ones.
func (m *minimizer) basesOf(iface specs.Interface) []string {
	list := slices.Clone(m.checker.config.bases[iface])
	for _, b := range m.bases {
		if b.Interface == iface && m.checker.config.guess && !slices.Contains(list, b.URL) {
			list = append(list, b.URL)
		}
	}
	return list
}

// readme lists the files of the folder, and the findings that could not be reproduced.
func (m *minimizer) readme() []byte {
	var b strings.Builder
	b.WriteString(readmeTitle + "\n" +
		"Each can be checked by itself. Its script says how, and sends the request again that broke the rule. Secrets\n" +
		"are replaced by `KEY` and the like.\n\n| finding | exchanges | recording | script |\n|---|---|---|---|\n")
	var notReproduced []string
	for _, h := range m.reductions {
		cell := strings.ReplaceAll(oneLine(h.finding.Message), "|", "\\|")
		if h.exchanges == nil {
			notReproduced = append(notReproduced,
				fmt.Sprintf("- `%s`, exchange %d: %s", h.finding.Rule, h.finding.Exchange, cell))
			continue
		}
		fmt.Fprintf(&b, "| `%s`: %s | %d | [%s.ndjson](%[4]s.ndjson) | [%[4]s.sh](%[4]s.sh) |\n",
			h.finding.Rule, cell, len(h.exchanges), h.name())
	}
	if len(notReproduced) > 0 {
		b.WriteString("\nNot shown by their evidence and the exchanges around it, once secrets are removed:\n\n" +
			strings.Join(notReproduced, "\n") + "\n")
	}
	if m.unlisted > 0 {
		fmt.Fprintf(&b, "\nThere are %d more.\n", m.unlisted)
	}
	return []byte(b.String())
}

// ReadExchange returns an exchange again that was added to a Live, by its Seq, or false if it is gone.
type ReadExchange func(seq int64) (*recording.Exchange, bool)

// Errors of Live.Minimal.
var (
	ErrNoFinding     = errors.New("unknown finding; want the id of one in the report")
	ErrNotReproduced = errors.New("the exchanges that are still there do not show the finding")
)

// Minimal returns the smallest recording that still shows a finding of the last Settle, by its ID, without secrets, as
// Minimize writes it. It looks at the evidence first, and then at what was recorded near it, read again by read. It
// fails with ErrNoFinding or ErrNotReproduced, and with the error of the context.
func (l *Live) Minimal(ctx context.Context, id string, read ReadExchange) ([]*recording.Exchange, error) {
	r, _ := l.Settled() // the error says that nothing is judged
	i := slices.IndexFunc(r.Groups, func(g report.Group) bool { return g.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("finding %s: %w", id, ErrNoFinding)
	}
	f := &r.Groups[i].Finding
	for _, numbers := range [][]int{f.Evidence, l.near(f)} {
		h := &reduction{finding: f, last: slices.Max(append(slices.Clone(f.Evidence), f.Exchange))}
		m := &minimizer{
			ctx: ctx, checker: l.checker, reproducer: &reproducer{l.checker, l.checker.judge}, reductions: []*reduction{h},
			wanted: map[int][]*reduction{},
		}
		for _, number := range f.Evidence {
			m.wanted[number] = m.reductions
		}
		if err := m.read(l.source(numbers, read)); err != nil {
			return nil, fmt.Errorf("finding %s: %w", id, err)
		}
		if h.exchanges != nil {
			return h.exchanges, nil
		}
	}
	return nil, fmt.Errorf("finding %s: %w", id, ErrNotReproduced)
}

// near returns the numbers of exchanges among which a finding is looked for, if its evidence is not enough.
func (l *Live) near(f *report.Finding) []int {
	l.mu.Lock()
	added := len(l.verdicts.seqs)
	l.mu.Unlock()
	last := slices.Max(append(slices.Clone(f.Evidence), f.Exchange))
	numbers := slices.Clone(f.Evidence)
	for number := 1; number <= min(added, last+laterRecords); number++ {
		if number <= firstRecords || number >= last-nearRecords {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// source reads exchanges again by their numbers, as far as they are still there.
func (l *Live) source(numbers []int, read ReadExchange) Source {
	return func(yield func(Record, error) bool) {
		for _, number := range numbers {
			l.mu.Lock()
			seq := l.verdicts.seq(number)
			l.mu.Unlock()
			if e, ok := read(seq); ok && !yield(Record{record.Of(e, l.name, number)}, nil) {
				return
			}
		}
	}
}

// Evidence fills in what forms of a report need that show findings in full, as that of a Checker does. It reads the
// exchanges again by read; those that are gone are left out.
func (l *Live) Evidence(ctx context.Context, r *Report, read ReadExchange) error {
	var numbers []int
	for i := range r.Groups {
		numbers = append(numbers, r.Groups[i].Evidence...)
	}
	slices.Sort(numbers)
	return l.checker.Evidence(ctx, l.source(slices.Compact(numbers), read), r)
}

// reproducer reports whether some exchanges show a finding, by checking them as a recording of their own.
type reproducer struct {
	checker *Checker
	judge   *judge.Judge
}

// shows returns the finding of a fingerprint as the exchanges show it, or nil when they do not, or when the context
// ends.
func (o *reproducer) shows(ctx context.Context, id string, exchanges []*recording.Exchange) *report.Finding {
	var found *report.Finding
	take := func(f *report.Finding) {
		if f != nil && f.ID == id && found == nil {
			found = f
		}
	}
	watcher := history.NewWatcher(o.checker.rules(), func(v history.Result) { take(v.Finding) })
	pending := newPendingCredentials()
	for record, err := range record.Exchanges("evidence", slices.Values(exchanges)) {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			continue // there are none in memory
		}
		item, err := record.Decode()
		if err != nil {
			return nil
		}
		r := o.judge.Exchange(item)
		for i := range r.Findings {
			take(&r.Findings[i])
		}
		pending.add(o.checker, r)
		if e := facts.New(&facts.Exchange{}, r); e != nil {
			watcher.See(e)
		}
	}
	if watcher.End(context.Background()) != nil {
		return nil
	}
	for _, a := range pending.Absent {
		for i := range a.First {
			f := a.First[i].finding(pending.verdict(a))
			take(&f)
		}
	}
	return found
}

// smallest removes exchanges as long as the rest still shows the finding, until none can be left out. It is delta
// debugging (Zeller and Hildebrandt's ddmin), which here tries complements only, since a finding takes few exchanges
// far apart.
func (o *reproducer) smallest(ctx context.Context, id string, exchanges []*recording.Exchange) []*recording.Exchange {
	for parts := 2; len(exchanges) > 1 && ctx.Err() == nil; {
		parts = min(parts, len(exchanges))
		rest := o.dropPart(ctx, id, exchanges, parts)
		switch {
		case rest != nil:
			exchanges, parts = rest, max(parts-1, 2)
		case parts == len(exchanges):
			return exchanges
		default:
			parts *= 2
		}
	}
	return exchanges
}

// dropPart divides the exchanges into parts, and returns them without the first part that the finding does not need, or
// nil if it needs all.
func (o *reproducer) dropPart(ctx context.Context, id string, exchanges []*recording.Exchange,
	parts int,
) []*recording.Exchange {
	for i := range parts {
		from, to := i*len(exchanges)/parts, (i+1)*len(exchanges)/parts
		rest := slices.Concat(exchanges[:from], exchanges[to:])
		if ctx.Err() == nil && o.shows(ctx, id, rest) != nil {
			return rest
		}
	}
	return nil
}
