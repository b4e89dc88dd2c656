// Package verdict holds what the rules say of recorded exchanges, as plain values. Who judges fills them in, and who
// shows them needs nothing of who judges: the mock server and the contract suite do not import each other.
package verdict

import (
	"cmp"
	"slices"
)

// Outcome is the outcome of a check: of one rule that had one chance.
type Outcome string

// The four outcomes.
const (
	Pass         Outcome = "pass"
	Fail         Outcome = "fail"
	Inconclusive Outcome = "inconclusive" // the exchanges lack the evidence that it takes
	Skipped      Outcome = "skipped"      // there was nothing to check, or the rule is switched off
)

// Worse reports whether an outcome is worse than another one: fail, inconclusive, pass, skipped.
func (o Outcome) Worse(than Outcome) bool { return o.rank() > than.rank() }

func (o Outcome) rank() int {
	switch o {
	case Fail:
		return 3
	case Inconclusive:
		return 2
	case Pass:
		return 1
	case Skipped:
	}
	return 0
}

// Verdict holds what is known of one exchange.
type Verdict struct {
	Seq     int64   `json:"seq"`
	Outcome Outcome `json:"outcome"` // the worst of its checks; skipped if there are none

	// Breaks means that a finding about the exchange makes a check of all of them fail. A rule of which it is less sure
	// what holds fails without that.
	Breaks bool `json:"breaks"`

	// Pending means that the rules between exchanges have not looked at it yet. What they say may change later, too.
	Pending bool `json:"pending"`

	Checks   []Check   `json:"checks"`   // by rule, in the order of reports; a rule that is not there had no chance
	Findings []Finding `json:"findings"` // about this exchange; it may be evidence of others
	Omitted  bool      `json:"omitted"`  // there may be more findings, which are not kept since there are too many
}

// Grade returns the outcome in a word for people. A failure that does not make a check fail is called by the severity
// of its worst finding, as long as findings are kept.
func (v Verdict) Grade() string { return grade(v.Outcome, v.Findings) }

// GradeOf returns the outcome of one of the rules in such a word.
func (v Verdict) GradeOf(c Check) string {
	return grade(c.Outcome, slices.DeleteFunc(slices.Clone(v.Findings), func(f Finding) bool { return f.Rule != c.Rule }))
}

func grade(o Outcome, findings []Finding) string {
	if o != Fail {
		return string(o)
	}
	worst := ""
	for _, f := range findings {
		switch {
		case f.Breaks:
			return string(Fail)
		case f.Outcome == Fail && (worst == "" || severityRank(f.Severity) > severityRank(worst)):
			worst = f.Severity
		}
	}
	return cmp.Or(worst, string(Fail))
}

func severityRank(severity string) int {
	return slices.Index([]string{"notice", "warning", "error"}, severity)
}

// Check is the outcome of a rule on an exchange. It may have had several chances, such as one for each body.
type Check struct {
	Rule    string  `json:"rule"`
	Outcome Outcome `json:"outcome"`           // the worst
	Message string  `json:"message,omitempty"` // of the worst finding, if there is one
	Counts
}

// Counts counts chances by their outcome.
type Counts struct {
	Pass         int `json:"pass"`
	Fail         int `json:"fail"`
	Inconclusive int `json:"inconclusive"`
	Skipped      int `json:"skipped"`
}

// Finding is an outcome worth showing.
type Finding struct {
	ID         string  `json:"id"` // a fingerprint: the same deviation has the same one wherever it is found
	Rule       string  `json:"rule"`
	Severity   string  `json:"severity"` // error, warning or notice
	Outcome    Outcome `json:"outcome"`  // fail or inconclusive
	Breaks     bool    `json:"breaks"`   // it makes a check fail
	Interface  string  `json:"interface"`
	Operation  string  `json:"operation"`
	Seq        int64   `json:"seq"`      // of the exchange that it is about
	Evidence   []int64 `json:"evidence"` // the numbers of the exchanges that show it, in their order
	Message    string  `json:"message"`
	Pointer    string  `json:"pointer"`         // into the exchange, such as /response/body/pools/0/name
	Found      string  `json:"found,omitempty"` // the value there as JSON, or its beginning; empty if it may be secret
	Provenance string  `json:"provenance"`
	Spec       Spec    `json:"spec"`
}

