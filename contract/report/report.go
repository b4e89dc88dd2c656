// Package report holds what the contract suite found in a recording, and writes it down. The words of its JSON form
// are a promise to other tools: report.schema.json describes them.
package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Verdict is the outcome of one check: one rule that had one chance.
type Verdict string

// The four outcomes.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive" // the recording lacks the evidence that a verdict needs
	Skipped      Verdict = "skipped"      // there was nothing to check, or the rule is switched off
)

// Severity describes how loud a finding is. Only errors break a build.
type Severity string

// From the loudest to the quietest.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Notice  Severity = "notice"
)

// Report is the result of checking a recording.
type Report struct {
	Exchanges Exchanges
	Checks    Checks
	Judged    Judged
	Engines   []Engine
	Findings  []Finding // the first ones of each fingerprint, in the order of their exchanges
	Omitted   int       // findings beyond those, which are counted but not kept
	Rules     []Rule    // every rule, in a fixed order
	Coverage  Coverage
	Shown     map[int]ExchangeLine // the exchanges that findings speak of, by number
	Notes     []string             // what is worth knowing about the recording itself
	Problems  []Problem            // what of the recording could not be read, and was skipped
	Gaps      []Gap                // what is missing in the recording
	Bases     []Base               // where the interfaces were
	Unmatched []Unmatched          // addresses that belong to no interface, or to several; the most frequent first
	Groups    []Group              // findings by fingerprint, the worst first, with complete counts

	Baseline   *Baseline   // what is accepted, when a baseline was given
	Thresholds []Threshold // of coverage

	// Evidence holds the exchanges that findings speak of, without secrets, and Excerpts what the documents say, by
	// Spec. Both are there only when they were asked for.
	Evidence map[int]*recording.Exchange
	Excerpts map[Spec]Excerpt

	Comparison *Comparison // what the recording was compared with, or nil

	Docs map[string]RuleDoc // what the rules are about, by their names
	Root string             // the folder of the embedded documents in their repository, specs by default
	Own  []string           // files of documents of the user's own

	// DisputedFails means that disputed findings fail the check too.
	DisputedFails bool

	// Complete means that gaps fail the check too.
	Complete bool

	// MaxInconclusive is the limit on the percentage of inconclusive checks with the percentage that was found, or nil.
	MaxInconclusive *Limit

	// RulesJudged means that a rule between exchanges had a chance that passed or failed.
	RulesJudged bool

	more bool // there was a violation beyond those that are kept
}

// Problem is a part of a recording that could not be read.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Offset  int64  `json:"offset"`
	Message string `json:"message"`
}

// Base is a base address of an interface.
type Base struct {
	Interface specs.Interface `json:"interface"`
	URL       string          `json:"url"`
	Source    string          `json:"source"` // given, or guessed from the recording
	Exchanges int             `json:"exchanges"`
}

// Unmatched is an address that belongs to no interface, or to several of them.
type Unmatched struct {
	Method    string   `json:"method"`
	URL       string   `json:"url"` // without query; what looks like an id is starred
	Claimants []string `json:"claimants"`
	Count     int      `json:"count"`
	Exchange  int      `json:"exchange"` // the first one
	Hint      string   `json:"hint,omitempty"`
}

// Excerpt holds some lines of a document.
type Excerpt struct {
	First int // the number of the first line
	Lines []string
}

// Baseline lists the accepted findings, so that only new ones fail a check. An entry that no longer occurs fails it
// too, so that the list never grows stale.
type Baseline struct {
	File     string          `json:"file"`
	Accepted int             `json:"accepted"` // findings that it covers
	Stale    []BaselineEntry `json:"stale"`    // entries that no longer occur

	Entries []BaselineEntry `json:"-"` // all of them
}

