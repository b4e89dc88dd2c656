package report_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs/recording"
)

// commands are texts of a recording that GitHub Actions would obey, each on a line of its own, or in one.
var commands = []string{
	"::error ::pwned", "  ::set-output name=x::y", "\t::add-mask::e", "\u00a0\u3000::stop-commands::x",
	"\u200b::error::pwned",
	"##[error]pwned", "text ##[set-output name=x;]y", "#\u200b##[group]pwned", "###[endgroup]",
	"::\r::error::x\r\n::debug::y",
}

// isCommand reports whether the runner may take a line for a command: TryParseV2 of its ActionCommand looks for :: at
// the beginning, TryParse for ##[ anywhere. Both compare as a culture does, for which some characters are not there.
func isCommand(line string) bool {
	line = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cf, c) || unicode.IsControl(c) && c != '\t' {
			return -1
		}
		return c
	}, line)
	return strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[")
}

// commanding returns a report on a recording that holds nothing but commands, wherever there is text.
func commanding(tb testing.TB, text string) *report.Report {
	tb.Helper()
	r := rich(tb)
	long := strings.Repeat("word ", 18) + text + " " + strings.Repeat(text+" ", 20)
	for i := range r.Groups {
		g := &r.Groups[i]
		g.Message, g.Pointer, g.Operation = long, "/response/"+text, text
		g.Engines = append(g.Engines, report.EngineVerdict{Engine: "second", Verdict: report.Fail, Message: long})
		g.Spec.File = "a/" + text
	}
	for number, line := range r.Shown {
		line.Method, line.URL, line.File = text, text+"/"+text, text
		r.Shown[number] = line
	}
	for _, e := range r.Evidence {
		e.Request.Method, e.Request.URL = text, "https://workflow.svc.example/"+text
		e.Request.Body = &recording.Body{Bytes: []byte("line\n" + text + "\n" + text)}
		e.Request.Headers = append(e.Request.Headers, [2]string{text, text})
		if e.Response != nil {
			e.Response.Body = &recording.Body{Bytes: []byte(text + "\n" + text)}
		}
	}
	r.Problems[0].Message, r.Problems[0].File, r.Notes = long, text, []string{text, long}
	r.Baseline.File, r.Baseline.Stale[0].Operation = text, text
	r.Unmatched[0].URL, r.Unmatched[0].Method, r.Unmatched[0].Hint, r.Bases[0].URL = text, text, long, text
	return r
}

// ours are the commands that a report is made of: what stands behind the second :: is text.
var ours = regexp.MustCompile(`^::(error|warning|notice) (file=[^:]*,line=\d+,)?title=[^:,]*::`)

func TestNoFormOfAReportCommandsTheRunner(t *testing.T) {
	t.Parallel()
	forms := map[string]func(*report.Report, io.Writer) error{
		"styled": func(r *report.Report, w io.Writer) error {
			return r.WriteStyled(w, report.Style{Verbose: true, Width: 40})
		},
		"failure": (*report.Report).WriteFailure,
		"summary": func(r *report.Report, w io.Writer) error { return r.WriteSummary(w, report.MaxSummary) },
	}
	for _, name := range report.Formats() {
		forms[name] = func(r *report.Report, w io.Writer) error { return r.Write(w, name) }
	}
	for name, write := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range commands {
				var b strings.Builder
				if err := write(commanding(t, text), &b); err != nil {
					t.Fatal(err)
				}
				for line := range strings.FieldsFuncSeq(b.String(), func(c rune) bool { return c == '\n' || c == '\r' }) {
					if isCommand(line) && !(name == "github" && ours.MatchString(line)) {
						t.Errorf("%q: the runner would obey %q", text, line[:min(len(line), 200)])
						break
					}
				}
			}
		})
	}
}

// What programs read means the same as before.
func TestWhatIsGuardedReadsTheSame(t *testing.T) {
	t.Parallel()
	const text = "##[error]pwned"
	var decoded struct{ Notes []string }
	if err := json.Unmarshal([]byte(written(t, commanding(t, text), "json")), &decoded); err != nil ||
		decoded.Notes[0] != text {
		t.Errorf("notes %q, %v", decoded.Notes, err)
	}
	var sarif any
	if err := json.Unmarshal([]byte(written(t, commanding(t, text), "sarif")), &sarif); err != nil {
		t.Error(err)
	}
	var suites struct {
		Suite []struct {
			Cases []struct {
				Class string `xml:"classname,attr"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	junit := written(t, commanding(t, text), "junit")
	if err := xml.Unmarshal([]byte(junit), &suites); err != nil {
		t.Fatal(err)
	}
	for _, suite := range suites.Suite {
		for _, c := range suite.Cases {
			if c.Class == text {
				return
			}
		}
	}
	t.Errorf("no case has the class %q", text)
}

func TestLogText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "plain": "plain", "http://[::1]:80 ##\n": "http://[::1]:80 ##\n", ": :": ": :", "# #[a]": "# #[a]",
		"a\n:b:":            "a\n:b:",
		"::error::a":        `:\:error::a`,
		"a\r\n  ::error::a": "a\r\n  :\\:error::a",
		"a ##[error]":       `a ##\u005berror]`,
		"###[a":             `###\u005ba`,
		":::":               `:\::`,
		"##\x1b[0m":         "##\x1b[0m",
	} {
		if got := report.LogText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		var b strings.Builder
		w := report.LogWriter(&b)
		for i := range len(text) { // in as many writes as there may be
			if n, err := w.Write([]byte{text[i]}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if b.String() != want {
			t.Errorf("%q becomes %q byte by byte, want %q", text, b.String(), want)
		}
	}
}
