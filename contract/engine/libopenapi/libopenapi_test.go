package libopenapi_test

import (
	"slices"
	"testing"

	library "github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi-validator/schema_validation"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/engine/libopenapi"
	"svc.example/understudy/specs"
)

// The documents are right by this library, too.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(specs.Interfaces(), specs.Extras(), []specs.Interface{specs.Control}) {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			source, err := specs.Source(name, specs.Neutral)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := library.NewDocument(source)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := doc.BuildV3Model(); err != nil {
				t.Error(err)
			}
			if ok, errs := schema_validation.ValidateOpenAPIDocument(doc); !ok {
				for _, err := range errs {
					t.Error(err.Message, err.Reason)
				}
			}
		})
	}
}

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
