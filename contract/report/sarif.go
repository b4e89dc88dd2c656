package report

import (
	"cmp"
	"encoding/json"
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
			"outcome": plain(r.Outcome()), "exchanges": r.Exchanges, "checks": r.Checks, "tally": r.tallyByLabel(),
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
	encoder := json.NewEncoder(escaped{jsonSpelling.guard(w)})
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
	rule := sarifRule{ID: id, Name: pascal(id), Short: sarifText{Text: cmp.Or(doc.Title, id)}}
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
	message := slices.DeleteFunc(append(g.about(), g.times()), func(part string) bool { return part == "" })
	result := sarifResult{
		RuleID: g.Rule, Kind: kind, Level: level, Message: sarifText{Text: strings.Join(message, "; ")},
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
	result.Locations = []sarifLocation{{Logical: logical, Physical: r.sarifDocument(g)}}
	if line := r.Shown[g.Exchange]; line.OnDisk { // which the reader has, then
		result.Locations[0].Physical = line.physicalLocation()
	}
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
	for _, g := range r.gates() {
		for _, fault := range g.Faults {
			list = append(list, sarifNotification{Level: g.Level, Message: sarifText{Text: fault}})
		}
	}
	if left := len(r.Groups) - maxResults; left > 0 {
		text := count(left, "more result") + " were left out, the least severe: SARIF readers accept no more"
		list = append(list, sarifNotification{Level: levelError, Message: sarifText{Text: text}})
	}
	return list
}

// sarifDocument returns the place in the document that a result refers to, or nil if there is none.
func (r *Report) sarifDocument(g *Group) *sarifPhysical {
	if g.Spec.File == "" {
		return nil
	}
	return physicalLocation(r.specURI(g.Spec), g.Spec.Line)
}

// sarifRelated lists what a result has to do with: its evidence, in its order, its other occurrences, and the document;
// and the evidence once more as a code flow.
func (r *Report) sarifRelated(g *Group) (related []sarifLocation, flows []sarifCodeFlow) {
	add := func(text string, at *sarifPhysical) {
		related = append(related, sarifLocation{ID: len(related) + 1, Message: &sarifText{Text: plain(text)}, Physical: at})
	}
	var steps []sarifStep
	for i, number := range g.chain() {
		if line, ok := r.Shown[number]; ok && i < maxSteps {
			add(line.inWords(), line.physicalLocation())
			step := related[len(related)-1]
			step.ID = 0
			steps = append(steps, sarifStep{Location: step, Order: i + 1})
		}
	}
	others, _ := g.others(len(g.Occurrences))
	for _, o := range others {
		if line, ok := r.Shown[o.Exchange]; ok {
			add("also "+r.occurrence(g, o), line.physicalLocation())
		}
	}
	if says := r.says(&g.Finding); says != "" {
		add(says, r.sarifDocument(g))
	}
	if len(steps) > 0 {
		flows = []sarifCodeFlow{{Threads: []sarifThread{{steps}}}}
	}
	return related, flows
}

// physicalLocation returns the place of an exchange. Readers want one everywhere, also where the recording is not on
// disk.
func (l *ExchangeLine) physicalLocation() *sarifPhysical {
	return physicalLocation(cmp.Or(l.File, "recording"), l.Line)
}

// The parts of SARIF 2.1.0 that are written, checked in a test against the OASIS schema. They are our own because
// owenrumney/go-sarif v3, which has all of them, brings a JSON Schema validator into every program that uses it, writes
// null where the standard wants lists, and panics when a fingerprint is added to a new result.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
		Properties  map[string]any    `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID         string         `json:"id"`
		Name       string         `json:"name"`
		Short      sarifText      `json:"shortDescription"`
		Help       *sarifText     `json:"help,omitempty"`
		Properties map[string]any `json:"properties"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    *int               `json:"ruleIndex,omitempty"`
		Kind         string             `json:"kind"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Flows        []sarifCodeFlow    `json:"codeFlows,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Occurrences  int                `json:"occurrenceCount"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Start int `json:"startLine"`
	}
	sarifCodeFlow struct {
		Threads []sarifThread `json:"threadFlows"`
	}
	sarifThread struct {
		Steps []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location sarifLocation `json:"location"`
		Order    int           `json:"executionOrder"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
)