// BaselineEntry is an accepted finding.
type BaselineEntry struct {
	ID        string `json:"id"                  yaml:"id"`
	Rule      string `json:"rule"                yaml:"rule"`
	Operation string `json:"operation,omitempty" yaml:"operation,omitempty"`
	Pointer   string `json:"pointer,omitempty"   yaml:"pointer,omitempty"`
	Message   string `json:"message,omitempty"   yaml:"message,omitempty"`
	Reason    string `json:"reason,omitempty"    yaml:"reason,omitempty"` // why it is accepted
}

// Threshold is the required coverage of an axis, in percent.
type Threshold struct {
	Axis string  `json:"axis"`
	Want float64 `json:"want"`
	Got  float64 `json:"got"`
}

// Missed reports whether the coverage is below the threshold.
func (t Threshold) Missed() bool { return t.Got < t.Want }

// Exchanges counts what was read. Read is the sum of the others.
type Exchanges struct {
	Read      int `json:"read"`
	Matched   int `json:"matched"`   // belong to one interface
	Unmatched int `json:"unmatched"` // belong to no interface, or could belong to several
	Ignored   int `json:"ignored"`   // traffic around the contract: preflights, the control interface of the mock
	Broken    int `json:"broken"`    // could not be read; no part of Read
	Injected  int `json:"injected"`  // matched, with an answer that a fault of the mock injected; a part of Matched
}

// Checks counts verdicts. Their sum is the number of checks.
type Checks struct {
	Pass         int `json:"pass"`
	Fail         int `json:"fail"`
	Inconclusive int `json:"inconclusive"`
	Skipped      int `json:"skipped"`
}

// Add counts a verdict n times.
func (c *Checks) Add(v Verdict, n int) {
	switch v {
	case Pass:
		c.Pass += n
	case Fail:
		c.Fail += n
	case Inconclusive:
		c.Inconclusive += n
	case Skipped:
		c.Skipped += n
	}
}

// Rule counts how often a rule was triggered, by verdict. A rule that was never triggered did not pass.
type Rule struct {
	ID           string `json:"id"`
	Triggered    int    `json:"triggered"`
	Pass         int    `json:"pass"`
	Fail         int    `json:"fail"`
	Inconclusive int    `json:"inconclusive"`
}

// RuleDoc describes what a rule is about, in sentences.
type RuleDoc struct {
	ID           string           `json:"id"`
	Title        string           `json:"title"`        // in one clause: what must hold
	Watches      string           `json:"watches"`      // what gives it a chance
	Provenance   specs.Provenance `json:"provenance"`   // of what it holds; the least sure where parts differ
	Evidence     string           `json:"evidence"`     // what it takes for a violation
	Inconclusive string           `json:"inconclusive"` // what makes it inconclusive
	Passes       string           `json:"passes"`       // what looks like a violation and is none
}

// Finding is a verdict worth showing.
type Finding struct {
	ID        string          `json:"id"` // fingerprint: the same deviation has the same one in every run
	Rule      string          `json:"rule"`
	Severity  Severity        `json:"severity"`
	Verdict   Verdict         `json:"verdict"`
	Disputed  bool            `json:"disputed"`
	Accepted  bool            `json:"accepted"` // by the baseline
	Interface specs.Interface `json:"interface"`
	Operation string          `json:"operation"`
	Exchange  int             `json:"exchange"`
	Evidence  []int           `json:"evidence"` // exchanges that created, referenced and broke, in their order
	Message   string          `json:"message"`
	Pointer   string          `json:"pointer"` // into the exchange, such as /response/body/pools/0/name
	// the value there as JSON, or its beginning; empty if it may be secret
	Found      string           `json:"found,omitzero"`
	Spec       Spec             `json:"spec"`
	Provenance specs.Provenance `json:"provenance"`
	Engines    []EngineVerdict  `json:"engines,omitempty"` // of both engines, where they differ
}

// Spec is the place in the document that a finding refers to.
type Spec struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Pointer string `json:"pointer"`
	Says    string `json:"says,omitzero"` // what stands there, in one short line
}

