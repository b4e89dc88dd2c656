package main

import (
	"net/http"
	"os"
	"testing"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/engine/process"
)

const asChild = "UNDERSTUDY_TEST_ENGINE"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The library logs to standard output, which is where the client expects answers.
func TestNothingButAnswersStandsOnStandardOutput(t *testing.T) {
	t.Setenv(asChild, "1")
	e := process.New(t.Context(), process.Config{Path: os.Args[0], Name: engine.Libopenapi})
	defer e.Close()
	for name, schema := range map[string]string{
		"a reference below an extension":  `{"type":"object","x-anyOf":[{"$ref":"#/components/schemas/Q"}]}`,
		"a reference into nowhere":        `{"$ref":"#/components/schemas/None"}`,
		"a reference with escapes":        `{"$ref":"#/paths/~1a~1%7Bid%7D/get/responses/200/content/application~1json/schema"}`,
		"a reference that leads to it":    `{"$ref":"#/components/schemas/Self"}`,
		"a reference to a file":           `{"$ref":"none.yaml#/a"}`,
		"a reference in a list, likewise": `{"type":"array","items":{"$ref":"#/components/none/Q"}}`,
	} {
		source := `{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{"responses":{"200":{"description":"a",` +
			`"content":{"application/json":{"schema":` + schema + `}}}}}}},"components":{"schemas":{"Self":{"$ref":"#/components/schemas/Self"}}}}`
		s, err := e.Load(engine.Operation{Method: http.MethodGet, Template: "/x", Source: []byte(source)})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = s.ResponseBody(http.StatusOK, "application/json", []byte(`{"a":1}`)) // of which it may say what it wants
		if trouble := e.About().Failure; trouble != "" {
			t.Errorf("%s: %s", name, trouble)
		}
	}
}
