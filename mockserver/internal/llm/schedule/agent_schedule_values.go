package schedule

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/world"
)

const valuesAttribute = "parameterValues"

// parameters returns the values of a schedule, by name.
func parameters(raw []byte) (map[string]jsontext.Value, error) {
	values := map[string]jsontext.Value{}
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat, "%v", err)
	}
	return values, nil
}

// checkFormValues requires a value for each field that the schema of a form requires (assumed).
func checkFormValues(f world.FormInterface, raw []byte) error {
	var schema struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal([]byte(f.FormJSONSchema), &schema) // any other value than a list of names requires nothing
	values, err := parameters(raw)
	if err != nil {
		return err
	}
	var lacking []string
	for _, name := range schema.Required {
		if value, ok := values[name]; !ok || value.Kind() == 'n' {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 {
		return jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat, "the form requires %s",
			strings.Join(lacking, ", "))
	}
	return nil
}

// scheduledInput returns the input that a run sends to a chat interface: the text input, or the prompt of the button
// that button_id names, by its label or by its position from 0 (assumed).
func scheduledInput(i world.ChatInterface, raw []byte) (string, error) {
	var values struct {
		Input  *string `json:"input"`
		Button *string `json:"button_id"`
	}
	if err := json.Unmarshal(raw, &values); err != nil {
		return "", jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat, "input and button_id must be strings")
	}
	if input := jsonapi.OrEmpty(values.Input); strings.TrimSpace(input) != "" {
		return input, nil
	}
	if values.Button == nil {
		return "", jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat,
			"want input, or button_id for a button of the chat interface")
	}
	for n, button := range i.ChatInterfaceButtons {
		if *values.Button == button.Label || *values.Button == strconv.Itoa(n) {
			return button.Prompt, nil
		}
	}
	return "", jsonapi.Unprocessable(valuesAttribute, jsonapi.InvalidFormat, "the chat interface has no button %q",
		*values.Button)
}
