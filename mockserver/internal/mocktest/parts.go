package mocktest

import (
	"fmt"
	"slices"
	"testing"

	"svc.example/understudy/specs"
)

// parts lists the packages of an interface that has several, each with the operations whose answers its own tests must
// have seen: by their tags or, with precedence, by their ids.
var parts = map[specs.Interface]map[string][]string{
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
	specs.LLM: {
		"llm/chat": {"Artifact", "Chat", "ChatAttachment", "runActionChatapp"},
		"llm/kinds": {
			"Action", "Agent", "ChatInterface", "FormInterface", "ImageGenerator", "Integration",
			"PresentationArtifactTool",
			"Project", "Prompt", "TextResource", "ToolTarget", "User", "WebSearchTool", "WorkflowExecutor",
		},
		"llm/knowledge":   {"DatastoreQueryTool", "KnowledgeBase", "TextKnowledgeBase"},
		"llm/schedule":    {"AgentSchedule"},
		"llm/segmentrule": {"Util"},
	},
}

// MainOf does the same as Main for one of the packages of an interface, such as core/jobs, and only for its own
// operations. It also fails if the interface has an operation that no package answers for.
func MainOf(m *testing.M, iface, part string, except ...string) int {
	return runTests(m, func() []string {
		doc, err := specs.Load(specs.Interface(iface), "")
		if err != nil {
			return []string{err.Error()}
		}
		return append(untested(doc), unseenAnswers(doc, except, func(operation *specs.Operation) bool {
			return Answers(part, operation)
		})...)
	})
}

// Answers reports whether a package, such as core/jobs, answers for an operation.
func Answers(part string, operation *specs.Operation) bool { return part == ownerOf(operation) }

// untested returns the operations that no package of an interface answers for.
func untested(doc *specs.Document) (missing []string) {
	for _, operation := range doc.All() {
		if ownerOf(operation) == "" {
			missing = append(missing, fmt.Sprintf("%s: no package covers its tags %q", operation.ID,
				operation.Spec.Tags))
		}
	}
	return missing
}

// ownerOf returns the package that answers for an operation: the one that names it, else the one that names its tag, or
// the empty text if there is none.
func ownerOf(operation *specs.Operation) (owner string) {
	for part, names := range parts[operation.Interface] {
		if slices.Contains(names, operation.ID) {
			return part
		}
		if slices.ContainsFunc(operation.Spec.Tags, func(tag string) bool { return slices.Contains(names, tag) }) {
			owner = part
		}
	}
	return owner
}
