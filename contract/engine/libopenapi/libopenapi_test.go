package libopenapi_test

import (
	"testing"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/engine/libopenapi"
)

// A schema that the library cannot compile says nothing about a message.
func TestASchemaThatCannotBeCompiled(t *testing.T) {
	t.Parallel()
	for pattern, canCompile := range map[string]bool{"^[a-z]+$": true, "^(?!x)": false} {
		s, err := libopenapi.New().Load(engine.Operation{
			Method: "GET", Template: "/a", Source: []byte(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":` +
				`{"/a":{"get":{"responses":{"200":{"description":"x","content":{"application/json":{"schema":{"type":"string",` +
				`"pattern":"` + pattern + `"}}}}}}}}}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time, it may be known
			faults, err := s.ResponseBody(200, "application/json", []byte(`"7"`))
			if (err == nil) != canCompile || (len(faults) > 0) != canCompile {
				t.Errorf("%s: faults %v, error %v", pattern, faults, err)
			}
		}
	}
}
