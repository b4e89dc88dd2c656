package own_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"svc.example/understudy/mockserver"
)

const errorDocument = `openapi: 3.0.3
info: {title: Errors, version: "1"}
servers: [{url: https://api.shop.example/v1}]
paths:
  /things:
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name], properties:
        {name: {type: string, minLength: 1}, size: {type: object, properties: {width: {type: integer}}}}}}}}
      responses:
        "201": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}
        "400": {$ref: "#/components/responses/Error"}
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      responses:
        "200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}
        "404": {$ref: "#/components/responses/Error"}
components:
  responses: {Error: {description: wrong, content: {application/json: %s}}}
  schemas:
    Thing: {type: object, properties: {id: {type: string}, name: {type: string}}}
`

// Whatever the form of errors, they say what is wrong where it has room for that, and fit the document.
func TestOwnErrorForms(t *testing.T) {
	t.Parallel()
	const (
		name, width = `want 1 or more characters, not 0: \"\"`, "value must be an integer"
		both        = "name: " + name + "; size.width: " + width
		none        = "thing with id 9 not found"
		now         = `"2026-01-15T09:30:00Z"`
		texts       = `{type: array, items: {type: string}}`
	)
	for form, test := range map[string]struct{ media, invalid, notFound string }{
		"messages by field": {
			`{schema: {type: object, required: [errors], properties: {errors: {type: object, additionalProperties: ` + texts + `}}}}`,
			`{"errors":{"name":["` + name + `"],"size.width":["` + width + `"]}}`,
			`{"errors":{"base":["` + none + `"]}}`,
		},
		"messages by field beside one": {
			`{schema: {type: object, required: [message], properties: {message: {type: string}, errors: {type: object, additionalProperties: ` +
				texts + `}}}}`,
			`{"errors":{"name":["` + name + `"],"size.width":["` + width + `"]},"message":"` + both + `"}`,
			`{"message":"` + none + `"}`,
		},
		"one message by field": {
			`{schema: {type: object, properties: {errors: {type: object, additionalProperties: {type: string}}}}}`,
			`{"errors":{"name":"` + name + `","size.width":"` + width + `"}}`,
			`{"errors":{"base":"` + none + `"}}`,
		},
		"an example of messages by field": {
			`{schema: {type: object}, example: {errors: {email: [is taken]}}}`,
			`{"errors":{"name":["` + name + `"],"size.width":["` + width + `"]}}`,
			`{"errors":{"base":["` + none + `"]}}`,
		},
		"a list of fields and messages": {
			`{schema: {type: object, required: [errors], properties: {errors: {type: array, minItems: 1, items: {type: object,
				required: [field, message], properties: {field: {type: string}, message: {type: string}, code: {type: string}}}}}}}`,
			`{"errors":[{"code":"bad_request","field":"name","message":"` + name + `"},{"code":"bad_request","field":"size.width","message":"` +
				width + `"}]}`,
			`{"errors":[{"code":"not_found","field":"","message":"` + none + `"}]}`,
		},
		"a list of texts": {
			`{schema: {type: object, properties: {errors: ` + texts + `}}}`,
			`{"errors":["name: ` + name + `","size.width: ` + width + `"]}`,
			`{"errors":["` + none + `"]}`,
		},
		"a list alone": {
			`{schema: {type: array, items: {type: object, properties: {message: {type: string}, path: {type: string}}}}}`,
			`[{"message":"` + name + `","path":"name"},{"message":"` + width + `","path":"size.width"}]`,
			`[{"message":"` + none + `","path":""}]`,
		},
		"problem details with errors": {
			`{schema: {type: object, required: [type, title, status], properties: {type: {type: string, format: uri-reference}, title: {type: string},
				status: {type: integer}, detail: {type: string}, instance: {type: string},
				errors: {type: array, items: {type: object, properties: {detail: {type: string}, pointer: {type: string}}}}}}}`,
			`{"detail":"` + both + `","errors":[{"detail":"` + name + `","pointer":"/name"},{"detail":"` + width + `","pointer":"/size/width"}],` +
				`"instance":"/v1/things","status":400,"title":"Bad Request","type":"about:blank"}`,
			`{"detail":"` + none + `","instance":"/v1/things/9","status":404,"title":"Not Found","type":"about:blank"}`,
		},
		"a location of parts": {
			`{schema: {type: object, properties: {detail: {type: array, items: {type: object, required: [loc, msg, type], properties: {
				loc: {type: array, items: {anyOf: [{type: string}, {type: integer}]}}, msg: {type: string}, type: {type: string}}}}}}}`,
			`{"detail":[{"loc":["body","name"],"msg":"` + name + `","type":"bad_request"},{"loc":["body","size","width"],"msg":"` + width +
				`","type":"bad_request"}]}`,
			`{"detail":[{"loc":["body"],"msg":"` + none + `","type":"not_found"}]}`,
		},
		"a code, a time and a path": {
			`{schema: {type: object, required: [code, message, timestamp, path], properties: {code: {type: string, enum: [NOT_FOUND, BAD_REQUEST]},
				message: {type: string}, timestamp: {type: string, format: date-time}, path: {type: string}}}}`,
			`{"code":"BAD_REQUEST","message":"` + both + `","path":"/v1/things","timestamp":` + now + `}`,
			`{"code":"NOT_FOUND","message":"` + none + `","path":"/v1/things/9","timestamp":` + now + `}`,
		},
		"a phrase beside a status": {
			`{schema: {type: object, required: [status, error], properties: {status: {type: integer}, error: {type: string}, message: {type: string},
				timestamp: {type: integer, format: int64}}}}`,
			`{"error":"Bad Request","message":"` + both + `","status":400,"timestamp":1768469400}`,
			`{"error":"Not Found","message":"` + none + `","status":404,"timestamp":1768469400}`,
		},
		"a code and its description": {
			`{schema: {type: object, required: [error], properties: {error: {type: string}, error_description: {type: string}}}}`,
			`{"error":"bad_request","error_description":"` + both + `"}`,
			`{"error":"not_found","error_description":"` + none + `"}`,
		},
		"an object within": {
			`{schema: {type: object, required: [error], properties: {error: {type: object, required: [code, message], properties: {
				code: {type: integer}, message: {type: string}, details: {type: array, items: {type: object, properties: {
				field: {type: string}, message: {type: string}}}}}}}}}`,
			`{"error":{"code":400,"details":[{"field":"name","message":"` + name + `"},{"field":"size.width","message":"` +
				width + `"}],"message":"` + both + `"}}`,
			`{"error":{"code":404,"message":"` + none + `"}}`,
		},
		"a list that is never empty, beside a message": {
			`{schema: {type: object, required: [message, errors], properties: {message: {type: string}, errors: {type: array, minItems: 1,
				items: {type: object, required: [message], properties: {message: {type: string}}}}}}}`,
			`{"errors":[{"message":"name: ` + name + `"},{"message":"size.width: ` + width + `"}],"message":"` + both + `"}`,
			`{"errors":[{"message":"` + none + `"}],"message":"` + none + `"}`,
		},
		"a message that is short": {
			`{schema: {type: object, required: [message, code], properties: {message: {type: string, maxLength: 9}, code: {type: integer}}}}`,
			`{"code":400,"message":"message 2"}`, `{"code":404,"message":"message 2"}`,
		},
		"one field for each member": {
			`{schema: {type: object, properties: {errors: {type: object, properties: {name: ` + texts + `, email: ` + texts + `}}}}}`,
			`{"errors":{"name":["` + name + `"],"size.width":["` + width + `"]}}`, `{"errors":{"base":["` + none + `"]}}`,
		},
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "errors.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, errorDocument, test.media), 0o600); err != nil {
				t.Fatal(err)
			}
			c := &shopClient{t, mockserver.NewTransport(t, mockserver.WithSpec("shop", file), mockserver.WithClock(mockserver.ClockFrozen))}
			for request, want := range map[string]string{
				`POST /things {"name":"","size":{"width":"x"}}`: "400 " + test.invalid, "GET /things/9": "404 " + test.notFound,
			} {
				c.story(request + " -> " + want)
			}
		})
	}
}
