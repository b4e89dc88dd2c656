package schedule

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// run is the definition of one run, in the order of its tasks.
type run struct {
	Timezone string   `yaml:"timezone"`
	Export   exported `yaml:"_export"`
	Error    httpTask `yaml:"_error"`
	Create   httpTask `yaml:"+create_chat"`
	Continue httpTask `yaml:"+continue_chat"`
	CallBack httpTask `yaml:"+call_back"`
}

type exported struct {
	Headers []map[string]string `yaml:"headers"`
}

// httpTask is a task that makes an HTTP request.
type httpTask struct {
	Address string `yaml:"http>"`
	Method  string `yaml:"method"`
	Store   bool   `yaml:"store_content,omitempty"`
	Content any    `yaml:"content"`
}

// loggingRun is a definition that only logs, and failingRun is one that only fails.
type (
	loggingRun struct {
		Timezone string            `yaml:"timezone"`
		Log      map[string]string `yaml:"+log"`
	}
	failingRun struct {
		Timezone string            `yaml:"timezone"`
		Export   exported          `yaml:"_export"`
		Error    httpTask          `yaml:"_error"`
		Fail     map[string]string `yaml:"+fail"`
	}
)

// newRun returns the definition of one run, which fails if the chat interface no longer has what the schedule uses.
func newRun(c *op.Call, r world.Resource[world.AgentSchedule]) any {
	a := r.Attributes
	content, err := runInput(c.World, a)
	if err != nil {
		return failingRun{
			a.Timezone,
			exported{authorization(c)},
			callbackTask(c, r, "failure"),
			map[string]string{"fail>": err.Error()},
		}
	}
	attributes := map[string]any{"agentId": a.AgentID}
	for name, id := range map[string]*string{
		"formInterfaceId": a.FormInterfaceID, "chatInterfaceId": a.ChatInterfaceID, "textResourceId": a.TextResourceID,
	} {
		if id != nil {
			attributes[name] = *id
		}
	}
	return run{
		Timezone: a.Timezone,
		Export:   exported{authorization(c)},
		Error:    callbackTask(c, r, "failure"),
		Create: httpTask{
			Address: c.Base + "/api/chats", Method: "POST", Store: true,
			Content: map[string]any{"data": map[string]any{"type": "chats", "attributes": attributes}},
		},
		Continue: httpTask{
			Address: c.Base + "/api/chats/${JSON.parse(http.last_content).data.id}/continue", Method: "POST",
			Content: content,
		},
		CallBack: callbackTask(c, r, "success"),
	}
}

func callbackTask(c *op.Call, r world.Resource[world.AgentSchedule], status string) httpTask {
	content := map[string]any{"session_id": "${session_id}", "attempt_id": "${attempt_id}", "status": status}
	if status == "failure" {
		content["error_message"] = "${error.message}"
	}
	return httpTask{Address: scheduleURL(c, r.UUID) + "/callback", Method: "POST", Content: content}
}

// runInput returns the body that continues the chat: the input of a chat interface, or the values of a form, with their
// files separate.
func runInput(w *world.State, a world.AgentSchedule) (map[string]any, error) {
	if a.ChatInterfaceID != nil {
		chat, _ := jsonapi.Find(w, *a.ChatInterfaceID, &w.LLM.ChatInterfaces)
		input, err := scheduledInput(chat.Attributes, a.ParameterValues)
		return map[string]any{"input": input}, err
	}
	values, err := parameters(a.ParameterValues)
	if err != nil {
		return nil, err
	}
	params, files := map[string]any{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if attached := filesIn(name, values[name]); attached != nil {
			files = append(files, attached...)
			continue
		}
		var value any
		if err := json.Unmarshal(values[name], &value); err != nil {
			return nil, err
		}
		params[name] = value
	}
	content := map[string]any{"inputParams": params}
	if len(files) > 0 {
		content["attachments"] = files
	}
	return content, nil
}

// filesIn returns the files if a value is a list of files, or nil.
func filesIn(field string, value jsontext.Value) []any {
	var list []world.Attachment
	if value.Kind() != '[' || json.Unmarshal(value, &list) != nil {
		return nil
	}
	var files []any
	for _, file := range list {
		files = append(files, map[string]any{
			"binaryBase64": file.BinaryBase64, "contentType": file.ContentType, "inputFieldName": field,
		})
	}
	return files
}
