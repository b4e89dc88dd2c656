package accept_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/specs"
)

// BenchmarkAccepts holds a body with alternatives against its schema: as it was sent, and decoded first.
func BenchmarkAccepts(b *testing.B) {
	doc, err := specs.Load("workflow", specs.Neutral)
	if err != nil {
		b.Fatal(err)
	}
	body := []byte(`{"priority":100,"poolId":"1","conditions":[{"type":"project_name","operator":"starts_with","values":["p"]}]}`)
	schema := doc.Find("POST", "/api/pool_rules").Operation.Spec.RequestBody.Value.Content["application/json"].Schema.Value
	tree := accept.Compile(schema, accept.Request)
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !tree.AcceptsText(body) {
				b.Fatal("it is refused")
			}
		}
	})
	b.Run("decoded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var value any
			if err := json.Unmarshal(body, &value); err != nil || !tree.Accepts(value) {
				b.Fatal("it is refused", err)
			}
		}
	})
}
