package judge

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"svc.example/understudy/contract/report"
)

// judgeUndeclaredHeaders looks for headers of an answer that the document does not name for its status. An answer that
// was recorded without headers is not judged.
func (j *Judge) judgeUndeclaredHeaders(r *Result, m *message) {
	if len(m.headers) == 0 {
		r.check(UndeclaredHeader, report.Skipped)
		return
	}
	var names []string
	for _, line := range m.headers {
		if !j.standard.has(line[0]) && !declaresHeader(m.documented, line[0]) && !j.ignores(line[0]) {
			names = append(names, shownHeader(line[0]))
		}
	}
	if len(names) == 0 {
		r.check(UndeclaredHeader, report.Pass)
		return
	}
	slices.Sort(names)
	o := &judgement{}
	o.check(UndeclaredHeader, report.Fail)
	for _, name := range slices.Compact(names) {
		j.addUndeclaredHeader(o, m, name)
	}
	r.add(o.conclude())
}

// addUndeclaredHeader adds a finding on a header, without its value, which may be secret. Its fingerprint contains the
// status, since statuses may share their documentation.
func (j *Judge) addUndeclaredHeader(o *judgement, m *message, name string) {
	before := len(o.findings)
	j.addFinding(o, m, report.Finding{
		Rule: UndeclaredHeader, Severity: report.Notice, Verdict: report.Fail,
		Message: fmt.Sprintf("header %s is not documented for status %d", name, m.status),
		Pointer: join("/response/headers", name), Spec: report.Spec{Pointer: m.pointer},
	})
	for i := range o.findings[before:] {
		f := &o.findings[before+i]
		f.ID = fmt.Sprintf("%s-%d", f.ID, m.status)
	}
}

func declaresHeader(documented *documentedStatus, name string) bool {
	for _, declared := range documented.headers {
		if strings.EqualFold(declared, name) {
			return true
		}
	}
	return false
}

// headerMemo remembers whether headers are standard ones.
type headerMemo struct{ memo[string, bool] }

func (m *headerMemo) has(name string) bool {
	if is, known := m.get(name); known {
		return is
	}
	return m.put(strings.Clone(name), isStandardHeader(name))
}

// isStandardHeader reports whether a header of an answer has a meaning of its own, whatever the interface.
func isStandardHeader(name string) bool {
	isPseudo := name == "" || name[0] == ':' // of HTTP/2
	return isPseudo || standardHeaders[name] || standardHeaders[strings.ToLower(name)] ||
		slices.ContainsFunc(standardFamilies, func(prefix string) bool {
			return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
		})
}

// shownHeader returns the name of a header in one spelling, cut if it is long.
func shownHeader(name string) string {
	const longest = 100
	if len(name) > longest {
		name = name[:longest] + "…"
	}
	return http.CanonicalHeaderKey(strings.ToValidUTF8(name, "�"))
}
