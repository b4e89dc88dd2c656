package judge

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// judgeHeaders judges the documented headers of a response. They are judged apart from its body, since the engine would
// report only one of the two.
func (j *Judge) judgeHeaders(r *Result, m *message) {
	if len(m.documented.Headers) == 0 {
		return
	}
	values := headerOf(m.headers)
	o := &judgement{}
	var faults []fault
	for _, name := range slices.Sorted(maps.Keys(m.documented.Headers)) {
		ref := m.documented.Headers[name]
		if ref.Value != nil && !strings.EqualFold(name, "Content-Type") && !isHop(name, values) && !j.ignores(name) {
			faults = append(faults, j.kinOnHeader(name, ref.Value, values, join(m.pointer, "headers", name))...)
		}
	}
	results := engineResults{
		kin: faultList{list: faults}, pointer: m.pointer + "/headers", instance: "/response/headers",
		found: func(path []string) string { return j.foundHeader(m, path[0]) },
	}
	j.addFaults(o, m, results, j.compareEngines(m, results))
	r.add(o.conclude())
}

// isHop reports whether a header is missing that concerns a single connection: proxies remove it, and newer versions of
// the protocol do not have it.
func isHop(name string, values http.Header) bool {
	return strings.EqualFold(name, "Connection") && values.Get(name) == ""
}
