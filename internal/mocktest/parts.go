package mocktest

import (
	"slices"
	"strings"

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

// interfaceOf returns the interface of a package, such as core/jobs.
func interfaceOf(part string) specs.Interface {
	iface, _, _ := strings.Cut(part, "/")
	return specs.Interface(iface)
}

// Answers reports whether a package, such as core/jobs, answers for an operation.
func Answers(part string, operation *specs.Operation) bool { return part == ownerOf(operation) }

// ownerOf returns the package that answers for an operation: the only one of its interface, or the one that names it,
// else the one that names its tag, or the empty text if there is none.
func ownerOf(operation *specs.Operation) (owner string) {
	if parts[operation.Interface] == nil {
		return string(operation.Interface)
	}
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
