package mocktest

import (
	"fmt"
	"slices"
	"testing"

	"svc.example/understudy/specs"
)

// parts are the packages of an interface that is not one package, each with the tags of the operations whose answers
// its own tests must have seen.
var parts = map[string]map[string][]string{
	specs.Core: {
		"core": {"System", "Account"},
		"core/access": {
			"Access Control - Permissions", "Access Control - Policies", "Access Control - Policy Groups",
			"Access Control - Users", "OAuth Tokens", "Policy Group Tags", "Sub Users", "Users",
		},
		"core/bulkload": {"Bulk loads"},
		"core/data":     {"Bulk imports", "Connections", "Databases", "Imports", "Restrictions", "Tables"},
		"core/jobs":     {"Jobs", "Schedules"},
	},
}

// MainOf is Main for one of the packages of an interface, such as core/jobs: it answers for the operations of its tags.
// It fails as well when an operation has a tag that no package of the interface answers for.
func MainOf(m *testing.M, iface, part string, except ...string) int {
	return run(m, func() []string {
		doc, err := specs.Load(iface, "")
		if err != nil {
			return []string{err.Error()}
		}
		return append(untested(iface, doc), unseen(doc, except, func(operation *specs.Operation) bool {
			return Answers(part, operation)
		})...)
	})
}

// Answers reports whether a package, such as core/jobs, answers for an operation.
func Answers(part string, operation *specs.Operation) bool {
	return slices.Contains(parts[operation.Interface][part], tag(operation))
}

// untested returns the operations that no package of an interface answers for.
func untested(iface string, doc *specs.Document) (missing []string) {
	for _, operation := range doc.All() {
		known := false
		for _, tags := range parts[iface] {
			known = known || slices.Contains(tags, tag(operation))
		}
		if !known {
			missing = append(missing, fmt.Sprintf("%s: no package answers for the tag %q", operation.ID, tag(operation)))
		}
	}
	return missing
}

func tag(operation *specs.Operation) string {
	if len(operation.Spec.Tags) == 0 {
		return ""
	}
	return operation.Spec.Tags[0]
}
