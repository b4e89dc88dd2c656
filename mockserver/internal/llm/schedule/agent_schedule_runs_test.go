package schedule_test

import (
	"strings"
	"testing"
	"time"

	"svc.example/understudy/internal/jsontree"
	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/llm/llmtest"
)

// executed returns the definition of a run, as the workflow interface reads it.
func executed(s stage, id string) dig.Workflow {
	s.Helper()
	answer := s.Post("/api/agent_schedules/"+id+"/execute", "").Want(200)
	if media := answer.Header.Get("Content-Type"); media != "application/x-yaml" {
		s.Errorf("Content-Type is %s", media)
	}
	workflow, err := dig.ReadDefinition("run.dig", []byte(answer.Body))
	if err != nil {
		s.Fatalf("%v:\n%s", err, answer.Body)
	}
	return workflow
}

func callBack(s stage, id, body string) mocktest.Answer {
	s.Helper()
	return s.Post("/api/agent_schedules/"+id+"/callback", body)
}

func wantConfig(t *testing.T, w dig.Workflow, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := jsontree.Find(w.Config, pairs[i]).Text(); got != pairs[i+1] {
			t.Errorf("%s is %q, want %q: %s", pairs[i], got, pairs[i+1], w.Config)
		}
	}
}

func TestExecute(t *testing.T) {
	t.Parallel()
	t.Run("a run creates a chat, continues it and calls back", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		id := s.Schedule()
		w := executed(s, id)
		var tasks []string
		for _, task := range w.Tasks[1:] {
			tasks = append(tasks, task.Name+" "+task.Operator)
		}
		if got := strings.Join(tasks, ", "); got != "+run+create_chat http, +run+continue_chat http, +run+call_back http" {
			t.Errorf("tasks are %s", got)
		}
		const base = "http://localhost/llm/api/"
		wantConfig(
			t,
			w,
			"timezone",
			"Asia/Tokyo",
			`+create_chat.http>`,
			base+"chats",
			"+create_chat.store_content",
			"true",
			"+create_chat.content.data.attributes.agentId",
			s.Agent,
			"+create_chat.content.data.attributes.chatInterfaceId",
			s.Chat,
			"+continue_chat.http>",
			base+"chats/${JSON.parse(http.last_content).data.id}/continue",
			"+continue_chat.content.input",
			"Summarize.",
			"+call_back.http>",
			base+"agent_schedules/"+id+"/callback",
			"+call_back.content.status",
			"success",
			"_error.content.status",
			"failure",
			"_export.headers.0.authorization",
			"SVC1 ${secret:svc.apikey}",
		)
		s.GetSchedule(id).Wants("data.attributes.executionCount", "0")
	})
	t.Run("its requests are ones that the interface takes", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		id := s.Schedule()
		w := executed(s, id)
		chat := s.Post("/api/chats", jsontree.Find(w.Config, "+create_chat.content").Raw()).Want(201).Value("data.id").Text()
		s.Post("/api/chats/"+chat+"/continue", jsontree.Find(w.Config, "+continue_chat.content").Raw()).Want(200)
		callBack(s, id, jsontree.Find(w.Config, "+call_back.content").Raw()).Want(200)
	})
	t.Run("a button gives its prompt", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		wantConfig(
			t,
			executed(s, s.Schedule("parameterValues", `{"button_id":"Sales"}`)),
			"+continue_chat.content.input",
			"Sum up the sales.",
		)
		wantConfig(
			t,
			executed(s, s.Schedule("parameterValues", `{"button_id":"0"}`)),
			"+continue_chat.content.input",
			"Sum up the sales.",
		)
	})
	t.Run("a form gives its values and files", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		text := llmtest.Make(s.Client, "text_resources", `{"name":"House style","description":null,"text":"Be brief."}`)
		w := executed(s, s.Schedule(
			"chatInterfaceId",
			"null",
			"formInterfaceId",
			quote(s.Form),
			"textResourceId",
			quote(text),
			"parameterValues",
			`{"topic":"sales: \"all\"","files":[{"binaryBase64":"aGk=","contentType":"text/plain"}],"tags":["a","b"],"none":null}`,
		))
		wantConfig(
			t,
			w,
			"+create_chat.content.data.attributes.formInterfaceId",
			s.Form,
			"+create_chat.content.data.attributes.textResourceId",
			text,
			"+continue_chat.content.inputParams.topic",
			`sales: "all"`,
			"+continue_chat.content.inputParams.tags",
			`["a","b"]`,
			"+continue_chat.content.inputParams.files",
			"",
			"+continue_chat.content.attachments.0.inputFieldName",
			"files",
		)
	})
	t.Run("a run that has lost its button fails", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		id := s.Schedule("parameterValues", `{"button_id":"Sales"}`)
		llmtest.Patch(s.Client, "chat_interfaces", s.Chat, `{"chatInterfaceButtons":[]}`).Want(200)
		w := executed(s, id)
		wantConfig(t, w, "_error.content.status", "failure")
		if len(w.Tasks) != 2 || w.Tasks[1].Operator != "fail" {
			t.Errorf("tasks are %v, want one that fails", w.Tasks)
		}
	})
	t.Run("past the end it only logs, and the schedule is disabled", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		id := s.Schedule("endAt", `"2026-01-20"`)
		s.Advance(5*24*time.Hour + 5*time.Hour) // 2026-01-20 14:30 UTC, 23:30 in Tokyo
		if n := len(executed(s, id).Tasks); n != 4 {
			t.Errorf("on its last day it has %d tasks, want 4", n)
		}
		s.Advance(time.Hour)
		w := executed(s, id)
		if len(w.Tasks) != 2 || w.Tasks[1].Operator != "echo" {
			t.Errorf("tasks are %v, want one that logs", w.Tasks)
		}
		project := s.GetSchedule(id).Wants("data.attributes.status",
			"disabled").Value("data.attributes.workflowProjectId").Text()
		s.At("workflow").Get("/api/projects/"+project+"/schedules").Want(200).Wants("schedules.#", "0")
		llmtest.Patch(
			s.Client,
			"agent_schedules",
			id,
			`{"endAt":"2026-02-20"}`,
		).Want(200).
			Wants("data.attributes.status", "active")
		s.At("workflow").Get("/api/projects/"+project+"/schedules").Want(200).Wants("schedules.#", "1")
	})
	t.Run("what cannot be executed", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.Post("/api/agent_schedules/"+llmtest.NoID+"/execute", "").Want(404).Wants("status", "404")
		s.Post("/api/agent_schedules/"+llmtest.NoID+"/execute", "[]").Refused(400)
		llmtest.RefusesText(s.Client, "POST", "/api/agent_schedules/"+llmtest.NoID+"/execute")
	})
}

