package own_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc.example/understudy/internal/mocktest"
	"svc.example/understudy/mockserver"
	"svc.example/understudy/specs"
)

func TestOwnDocument(t *testing.T) {
	t.Parallel()
	t.Run("takes the place of ours, and how they differ is told at the start", func(t *testing.T) {
		t.Parallel()
		var log bytes.Buffer
		s := mocktest.NewServer(t, mockserver.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
			mockserver.WithSpec(specs.Workflow, mocktest.OwnWorkflow(t, "\n  /api/sessions:\n", "\n  /api/meetings:\n")))
		for _, want := range []string{"missing=\"[GET /api/sessions]\"", "extra=\"[GET /api/meetings]\""} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %s: %s", want, log.String())
			}
		}
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		mocktest.Call(t, s, "GET", "/workflow/api/sessions", "").Want(404)
		a := mocktest.Call(t, s, "GET", "/workflow/api/meetings", "").Want(501)
		if m := mocktest.Decode[mocktest.Message](a); m.Status != 501 || !strings.Contains(m.Message, "own.yaml") {
			t.Errorf("the message does not say why: %s", a.Body)
		}
	})
	t.Run("decides what is valid", func(t *testing.T) {
		t.Parallel()
		s := mocktest.NewServer(t,
			mockserver.WithSpec(specs.Workflow, mocktest.OwnWorkflow(t, "maximum: 10000", "maximum: 5")))
		rule := `{"priority":6,"poolId":"2","conditions":[{"type":"invocation_type","values":["scheduled"]}]}`
		mocktest.Call(t, s, "POST", "/workflow/api/pool_rules", rule).Want(400)
	})
	t.Run("may be OpenAPI 3.1", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "own.yaml")
		if err := os.WriteFile(file, []byte(mocktest.Modern), 0o600); err != nil {
			t.Fatal(err)
		}
		s := mocktest.NewServer(t, mockserver.WithSpec(specs.Workflow, file))
		mocktest.Call(t, s, "GET", "/workflow/api/pools", "").Want(200)
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"a","concurrencyLimit":1}`).Want(201)
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":null,"concurrencyLimit":1}`).Want(400)
		mocktest.Call(t, s, "POST", "/workflow/api/pools", `{"name":"a","concurrencyLimit":0}`).Want(400)
	})
	for name, text := range map[string]string{
		"that is no YAML":        "a: [",
		"that refers to nothing": "openapi: 3.0.3\npaths: {/a: {get: {responses: {'200': {$ref: '#/nowhere'}}}}}\n",
	} {
		t.Run(name+" is refused at the start, by its name", func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "broken.yaml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := mockserver.New(mockserver.WithSpec(specs.Workflow, file))
			if err == nil || !strings.Contains(err.Error(), "broken.yaml") {
				t.Errorf("error %v", err)
			}
		})
	}
}
