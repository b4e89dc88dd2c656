package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"svc.example/understudy/contract/report"
)

// many returns a report with so many fingerprints.
func many(tb testing.TB, n int) *report.Report {
	tb.Helper()
	r := rich(tb)
	for i := range n {
		g := r.Groups[i%len(r.Groups)]
		g.Operation = fmt.Sprintf("workflow.operation%d", i)
		g.ID = report.Fingerprint(&g.Finding)
		r.Groups = append(r.Groups, g)
	}
	return r
}

// variants returns reports that every form has to cope with.
func variants(tb testing.TB) map[string]*report.Report {
	tb.Helper()
	evil := rich(tb)
	for i := range evil.Groups {
		g := &evil.Groups[i]
		g.Message, g.Pointer, g.Operation, g.Spec.File = hostile+"\xff", "/response/"+hostile, hostile, "../"+hostile
	}
	for number, line := range evil.Shown {
		line.Method, line.URL, line.File = hostile, "/"+hostile+"\xff", hostile
		evil.Shown[number] = line
	}
	evil.Problems[0].Message, evil.Problems[0].File = hostile, hostile
	evil.Baseline.File, evil.Baseline.Stale[0].Operation = hostile, hostile
	evil.Notes, evil.Unmatched[0].URL, evil.Bases[0].URL = []string{hostile}, hostile, "javascript:"+hostile
	disputed, engines := rich(tb), healthy(tb)
	disputed.DisputedFails = true
	engines.Engines = []report.Engine{
		{Name: "one", Version: hostile, Messages: 2},
		{Name: hostile, Lost: 3, Failure: hostile},
	}
	return map[string]*report.Report{
		"rich": rich(tb), "healthy": healthy(tb), "empty": {}, "many": many(tb, 300), "hostile": evil,
		"disputed fails": disputed,
		"engines":        engines,
		"compared":       compared(tb), "agreeing": agreeing(tb), "hostile comparison": hostileComparison(tb),
	}
}

func TestGitHubAnnotations(t *testing.T) {
	t.Parallel()
	r := many(t, 300)
	out := written(t, r, "github")
	counts := map[string]int{}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for _, line := range lines[:len(lines)-1] {
		level, _, _ := strings.Cut(strings.TrimPrefix(line, "::"), " ")
		counts[level]++
	}
	if diff := cmp.Diff(map[string]int{"error": 10, "warning": 10, "notice": 10}, counts); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "understudy: the recording violates the contract") ||
		!strings.Contains(last, "not annotated: 1") {
		t.Errorf("the last line %q", last)
	}
	want := "::error file=traffic.har,line=5,title=error pool-deletion workflow.deletePool::" +
		"pool 7 was deleted although pool rule 3 references it%0A#2 POST /api/pools → 201  (traffic.har:3, entry 2)%0A" +
		"#3 POST /api/pool_rules → 201  (traffic.har:4, entry 3)%0A#4 DELETE /api/pools/7 → 200  (traffic.har:5, entry " +
		"4)%0Asee workflow.yaml:1204 (documented)%0Anext: understudy rules pool-deletion explains it; an entry of " +
		"--baseline accepts it: {id: "
	if !strings.Contains(out, want) {
		t.Errorf("there is no line\n%s\nin\n%s", want, out)
	}
}

// An annotation stands in a file that the reader has: the recording, or else a document of their own.
func TestGitHubAnnotationsPointAtFilesOfTheReader(t *testing.T) {
	t.Parallel()
	r := rich(t)
	for number, line := range r.Shown {
		line.OnDisk = false
		r.Shown[number] = line
	}
	if out := written(t, r, "github"); strings.Contains(out, "file=") {
		t.Errorf("neither the recording nor the document is a file of the reader, yet an annotation has one:\n%s", out)
	}
	r.Own = []string{"workflow.yaml"}
	if out := written(t, r, "github"); !strings.Contains(out, "::error file=workflow.yaml,line=1204,title") {
		t.Errorf("no annotation stands in the reader's own document:\n%s", out)
	}
}

