package kinds

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// The kinds of tool targets, in the spelling of requests. That of knowledge bases is public, the others are assumed.
const (
	agentTarget         = "agent"
	knowledgeBaseTarget = "knowledge_base"
)

// creatorOf returns the user who created the target of a tool, whether the target exists, and whether its kind is
// known. A tool target has the id of the resource behind it (assumed).
func creatorOf(w *world.State, kind, uuid string) (user int64, found, known bool) {
	for _, k := range world.LLMKinds() {
		if k.Target == kind && kind != "" {
			id, _ := w.LLM.UUIDs.Get(uuid)
			row := k.Rows(&w.LLM).Get(id)
			if row == nil {
				return 0, false, true
			}
			head, _ := world.Parts(row)
			return head.CreatedBy, true, true
		}
	}
	return 0, false, false
}

// checkTarget checks the target of a new tool or variable. An agent must be the caller's own (public).
func checkTarget(c *op.Call, list string, n int, kind, uuid string) error {
	user, found, known := creatorOf(c.World, kind, uuid)
	switch {
	case !known:
		return jsonapi.Unprocessable(jsonapi.AttributeAt(list, n, "toolTargetType"), jsonapi.InvalidFormat,
			"unknown kind of tool target %q; want one such as %s",
			kind, knowledgeBaseTarget)
	case !found:
		return jsonapi.Unprocessable(jsonapi.AttributeAt(list, n, "toolTargetId"), jsonapi.InvalidFormat,
			"tool target of kind %s with id %q not found", kind, uuid)
	case kind == agentTarget && user != c.Caller.User.ID:
		return op.Forbidden("agent %s, which %s refers to, belongs to another user", uuid,
			jsonapi.AttributeAt(list, n, "toolTargetId"))
	}
	return nil
}

// setTools checks the tools that an agent did not have before, and sets the targets of all. The targets of earlier
// tools may be gone: nothing protects most of them.
func setTools(c *op.Call, before, after []world.AgentTool) error {
	var errs []error
	for i := range after {
		t := &after[i]
		had := slices.ContainsFunc(before, func(b world.AgentTool) bool {
			return b.ToolTargetID == t.ToolTargetID && b.ToolTargetType == t.ToolTargetType
		})
		if !had {
			errs = append(errs, checkTarget(c, "tools", i, t.ToolTargetType, t.ToolTargetID))
		}
		t.AgentOutputMode = cmp.Or(t.AgentOutputMode, world.ReturnOutput) // null means the default (public)
		t.TargetType, t.TargetKnowledgeBaseID, t.TargetAgentID = pascalCase(t.ToolTargetType), nil, nil
		switch t.ToolTargetType {
		case knowledgeBaseTarget:
			t.TargetKnowledgeBaseID = &t.ToolTargetID
		case agentTarget:
			t.TargetAgentID = &t.ToolTargetID
		}
	}
	return errors.Join(errs...)
}

// setVariables does the same as setTools for variables, whose knowledge base a client may send itself.
func setVariables(c *op.Call, before, after []world.AgentVariable) error {
	var errs []error
	for i := range after {
		v := &after[i]
		had := slices.ContainsFunc(before, func(b world.AgentVariable) bool {
			return b.ToolTargetID == v.ToolTargetID && b.ToolTargetType == v.ToolTargetType
		})
		if !had {
			errs = append(errs, checkTarget(c, "variables", i, v.ToolTargetType, v.ToolTargetID))
		}
		errs = append(errs, jsonapi.RequireText(jsonapi.AttributeAt("variables", i, "name"), v.Name))
		if sent := jsonapi.OrEmpty(v.TargetKnowledgeBaseID); sent != "" && sent != v.ToolTargetID {
			errs = append(errs, jsonapi.Unprocessable(jsonapi.AttributeAt("variables", i, "targetKnowledgeBaseId"),
				jsonapi.InvalidFormat,
				"want the id of the tool target, %s, or none, not %q", v.ToolTargetID, sent))
		}
		if v.TargetKnowledgeBaseID = nil; v.ToolTargetType == knowledgeBaseTarget {
			v.TargetKnowledgeBaseID = &v.ToolTargetID
		}
	}
	return errors.Join(errs...)
}

// pascalCase returns a kind of tool target in the spelling of answers: knowledge_base is KnowledgeBase.
func pascalCase(kind string) string {
	name := jsonapi.Camel(kind)
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