// EngineVerdict is the verdict of one engine on a disputed finding.
type EngineVerdict struct {
	Engine  string  `json:"engine"` // its name
	Verdict Verdict `json:"verdict"`
	Message string  `json:"message,omitempty"`
}

// ExchangeLine is one exchange in one line. Its URL holds no secrets.
type ExchangeLine struct {
	Exchange int    `json:"exchange"`
	Method   string `json:"method"`
	URL      string `json:"url"`
	Status   int    `json:"status"` // 0 when no response was seen
	File     string `json:"file"`
	Line     int    `json:"line"`
	Entry    int    `json:"entry,omitzero"` // number within the file, from 1
	Offset   int64  `json:"offset"`
	Fault    string `json:"fault,omitzero"` // that was applied to it, as recording.Fault writes it
	Guess    string `json:"-"`              // the option that confirms the base address, where it was guessed
	OnDisk   bool   `json:"-"`              // the file is one that a reader can open
}

// Group holds all findings with one fingerprint.
type Group struct {
	Finding     // the first one
	Count       int
	Occurrences []Occurrence // the first ones, in their order
}

// Occurrence is the place of one of the findings with the same fingerprint.
type Occurrence struct {
	Exchange int
	Pointer  string // into the exchange
}

// Breaks reports whether a finding makes a check fail.
func (r *Report) Breaks(f *Finding) bool {
	return f.Verdict == Fail && f.Severity == Error && !f.Accepted && (!f.Disputed || r.DisputedFails)
}

// BreaksBeyond notes that a finding that is not kept breaks the contract.
func (r *Report) BreaksBeyond() { r.more = true }

// Violated reports whether the recording breaks the contract.
func (r *Report) Violated() bool {
	return r.more || slices.ContainsFunc(r.Groups, func(g Group) bool { return r.Breaks(&g.Finding) })
}

// Failed reports whether the check fails: the recording breaks the contract, is not complete though it has to be, the
// baseline is stale, there is too little coverage, or too much that is inconclusive.
func (r *Report) Failed() bool {
	return r.Violated() || r.Complete && len(r.Gaps) > 0 || r.Baseline != nil && len(r.Baseline.Stale) > 0 ||
		slices.ContainsFunc(r.Thresholds, Threshold.Missed) || r.MaxInconclusive.Exceeded()
}

// Engine describes an engine that judged by the schemas of the documents.
type Engine struct {
	Name     string `json:"name"`
	Version  string `json:"version,omitzero"`
	Messages int    `json:"messages"`         // bodies, and the parameters of requests, that it judged
	Lost     int    `json:"lost,omitzero"`    // those that it was asked about, and could not judge
	Failure  string `json:"trouble,omitzero"` // why, where it is known
}

// inWords returns how much the engine judged.
func (e *Engine) inWords() string {
	text := strings.TrimSpace(e.Name+" "+e.Version) + " judged " + count(e.Messages, "message")
	if e.Lost > 0 {
		text += fmt.Sprintf(", failed on %d", e.Lost)
	}
	if e.Failure != "" {
		text += " (" + e.Failure + ")"
	}
	return plain(text)
}

// enginesInWords returns which engines judged how much. It is empty if that is not known.
func (r *Report) enginesInWords() string {
	var list []string
	for i := range r.Engines {
		list = append(list, r.Engines[i].inWords())
	}
	return strings.Join(list, ", ")
}

// Sources of base addresses.
const (
	Given   = "given"   // by the user
	Guessed = "guessed" // from the recording
)

// Gap is a stretch of exchanges that are missing in a recording, by their numbers. Their content is unknown, so a gap
// is inconclusive, and fails a check only where the recording has to be complete.
type Gap struct {
	File  string `json:"file"`
	World string `json:"world"`
	First int64  `json:"first"`
	Last  int64  `json:"last"`
}