func TestCallback(t *testing.T) {
	t.Parallel()
	const runs = "data.attributes."
	t.Run("it reports how a run has ended", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		id := s.Schedule()
		s.Advance(time.Minute)
		if body := callBack(s, id,
			`{"session_id":"5","attempt_id":"7","status":"success","executed_at":"2026-01-15T18:30:12+09:00"}`).Want(
			200).Body; len(
			body,
		) > 0 {
			t.Errorf("the answer has a body: %s", body)
		}
		s.GetSchedule(id).Wants(runs+"workflowSessionId", "5", runs+"workflowAttemptId", "7", runs+"lastRunStatus", "success",
			runs+"lastExecutedAt", "2026-01-15T09:30:12.000Z", runs+"executionCount", "1", runs+"lastRunErrorMessage", "",
			runs+"status", "active", runs+"updatedAt", "2026-01-15T09:30:00.000Z")
		callBack(s, id, "session_id=6&attempt_id=8&status=failure&error_message=no+luck").Want(200)
		s.GetSchedule(id).Wants(runs+"workflowSessionId", "6", runs+"lastRunStatus", "failure", runs+"lastRunErrorMessage",
			"no luck",
			runs+"lastExecutedAt", "2026-01-15T09:31:00.000Z", runs+"executionCount", "2")
		callBack(s, id, `{"session_id":"7","attempt_id":"9","status":"unknown"}`).Want(200)
		s.GetSchedule(id).Wants(runs+"lastRunStatus", "", runs+"lastRunErrorMessage", "", runs+"executionCount", "3")
	})
	t.Run("past the end it disables the schedule, after a failure too", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		id := s.Schedule("repeatUnit", `"no_repeat"`, "timezone", `"UTC"`)
		s.Advance(24 * time.Hour)
		callBack(s, id, `{"session_id":"5","attempt_id":"7","status":"success"}`).Want(200)
		s.GetSchedule(id).Wants(runs+"status", "active")
		s.Advance(24 * time.Hour)
		callBack(s, id, `{"session_id":"5","attempt_id":"8","status":"failure"}`).Want(200)
		project := s.GetSchedule(id).
			Wants(runs+"status", "disabled", runs+"executionCount", "2").
			Value(runs + "workflowProjectId").
			Text()
		s.At("workflow").Get("/api/projects/"+project+"/schedules").Want(200).Wants("schedules.#", "0")
	})
	t.Run("what it refuses", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		id := s.Schedule()
		callBack(s, id, `{"session_id":"5","attempt_id":"7"}`).Refused(400, "status")
		callBack(s, id, `{"session_id":"5","attempt_id":"7","status":"fine"}`).Refused(400, "status")
		callBack(s, id, `{"session_id":"5","attempt_id":"7","status":"success","executed_at":"today"}`).
			Refused(400, "executed_at")
		callBack(s, llmtest.NoID, `{"session_id":"5","attempt_id":"7","status":"success"}`).Want(404).Wants("status", "404")
		llmtest.RefusesText(s.Client, "POST", "/api/agent_schedules/"+id+"/callback")
		s.GetSchedule(id).Wants(runs+"executionCount", "0")
	})
}
