package kinds

import (
	"slices"

	"svc.example/understudy/mockserver/internal/llm/jsonapi"
	"svc.example/understudy/mockserver/internal/op"
	names "svc.example/understudy/specs/source"
)

// model is an available model, by its key (public) and its display name (assumed).
type model struct{ key, name string }

// chatModels returns the models of agents. Any other key is a retired or an unknown model.
func chatModels() []model {
	return []model{
		{"nova-pro-v1", "Nova Pro"},
		{"nova-lite-v1", "Nova Lite"},
		{"nova-micro-v1", "Nova Micro"},
		{"claude-3.5-sonnet", "Claude 3.5 Sonnet"},
		{"claude-4-sonnet", "Claude 4 Sonnet"},
		{"claude-4.5-haiku", "Claude 4.5 Haiku"},
		{"claude-4.5-sonnet", "Claude 4.5 Sonnet"},
		{"claude-4.6-sonnet", "Claude 4.6 Sonnet"},
		{"claude-4.6-opus", "Claude 4.6 Opus"},
		{"gpt-5", "GPT-5"},
		{"gpt-5-mini", "GPT-5 mini"},
		{"gpt-5-nano", "GPT-5 nano"},
		{"gpt-4.1", "GPT-4.1"},
		{"gpt-4.1-mini", "GPT-4.1 mini"},
		{"gpt-4.1-nano", "GPT-4.1 nano"},
		{"gpt-5.5", "GPT-5.5"},
	}
}

// imageModels returns the models of image generators.
func imageModels() []model { return []model{{"nova-canvas", "Nova Canvas"}} }

// requireModel refuses a key that is not that of an available model.
func requireModel(attribute, key string, models []model) error {
	if slices.ContainsFunc(models, func(m model) bool { return m.key == key }) {
		return nil
	}
	keys := make([]string, len(models))
	for i, m := range models {
		keys[i] = m.key
	}
	return jsonapi.Unprocessable(attribute, jsonapi.InvalidFormat,
		"unknown model %q; want %s; GET /api/users/current_settings lists them",
		key, names.OneOf(key, keys))
}

// GetCurrentUserSettings returns the available models by key.
func GetCurrentUserSettings(*op.Call) (op.Reply, error) {
	return jsonapi.PlainReply(map[string]any{
		"availableModels": modelMap(chatModels()), "availableImageModels": modelMap(imageModels()),
	})
}

func modelMap(models []model) map[string]any {
	byKey := map[string]any{}
	for _, m := range models {
		byKey[m.key] = map[string]string{"displayName": m.name}
	}
	return byKey
}
