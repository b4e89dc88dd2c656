package rule_test

import (
	"strings"
	"testing"

	"svc.example/understudy/contract/internal/rule"
)

const (
	uuid = "5dd290e9-2766-453c-8b7f-77e8f8d2b920"
	home = "501cce9d-3fdb-4258-9466-616fec7a75ef" // a project
)

// Kinds of the LLM interface have the same operations; some have no list, and one no change.
func TestUseAfterDeleteOfLLM(t *testing.T) {
	t.Parallel()
	for kind, path := range map[string]string{
		"agents": "agents", "agentSchedules": "agent_schedules", "chatAttachments": "chat_attachments",
		"chatInterfaces": "chat_interfaces", "formInterfaces": "form_interfaces", "integrations": "integrations",
		"knowledgeBases": "knowledge_bases", "projects": "projects", "prompts": "prompts",
		"textResources": "text_resources", "imageGenerators": "image_generators -", "webSearchTools": "web_search_tools -",
		"datastoreQueryTools": "datastore_query_tools -", "textKnowledgeBases": "text_knowledge_bases -",
		"presentationArtifactTools": "presentation_artifact_tools -",
	} {
		path, _, isUnlisted := strings.Cut(path, " ")
		all := "llm:/" + path
		one := all + "/" + uuid
		gone := "DELETE " + one + " => 204\n"
		item := "{res " + kind + " " + uuid + "}"
		document := ` => 200 {"data":` + item + "}\n"
		cases := map[string]ruleCase{
			"not found": {gone + "GET " + one + " => 404", []string{"pass ×1"}},
			"read":      {gone + "GET " + one + document, []string{"fail 1 2"}},
			"made, deleted and read": {
				"POST " + all + ` {} => 201 {"data":` + item + "}\n" + gone + "GET " + one + document,
				[]string{"fail 1 2 3"},
			},
			"deleted twice":            {gone + gone, nil},
			"deleted twice, not found": {gone + "DELETE " + one + " => 404", []string{"pass ×1"}},
			"the deletion was refused": {"DELETE " + one + " => 422\nGET " + one + document, nil},
			"the deletion went unseen": {"DELETE " + one + " => 0\nGET " + one + document, []string{"inconclusive 1 2"}},
			"refused before":           {gone + "GET " + one + " => 401", nil},
			"at the same time":         {"1-5 " + gone + "2-3 GET " + one + document, nil},
			"of an unknown history":    {"GET " + one + document, nil},
			"another one": {
				gone + "GET " + all + `/` + home + ` => 200 {"data":{res ` + kind + " " + home + "}}",
				nil,
			},
		}
		if kind != "chatAttachments" {
			cases["changed"] = ruleCase{gone + "PATCH " + one + " {}" + document, []string{"fail 1 2"}}
		}
		if !isUnlisted {
			list := gone + "GET " + all
			cases["listed"] = ruleCase{list + ` => 200 {"data":[` + item + `],"meta":{"total":1}}`, []string{"fail 1 2"}}
			cases["not listed"] = ruleCase{list + ` => 200 {"data":[],"meta":{"total":0}}`, []string{"pass ×1"}}
			cases["not on one page of several"] = ruleCase{list + ` => 200 {"data":[],"meta":{"total":3}}`, nil}
			cases["not in a part of the list"] = ruleCase{list + `?filter[name]=x => 200 {"data":[],"meta":{"total":0}}`, nil}
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			runRule(t, rule.UseAfterDelete, cases)
		})
	}
}

