package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// maxResults is the number of results of a run that GitHub accepts.
const maxResults = 25_000

// maxSteps bounds the evidence of a result.
const maxSteps = 100

// WriteSARIF writes the report as SARIF 2.1.0. A result is all findings with one fingerprint, and stands at the
// exchange in the recording; or, where the recording is not on disk, at what the document says. The exchanges that
// prove it are its code flow, and they, its other occurrences and the document its related locations.
func (r *Report) WriteSARIF(w io.Writer) error {
	index := map[string]int{}
	driver := sarifDriver{Name: "understudy", Rules: []sarifRule{}}
	for i := range r.Rules {
		index[r.Rules[i].ID] = i
		driver.Rules = append(driver.Rules, r.sarifRule(r.Rules[i].ID))
	}
	run := sarifRun{
		Tool: sarifTool{driver}, Results: []sarifResult{}, ColumnKind: "utf16CodeUnits",
		Invocations: []sarifInvocation{{Successful: len(r.Problems) == 0, Notifications: r.sarifNotifications()}},
		Properties: map[string]any{
			"outcome": plain(r.Outcome()), "exchanges": r.Exchanges, "checks": r.Checks,
			"engines": neverNil(r.Engines),
		},
	}
	if c := r.Comparison; c != nil {
		run.Properties["comparison"] = map[string]any{"with": c.With, "compared": c.Compared, "agree": c.Agree}
	}
	for i := range r.Groups {
		if i == maxResults {
			break
		}
		g := &r.Groups[i]
		result := r.sarifResult(g)
		if at, known := index[g.Rule]; known {
			result.RuleIndex = &at
		}
		run.Results = append(run.Results, result)
	}
	encoder := json.NewEncoder(jsonSpelling.guard(w))
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func (r *Report) sarifRule(id string) sarifRule {
	doc := r.Docs[id]
	rule := sarifRule{ID: id, Name: pascal(id), Short: sarifText{Text: r.ruleTitle(id)}}
	var text, markdown []string
	for _, part := range []struct{ head, body string }{
		{"Watches", doc.Watches},
		{"What counts as a " + r.fault(), doc.Evidence},
		{"Inconclusive when", doc.Inconclusive},
		{"What looks like a " + r.fault() + " but is not", doc.Passes},
		{"Provenance", string(doc.Provenance)},
	} {
		if part.body != "" {
			text = append(text, part.head+": "+part.body)
			markdown = append(markdown, "**"+part.head+"**: "+escapeMarkdown(part.body))
		}
	}
	if len(text) > 0 {
		rule.Help = &sarifText{Text: strings.Join(text, "\n\n"), Markdown: strings.Join(markdown, "\n\n")}
	}
	rule.Properties = map[string]any{"tags": []string{"api-contract"}}
	return rule
}

// pascal returns the name of a rule the way SARIF wants one: PoolDeletion.
func pascal(id string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(id, "-") {
		b.WriteString(strings.ToUpper(part[:min(1, len(part))]) + part[min(1, len(part)):])
	}
	return b.String()
}

func (r *Report) sarifResult(g *Group) sarifResult {
	kind, level := r.sarifKind(g)
	result := sarifResult{
		RuleID: g.Rule, Kind: kind, Level: level, Message: sarifText{Text: sarifMessage(g)},
		Fingerprints: map[string]string{"understudy/v1": g.ID}, Occurrences: max(1, g.Count),
		Properties: map[string]any{
			"operation": g.Operation, "pointer": g.Pointer, "provenance": g.Provenance, "verdict": g.Verdict,
			"disputed": g.Disputed,
		},
	}
	if g.Found != "" {
		result.Properties["found"] = plain(g.Found)
	}
	if a := r.sidesAt(&g.Finding); a != nil {
		result.Properties["sides"] = a.Sides
	}
	logical := []sarifLogical{}
	if where := g.where(); where != "" {
		logical = append(logical, sarifLogical{Name: where, Kind: "member"})
	}
	result.Locations = []sarifLocation{{Logical: logical, Physical: r.sarifPlace(g)}}
	result.Related, result.Flows = r.sarifRelated(g)
	if g.Accepted {
		reason := "accepted by the baseline"
		if r.Baseline != nil {
			at := slices.IndexFunc(r.Baseline.Entries, func(e BaselineEntry) bool { return e.ID == g.ID })
			if at >= 0 && r.Baseline.Entries[at].Reason != "" {
				reason = r.Baseline.Entries[at].Reason
			}
		}
		result.Suppressions = []sarifSuppression{{Kind: "external", Status: "accepted", Justification: reason}}
	}
	return result
}

// sarifKind returns the kind and the level of a result. Only failures have a level; an inconclusive result is open, and
// one on which the engines differ is for a person to review.
func (r *Report) sarifKind(g *Group) (kind, level string) {
	switch {
	case g.Verdict == Inconclusive:
		return "open", "none"
	case g.Disputed && !r.DisputedFails:
		return "review", "none"
	case g.Severity == Notice:
		return "fail", "note"
	}
	return "fail", string(g.Severity)
}

func sarifMessage(g *Group) string {
	parts := []string{plain(g.Message)}
	if g.Found != "" {
		parts = append(parts, plain(g.at()))
	}
	for _, v := range g.Engines {
		parts = append(parts, plain(v.inWords()))
	}
	if g.Count > 1 {
		parts = append(parts, g.times())
	}
	return strings.Join(parts, "; ")
}

// physicalLocation returns a place in a file. A file has no line 0: then it is the file as a whole.
func physicalLocation(file string, line int) *sarifPhysical {
	u := url.URL{Path: filepath.ToSlash(strings.ToValidUTF8(file, "\uFFFD"))}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	p := &sarifPhysical{Artifact: sarifArtifact{URI: u.String()}}
	if line > 0 {
		p.Region = &sarifRegion{line}
	}
	return p
}

// sarifNotifications returns what is not a finding: what could not be read, and what else makes a check fail.
func (r *Report) sarifNotifications() []sarifNotification {
	list := []sarifNotification{}
	add := func(text string) {
		list = append(list, sarifNotification{Level: "error", Message: sarifText{Text: plain(text)}})
	}
	for i := range r.Problems {
		add(fmt.Sprintf("%s could not be read, and was skipped: %s", r.Problems[i].place(), r.Problems[i].Message))
	}
	if c := r.Comparison; c != nil && c.skippedInWords() != "" {
		add("not compared: " + c.skippedInWords())
		list[len(list)-1].Level = "note"
	}
	for i := range r.Gaps {
		if add(r.Gaps[i].inWords()); !r.Complete {
			list[len(list)-1].Level = "warning"
		}
	}
	if r.Baseline != nil {
		for i := range r.Baseline.Stale {
			e := &r.Baseline.Stale[i]
			add(fmt.Sprintf("%s: %s no longer occurs (%s): remove it", r.Baseline.File, e.ID, e.inWords()))
		}
	}
	for _, t := range r.Thresholds {
		if t.Missed() {
			add(fmt.Sprintf("coverage of %s is %.1f %%, want %v %%", t.Axis, t.Got, t.Want))
		}
	}
	if left := len(r.Groups) - maxResults; left > 0 {
		add(count(left, "more result") + " were left out, the least severe: SARIF readers accept no more")
	}
	return list
}
