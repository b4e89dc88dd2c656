package check

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/mockserver/internal/op"
)

// maxCulprits is how many deviations one error lists: more than a resource has attributes that it needs.
const maxCulprits = 20

func visit(name string, schema *openapi3.Schema, value any, direction openapi3.SchemaValidationOption) error {
	err := schema.VisitJSON(value, direction, openapi3.MultiErrors())
	if err == nil {
		return nil
	}
	var errs []error
	culprits := flatten(err)
	for i, culprit := range culprits {
		if i == maxCulprits {
			errs = append(errs, fmt.Errorf("and %d more", len(culprits)-i))
			break
		}
		errs = append(errs, explain(name, culprit))
	}
	return errors.Join(errs...)
}

func flatten(err error) []error {
	var list openapi3.MultiError
	if !errors.As(err, &list) {
		return []error{err}
	}
	var flat []error
	for _, part := range list {
		flat = append(flat, flatten(part)...)
	}
	return flat
}

func explain(name string, err error) error {
	var schemaError *openapi3.SchemaError
	if !errors.As(err, &schemaError) {
		return op.Invalid(name, "%v", err)
	}
	path := append([]string(nil), schemaError.JSONPointer()...)
	if name != "" {
		path = append([]string{name}, path...)
	}
	return &op.Error{
		Code: op.CodeInvalid, Field: strings.Join(path, "."), Message: reason(schemaError), Reason: keyword(schemaError),
	}
}

// keyword is the schema keyword that failed; that of a type says which one is wanted.
func keyword(err *openapi3.SchemaError) string {
	if err.SchemaField == "type" && err.Schema.Type != nil {
		return "type " + strings.Join(err.Schema.Type.Slice(), " ")
	}
	return err.SchemaField
}

// reason tells of a text that is too short or too long how long it may be, and how long it is. It tells the same of one
// with wrong characters, if its length is limited; without a limit it may be a key, which is not repeated.
func reason(err *openapi3.SchemaError) string {
	text, ok := err.Value.(string)
	matching := ""
	switch {
	case !ok:
		return err.Reason
	case err.SchemaField == "pattern" && err.Schema.MaxLength != nil:
		matching = " that match " + err.Schema.Pattern
	case err.SchemaField != "minLength" && err.SchemaField != "maxLength":
		return err.Reason
	}
	most := "or more"
	if err.Schema.MaxLength != nil {
		most = fmt.Sprintf("to %d", *err.Schema.MaxLength)
	}
	return fmt.Sprintf("want %d %s characters%s, not %d: %q",
		err.Schema.MinLength, most, matching, utf8.RuneCountInString(text), text)
}