// Whatever a recording holds, it begins no workflow command of its own.
func TestGitHubAnnotationsOfHostileTexts(t *testing.T) {
	t.Parallel()
	for line := range strings.SplitSeq(strings.TrimSpace(written(t, variants(t)["hostile"], "github")), "\n") {
		_, rest, isCommand := strings.Cut(line, "::")
		switch {
		case strings.HasPrefix(line, "understudy: "):
		case !isCommand || !strings.HasPrefix(rest, "error ") && !strings.HasPrefix(rest, "warning ") &&
			!strings.HasPrefix(rest, "notice "):
			t.Errorf("line %q", line)
		}
		properties, _, _ := strings.Cut(rest, "::")
		if strings.Count(properties, ",") > 2 || strings.ContainsAny(line, "\r\x1b") {
			t.Errorf("line %q", line)
		}
	}
}

func TestJSONHidesNothing(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"json", "sarif"} {
		r, hidden := rich(t), "text\x7fevent\u0085-\u202estream \u00e9"
		r.Findings[0].Found, r.Groups[0].Found = hidden, hidden
		out := written(t, r, form)
		if form == "json" && !strings.Contains(out, `"text\u007fevent\u0085-\u202estream é"`) {
			t.Error("the value is not escaped")
		}
		if at := strings.IndexFunc(out, func(c rune) bool {
			return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c))
		}); at >= 0 {
			t.Errorf("%s: %q", form, out[max(0, at-40):at+10])
		}
		if !json.Valid([]byte(out)) {
			t.Errorf("%s: no JSON", form)
		}
	}
}

func TestSummariesKeepTheirLimits(t *testing.T) {
	t.Parallel()
	for name, r := range variants(t) {
		for _, limit := range []int{6_000, 65_536, report.MaxSummary} {
			var b strings.Builder
			if err := r.WriteSummary(&b, limit); err != nil {
				t.Fatalf("%s in %d: %v", name, limit, err)
			}
			text := b.String()
			if len(text) > limit || !utf8.ValidString(text) {
				t.Errorf("%s: %d bytes, the limit is %d", name, len(text), limit)
			}
			if opened, closed := strings.Count(text, "<details>"), strings.Count(text, "</details>"); opened != closed {
				t.Errorf("%s in %d: %d details are opened, and %d closed", name, limit, opened, closed)
			}
		}
	}
	if text := written(t, many(t, 2000), "markdown"); !strings.Contains(text,
		"more kinds of findings are not shown: the report's size limit is reached") {
		t.Error("what was cut is not told")
	}
	if err := rich(t).WriteSummary(&strings.Builder{}, 100); err == nil || !strings.Contains(err.Error(), "100 bytes") {
		t.Errorf("error %v", err)
	}
}

// code matches what a reader of Markdown shows as code, in which no markup takes effect.
var code = regexp.MustCompile(`(?s)<pre>.*?</pre>|<code>.*?</code>`)

// Outside of code nothing of a recording is markup, mentions a person, or refers to an issue.
func TestMarkdownOfHostileTexts(t *testing.T) {
	t.Parallel()
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	var page bytes.Buffer
	if err := reader.Convert([]byte(written(t, variants(t)["hostile"], "markdown")), &page); err != nil {
		t.Fatal(err)
	}
	text := code.ReplaceAllString(page.String(), "")
	for _, bad := range []string{"<script", "<img", "<a ", "@octocat", "#1", "#9"} {
		if at := strings.Index(text, bad); at >= 0 {
			t.Errorf("%q in %q", bad, text[max(0, at-100):min(len(text), at+100)])
		}
	}
	if opened, want := strings.Count(page.String(), "<details>"), len(rich(t).Groups); opened != want {
		t.Errorf("%d foldings, want %d: one for each finding that is told, and one for what cannot be", opened, want)
	}
}

func TestFormsAreNamed(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"text", "json", "junit", "sarif", "github", "markdown", "html"},
		report.Formats()); diff != "" {
		t.Errorf("forms (-want +got):\n%s", diff)
	}
	if err := rich(t).Write(&strings.Builder{}, "pdf"); err == nil ||
		!strings.Contains(err.Error(), `unknown format "pdf" of a report; want one of text`) {
		t.Errorf("error %v", err)
	}
}
