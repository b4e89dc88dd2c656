package meter

import (
	"bytes"
	"strings"
)

// help says what our metrics count, for people who read them.
var help = map[string]string{
	"understudy_build_info":                 "The version, the commit and the digest of the documents.",
	"understudy_requests_total":             "Requests by interface, operation and status.",
	"understudy_request_duration_seconds":   "Time from a request until its answer leaves.",
	"understudy_faults_total":               "Faults that were applied to requests.",
	"understudy_worlds":                     "Worlds that there are.",
	"understudy_worlds_limit":               "Worlds that there may be.",
	"understudy_memory_bytes":               "Memory that worlds and journals take.",
	"understudy_memory_limit_bytes":         "Memory that worlds and journals may take.",
	"understudy_journal_bytes":              "Memory that journals take.",
	"understudy_journal_exchanges":          "Exchanges that journals hold.",
	"understudy_watchers":                   "Clients that wait for exchanges, or follow a journal.",
	"understudy_recorded_exchanges_total":   "Exchanges that were written to the recording.",
	"understudy_unrecorded_exchanges_total": "Exchanges that could not be written to the recording.",
}

// counters lists counters whose names do not say that they are.
var counters = map[string]bool{"go_cgo_calls_count": true, "go_gc_forced_count": true}

// Describe returns metrics in Prometheus' text format with a line of TYPE before each family, and one of HELP before
// ours. The library that writes metrics adds such lines if a setting of the whole process says so, which a library
// leaves to the program, and then without help; they are replaced.
func Describe(text []byte) []byte {
	var out bytes.Buffer
	family := ""
	for line := range bytes.Lines(text) {
		if line[0] == '#' {
			continue
		}
		end := max(0, bytes.IndexAny(line, "{ "))
		if base, kind := familyOf(string(line[:end]), string(line[end:]), family); base != family {
			family = base
			if text := help[family]; text != "" {
				out.WriteString("# HELP " + family + " " + text + "\n")
			}
			out.WriteString("# TYPE " + family + " " + kind + "\n")
		}
		out.Write(line)
	}
	return out.Bytes()
}

// familyOf returns the family and the type of a line, which may be one more of the family before it.
func familyOf(name, labels, before string) (family, kind string) {
	base, isBucket := strings.CutSuffix(name, "_bucket")
	switch {
	case isBucket:
		return base, "histogram"
	case name == before+"_sum" || name == before+"_count":
		return before, ""
	case strings.HasPrefix(labels, "{quantile="):
		return name, "summary"
	case strings.HasSuffix(name, "_total") || counters[name]:
		return name, "counter"
	}
	return name, "gauge"
}