// What belonged to something is gone with it.
func TestParts(t *testing.T) {
	t.Parallel()
	const (
		gone   = "DELETE llm:/projects/" + home + " => 204\n"
		agent  = "GET llm:/agents/" + uuid + ` => 200 {"data":{res agents ` + uuid + " projectId=" + home + "}}\n"
		absent = "GET llm:/agents/" + uuid + " => 404\n"
		tool   = "DELETE llm:/knowledge_bases/" + uuid + " => 204\n"
		hook   = "DELETE llm:/integrations/" + uuid + " => 204\n"
		action = "15ef3a3b-ca2b-494d-a34e-614facd3d1de"
		listed = `GET llm:/actions => 200 {"data":[{res actions ` + action + " integrationId=" + uuid + "}]}\n"
	)
	runRule(t, rule.UseAfterDelete, map[string]ruleCase{
		"an agent of a project is not found": {agent + gone + absent, []string{"pass ×1"}},
		"an agent of a project is read":      {agent + gone + agent, []string{"fail 2 3"}},
		"a schedule of a project is executed": {strings.ReplaceAll(strings.Replace(agent, "/agents",
			"/agent_schedules", 1), " agents", " agentSchedules") + gone + "POST llm:/agent_schedules/" + uuid +
			"/execute => 200 {}", []string{"fail 1 2 3"}},
		"an agent of a project is listed": {gone + `GET llm:/agents => 200 {"data":[{res agents ` + uuid +
			" projectId=" + home + "}]}", []string{"fail 1 2"}},
		"an agent moved to another project before": {agent + "PATCH llm:/agents/" + uuid +
			` {} => 200 {"data":{res agents ` + uuid + " projectId=" + uuid + "}}\n" + gone + "GET llm:/agents/" + uuid +
			` => 200 {"data":{res agents ` + uuid + " projectId=" + uuid + "}}", nil},
		"an agent whose project is not known": {gone + absent, nil},
		"the project was not deleted":         {agent + "DELETE llm:/projects/" + home + " => 403\n" + agent, nil},
		"an agent is read at the same time":   {"1-1 " + agent + "2-5 " + gone + "3-4 " + agent, nil},
		"an agent is made in a deleted project": {gone + `POST llm:/agents {"data":{"attributes":{"projectId":"` + home +
			`"}}} => 201 {"data":{res agents ` + uuid + " projectId=" + home + "}}\n" + agent, []string{"fail 1 2"}},
		"an agent is not made in a deleted project": {gone + `POST llm:/agents {"data":{"attributes":{"projectId":"` + home +
			`"}}} => 422`, []string{"pass ×1"}},
		"a text resource belongs to no project": {gone + "GET llm:/text_resources/" + uuid +
			` => 200 {"data":{res textResources ` + uuid + "}}", nil},
		"a deleted project is included": {gone +
			`GET llm:/agent_schedules => 200 {"data":[],"included":[{res projects ` + home + "}]}", []string{"fail 1 2"}},
		"the target of a deleted tool is read": {tool + "GET llm:/tool_targets/" + uuid +
			` => 200 {"data":{res knowledgeBaseToolTargets ` + uuid + "}}", []string{"fail 1 2"}},
		"the target of another tool is read": {tool + "GET llm:/tool_targets/" + uuid +
			` => 200 {"data":{res textKnowledgeBaseToolTargets ` + uuid + "}}", nil},
		"the target of a deleted tool is listed": {strings.Replace(tool, "knowledge_bases", "web_search_tools", 1) +
			`GET llm:/tool_targets => 200 {"data":[{res webSearchToolTargets ` + uuid + "}]}", []string{"fail 1 2"}},
		"an action of a deleted integration": {hook + listed, []string{"fail 1 2"}},
		"an action of a deleted integration is run": {
			listed + hook + "POST llm:/actions/" + action + "/chatapp => 200 {}",
			[]string{"fail 1 2 3"},
		},
		"an action of a deleted integration is gone": {
			listed + hook + "POST llm:/actions/" + action + "/chatapp => 404",
			[]string{"pass ×1"},
		},
		"a schedule of a deleted project": {"DELETE /projects/101 => 200 {project 101}\n" +
			`GET /schedules => 200 {"schedules":[{plan 31 101}]}`, []string{"fail 1 2"}},
		"a chat outlives its project": {gone + "GET llm:/chats/" + uuid + ` => 200 {"data":{res chats ` + uuid +
			" projectId=" + home + "}}", nil},
	})
}
