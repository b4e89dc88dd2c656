// Package report holds what the contract suite found in a recording, and writes it down. The words of its JSON form
// are a promise to other tools: report.schema.json describes them.
package report

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"svc.example/understudy/specs"
)

// Verdict is the outcome of one check: one rule that had one chance.
type Verdict string

// The four outcomes.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive" // the recording does not hold what would be needed to tell
	Skipped      Verdict = "skipped"      // there was nothing to check, or the rule is switched off
)

// Severity says how loud a finding is. Only errors break a build.
type Severity string

// From the loudest to the quietest.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Notice  Severity = "notice"
)

// Report is what a check of a recording gives.
type Report struct {
	Exchanges Exchanges
	Checks    Checks
	Findings  []Finding // the first ones of each fingerprint, in the order of their exchanges
	Omitted   int       // findings beyond those, which are counted but not kept
	Rules     []Rule    // every rule, in a fixed order
	Coverage  Coverage
	Shown     map[int]Line // the exchanges that findings speak of, by number
	Notes     []string     // what is worth knowing about the recording itself
	Groups    []Group      // findings by fingerprint, the worst first, with complete counts

	// DisputedFails says that disputed findings fail the check too.
	DisputedFails bool
}

// Exchanges counts what was read. Read is the sum of the others.
type Exchanges struct {
	Read      int `json:"read"`
	Matched   int `json:"matched"`   // belong to one interface
	Unmatched int `json:"unmatched"` // belong to none, or cannot be told apart between several
	Ignored   int `json:"ignored"`   // traffic around the contract: preflights, the control interface of the mock
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

// Rule says how often a rule had its chance, and what came of it. One that never had a chance did not pass.
type Rule struct {
	ID           string `json:"id"`
	Triggered    int    `json:"triggered"`
	Pass         int    `json:"pass"`
	Fail         int    `json:"fail"`
	Inconclusive int    `json:"inconclusive"`
}

// Finding is a verdict worth showing.
type Finding struct {
	ID         string           `json:"id"` // fingerprint: the same deviation has the same one in every run
	Rule       string           `json:"rule"`
	Severity   Severity         `json:"severity"`
	Verdict    Verdict          `json:"verdict"`
	Disputed   bool             `json:"disputed"`
	Interface  string           `json:"interface"`
	Operation  string           `json:"operation"`
	Exchange   int              `json:"exchange"`
	Evidence   []int            `json:"evidence"` // exchanges that created, referenced and broke, in their order
	Message    string           `json:"message"`
	Pointer    string           `json:"pointer"` // into the exchange, such as /response/body/pools/0/name
	Spec       Spec             `json:"spec"`
	Provenance specs.Provenance `json:"provenance"`
	Voices     []Voice          `json:"voices,omitempty"` // both judges, where they differ
}

// Spec is where the document says what the finding is about.
type Spec struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Pointer string `json:"pointer"`
}

// Voice is what one judge says of a disputed finding.
type Voice struct {
	Judge   string  `json:"judge"`
	Verdict Verdict `json:"verdict"`
	Message string  `json:"message,omitempty"`
}

// Line is one exchange in one line. Its URL holds no secrets.
type Line struct {
	Exchange int    `json:"exchange"`
	Method   string `json:"method"`
	URL      string `json:"url"`
	Status   int    `json:"status"` // 0 when no response was seen
	File     string `json:"file"`
	Line     int    `json:"line"`
	Offset   int64  `json:"offset"`
}

// Coverage counts which documented operations the recording touched.
type Coverage struct {
	Operations map[string]Touched `json:"operations"` // by name, such as workflow.getPool; only those touched
	Covered    int                `json:"covered"`
	Documented int                `json:"documented"`
}

// Touched counts the exchanges of an operation, and its answers by status.
type Touched struct {
	Exchanges int            `json:"exchanges"`
	Statuses  map[string]int `json:"statuses"`
}

// Group is all findings with one fingerprint.
type Group struct {
	Finding // the first one
	Count   int
	Numbers []int // exchanges of the first ones
}

// Breaks reports whether a finding makes a check fail.
func (r *Report) Breaks(f *Finding) bool {
	return f.Verdict == Fail && f.Severity == Error && (!f.Disputed || r.DisputedFails)
}

// Failed reports whether the recording breaks the contract.
func (r *Report) Failed() bool {
	for i := range r.Groups {
		if r.Breaks(&r.Groups[i].Finding) {
			return true
		}
	}
	return false
}

// Fingerprint identifies a deviation across runs: by rule, by the place in the document, and by the place in the body
// with the positions in lists starred. Values and messages have no part in it.
func Fingerprint(f *Finding) string {
	tokens := strings.Split(f.Pointer, "/")
	for i, token := range tokens {
		if i > 2 && isIndex(token) {
			tokens[i] = "*"
		}
	}
	parts := []string{
		f.Rule, string(f.Verdict), f.Interface, f.Operation, f.Spec.Pointer, strings.Join(tokens, "/"),
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
