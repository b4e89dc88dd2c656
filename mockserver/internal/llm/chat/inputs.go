package chat

import (
	"fmt"
	"maps"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/llm/kinds"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/mockserver/internal/world"
)

// maxAttachments is the largest number of files of one input (assumed).
const maxAttachments = 10

// chatInput is the input of a user, as it was sent.
type chatInput struct {
	Input       *string                   `json:"input"`
	Params      map[string]jsontext.Value `json:"inputParams"`
	Attachments []world.Attachment        `json:"attachments"`
}

// unusableInput returns a refusal of an input with 422, with one detail for each fault.
func unusableInput(message string, details ...string) error {
	e := &op.Error{Code: op.CodeUnprocessable, Message: message}
	if len(details) > 0 {
		e.Details = map[string]any{"details": details}
	}
	return e
}

// text returns the text of an input: as it was sent, or the template of the chat filled with its values. A chat with a
// template may begin with the values that it was started with (assumed).
func (in chatInput) text(w *world.State, chat world.Chat, begun bool) (string, error) {
	template, has := templateOf(w, chat)
	switch {
	case in.Input != nil && in.Params != nil:
		return "", unusableInput("input and inputParams cannot be combined",
			"inputParams: want only one of input and inputParams")
	case in.Input != nil && strings.TrimSpace(*in.Input) == "":
		return "", unusableInput("the input is missing", "input: can't be blank")
	case in.Input != nil:
		return *in.Input, nil
	case in.Params != nil && !has:
		return "", unusableInput("the chat has no template",
			"inputParams: only a chat that was started from a form interface or "+
				"a prompt accepts them; want input")
	case in.Params == nil && (!has || begun):
		return "", unusableInput("the input is missing", "input: want it, or inputParams where the chat has a template")
	}
	values := map[string]jsontext.Value{}
	if chat.InputParameters != nil {
		if err := json.Unmarshal([]byte(*chat.InputParameters), &values); err != nil {
			return "", err
		}
	}
	maps.Copy(values, in.Params)
	return fillTemplate(template, values)
}

// templateOf returns the template that a chat was started with, and whether there is one.
func templateOf(w *world.State, chat world.Chat) (string, bool) {
	if form, ok := jsonapi.Find(w, jsonapi.OrEmpty(chat.FormInterfaceID), &w.LLM.FormInterfaces); ok {
		return form.Attributes.PromptTemplate, true
	}
	prompt, ok := jsonapi.Find(w, jsonapi.OrEmpty(chat.PromptID), &w.LLM.Prompts)
	return prompt.Attributes.Template, ok
}

// fillTemplate replaces the {{names}} of a template by values: texts as they are, null by nothing, and other values as
// JSON. Every name needs a value.
func fillTemplate(template string, values map[string]jsontext.Value) (string, error) {
	var lacking []string
	filled := kinds.Placeholder.ReplaceAllStringFunc(template, func(field string) string {
		name := kinds.Placeholder.FindStringSubmatch(field)[1]
		value, ok := values[name]
		var words string
		switch {
		case !ok:
			lacking = append(lacking, fmt.Sprintf("inputParams.%s: is missing", name))
		case value.Kind() == 'n':
		case json.Unmarshal(value, &words) == nil:
			return words
		default:
			return string(value)
		}
		return ""
	})
	if len(lacking) > 0 {
		return "", unusableInput("values for the template are missing", lacking...)
	}
	return filled, nil
}

// files returns the contents of the attachments of an input. The limit also counts the drafts that wait for it.
func (in chatInput) files(waiting int) ([][]byte, error) {
	if n := waiting + len(in.Attachments); n > maxAttachments {
		return nil, unusableInput("too many attachments",
			fmt.Sprintf("attachments: want at most %d, not %d, of which %d were added "+
				"to the chat before", maxAttachments, n, waiting))
	}
	contents := make([][]byte, len(in.Attachments))
	var wrong []string
	for i, file := range in.Attachments {
		content, faults := readFile(file)
		contents[i] = content
		for _, f := range faults {
			wrong = append(wrong, jsonapi.AttributeAt("attachments", i, f.member)+": "+f.reason)
		}
	}
	if len(wrong) > 0 {
		return nil, unusableInput("attachments cannot be read", wrong...)
	}
	return contents, nil
}