// inWords returns a gap as one sentence.
func (g *Gap) inWords() string {
	which := fmt.Sprintf("exchanges %d to %d are missing", g.First, g.Last)
	if g.First == g.Last {
		which = fmt.Sprintf("exchange %d is missing", g.First)
	}
	if g.World != "" {
		which += " of the world " + g.World
	}
	return g.File + ": " + which + ", and what depends on them cannot be judged"
}

// missing returns the number of exchanges that the gaps span.
func (r *Report) missing() (n int64) {
	for _, g := range r.Gaps {
		n += g.Last - g.First + 1
	}
	return n
}

// Fingerprint identifies a deviation across runs: by rule, by the place in the document, and by the place in the body
// with the positions in lists starred. It does not depend on values and messages.
func Fingerprint(f *Finding) string {
	tokens := strings.Split(f.Pointer, "/")
	for i, token := range tokens {
		if i > 2 && isIndex(token) {
			tokens[i] = "*"
		}
	}
	parts := []string{
		f.Rule, string(f.Verdict), string(f.Interface), f.Operation, f.Spec.Pointer, strings.Join(tokens, "/"),
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:8])
}

func isIndex(token string) bool {
	for _, c := range token {
		if c < '0' || c > '9' {
			return false
		}
	}
	return token != ""
}

// Judged describes how much of the recording was judged.
type Judged struct {
	Parameters int      `json:"parameters"` // requests whose parameters were judged
	Bodies     int      `json:"bodies"`     // of requests and of answers
	Unjudged   int      `json:"unjudged"`   // bodies that could not be
	Reasons    []Reason `json:"reasons"`    // why not, the most frequent first
}

// Reason describes why bodies could not be judged.
type Reason struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Limit is an upper bound and the actual value, both in percent.
type Limit struct {
	Most float64 `json:"most"`
	Got  float64 `json:"got"`
}

// Exceeded reports whether the value is above the limit.
func (l *Limit) Exceeded() bool { return l != nil && l.Got > l.Most }

func (l *Limit) inWords() string {
	return fmt.Sprintf("%.1f %% of the checks are inconclusive, want %v %% at most", l.Got, l.Most)
}

// InconclusiveShare returns the percentage of inconclusive checks among those that were not skipped.
func (c *Checks) InconclusiveShare() float64 {
	if all := c.Pass + c.Fail + c.Inconclusive; all > 0 {
		return 100 * float64(c.Inconclusive) / float64(all)
	}
	return 0
}

// IsNothingJudged reports whether bodies were to be judged and none could be, nor a parameter, nor anything by the
// rules between exchanges, and the contract is not known to be broken.
func (r *Report) IsNothingJudged() bool {
	isBare := r.Judged.Bodies+r.Judged.Parameters == 0 && !r.RulesJudged && !r.Violated()
	return r.Exchanges.Matched > 0 && r.Judged.Unjudged > 0 && isBare
}

// isNothing reports whether no exchange was matched judged or compared, so that no verdict is possible.
func (r *Report) isNothing() bool {
	if r.Comparison != nil {
		return r.Comparison.Compared == 0
	}
	return r.Exchanges.Matched == 0 || r.IsNothingJudged()
}

// inWords returns the headline: how many bodies were judged, and why others were not. It is empty when there were none.
func (j *Judged) inWords() string {
	const most = 3
	if j.Bodies+j.Unjudged == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s judged", j.Bodies, bodies(j.Bodies+j.Unjudged))
	var list []string
	for i, reason := range j.Reasons {
		if i == most {
			list = append(list, "and for "+count(len(j.Reasons)-i, "more reason"))
			break
		}
		list = append(list, fmt.Sprintf("%s (%d)", plain(reason.Reason), reason.Count))
	}
	if len(list) > 0 {
		text += "; not judged: " + strings.Join(list, ", ")
	}
	return text
}

func bodies(n int) string {
	if n == 1 {
		return "1 body"
	}
	return fmt.Sprintf("%d bodies", n)
}