// Spec is the place in a document that a finding refers to.
type Spec struct {
	File    string   `json:"file"` // such as workflow.yaml; empty if there is none
	Line    int      `json:"line"` // from 1
	Pointer string   `json:"pointer"`
	Says    string   `json:"says,omitempty"`    // what stands there, in one short line
	Excerpt *Excerpt `json:"excerpt,omitempty"` // nil if the document is not at hand
}

// Excerpt holds some lines of a document, around the one in question.
type Excerpt struct {
	First int      `json:"first"` // the number of the first line
	Lines []string `json:"lines"`
}

// Report holds what the rules say of all exchanges together.
type Report struct {
	Exchanges Exchanges `json:"exchanges"`
	Checks    Counts    `json:"checks"`
	Count     string    `json:"count"` // of the findings, by their kinds, in words
	Failed    bool      `json:"failed"`
	Outcome   string    `json:"outcome"`  // in one sentence
	Rules     []Rule    `json:"rules"`    // all of them, in a fixed order
	Findings  []Group   `json:"findings"` // by their fingerprints, the worst first
	Omitted   int       `json:"omitted"`  // findings that are counted but not listed
	Coverage  Coverage  `json:"coverage"`
	Notes     []string  `json:"notes"` // what is worth knowing about the recording itself
}

// Exchanges counts what was judged. Read is the sum of the three after it.
type Exchanges struct {
	Read      int `json:"read"`
	Matched   int `json:"matched"`   // belong to one interface
	Unmatched int `json:"unmatched"` // belong to no interface, or could belong to several
	Ignored   int `json:"ignored"`   // traffic around the contract, such as preflights
	Injected  int `json:"injected"`  // matched, with an answer that a fault injected

	// Behind counts those that are still to be judged, alone or by the rules between exchanges.
	Behind int `json:"behind"`
}

// Rule counts the chances of a rule by their outcome, and says what it is about. A rule without a chance did not pass.
type Rule struct {
	ID         string `json:"id"`
	Title      string `json:"title"`   // in one clause: what must hold
	Watches    string `json:"watches"` // what gives it a chance
	Provenance string `json:"provenance"`
	Count      string `json:"count"` // of its findings, in words; empty without any
	Counts
}

// Group holds all findings with one fingerprint.
type Group struct {
	Finding     // the first one
	Count   int `json:"count"`

	Occurrences []Occurrence `json:"occurrences"` // the first ones
}

// Occurrence is the place of one of the findings with the same fingerprint.
type Occurrence struct {
	Seq     int64  `json:"seq"`
	Pointer string `json:"pointer"` // into the exchange
}

// Coverage describes how much of the documents the exchanges touch.
type Coverage struct {
	Axes       []Axis      `json:"axes"`
	Operations []Operation `json:"operations"` // all that are documented, sorted by name
}

// Axis describes how much of one kind of thing was touched: operations, requests, responses, parameters, enums,
// properties or rules.
type Axis struct {
	Name       string  `json:"name"`
	Covered    int     `json:"covered"`
	Documented int     `json:"documented"`
	Percent    float64 `json:"percent"` // from 0 to 100
}

// Operation describes what was seen of an operation.
type Operation struct {
	Name      string         `json:"name"` // such as workflow.getPool
	Exchanges int            `json:"exchanges"`
	Statuses  map[string]int `json:"statuses"` // answers, by status

	// Parts of requests and answers that were seen, and that were not: media types, parameters, values of enumerations
	// and properties. Of an operation that was never called neither is known.
	Covered    int `json:"covered"`
	Documented int `json:"documented"`
}
