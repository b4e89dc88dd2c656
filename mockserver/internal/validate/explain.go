package validate

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/internal/accept"
	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// maxCulprits is the number of deviations that one error lists: more than a resource has attributes that it needs.
const maxCulprits = 20

// maxExplained is the number of steps to hold a value against a schema up to which all mistakes are reported, and not
// only the first. Each schema that combines others is asked again for what is wrong, as long as that takes no more
// steps than the first time, and as many.
const maxExplained = 50_000

// check returns errors of package op for the deviations of a value, at a name, from the schema.
func (s *schema) check(name string, value any) error {
	if s.accepts(value) {
		return nil
	}
	steps, isBounded := s.work.Steps(s.Schema, value)
	if !isBounded {
		return s.beyond(name, value)
	}
	left := steps + maxExplained
	options := s.direction.Options()
	if s.formats != nil {
		options = append(options, s.formats.Options()...)
	}
	e := explainer{options: options, work: &s.work, left: &left}
	err := s.VisitJSON(value, e.options...)
	if err == nil {
		return nil
	}
	if steps <= maxExplained {
		e.options = append(e.options, openapi3.MultiErrors())
		err = s.VisitJSON(value, e.options...)
	}
	if name != "" {
		e.at = []string{name}
	}
	var errs []error
	culprits := e.explain(err)
	for i, c := range culprits {
		if i == maxCulprits {
			errs = append(errs, fmt.Errorf("and %d more", len(culprits)-i))
			break
		}
		errs = append(errs, c.Error)
	}
	return errors.Join(errs...)
}

// discriminator is the schema keyword for the member that distinguishes alternatives.
const discriminator = "discriminator"

// explainer converts the errors of kin-openapi to errors of package op.
type explainer struct {
	at      []string // the path of the value
	options []openapi3.SchemaValidationOption
	work    *accept.Work
	left    *int // the steps for holding values against combined schemas again
}

// violation is one deviation of a value.
type violation struct {
	*op.Error
	distance int // how far the value is from the schema
}

func (e explainer) explain(err error) []violation {
	switch err := err.(type) { //nolint:errorlint // errors.As would look into the alternatives of a oneOf
	case nil:
		return nil
	case openapi3.MultiError:
		var list []violation
		for _, part := range err {
			list = append(list, e.explain(part)...)
		}
		return list
	case *openapi3.SchemaError:
		e.at = slices.Concat(e.at, err.JSONPointer())
		if err.SchemaField == discriminator {
			e.at = append(e.at, err.Schema.Discriminator.PropertyName)
		}
		if list := e.explainCombined(err); list != nil {
			return list
		}
		return []violation{{distance: distance(err), Error: &op.Error{
			Code: op.CodeInvalid, Field: strings.Join(e.at, "."), Message: reason(err), Reason: keyword(err),
		}}}
	}
	return []violation{{Error: &op.Error{Code: op.CodeInvalid, Field: strings.Join(e.at, "."), Message: err.Error()}}}
}

// explainCombined returns the deviations of a value from the schemas that its own combines: from all that it must fit,
// or from the closest ones if it must fit one.
func (e explainer) explainCombined(err *openapi3.SchemaError) (list []violation) {
	schemas := map[string]openapi3.SchemaRefs{
		"allOf": err.Schema.AllOf, "anyOf": err.Schema.AnyOf, "oneOf": err.Schema.OneOf,
	}[err.SchemaField]
	least := kind
	for _, schema := range schemas {
		steps, _ := e.work.Steps(schema.Value, err.Value)
		if *e.left -= steps; *e.left < 0 {
			return nil
		}
		wrong := e.explain(schema.Value.VisitJSON(err.Value, e.options...))
		off := 0
		for _, c := range wrong {
			off = max(off, c.distance)
		}
		switch {
		case err.SchemaField == "allOf":
			list = append(list, wrong...)
		case wrong == nil:
			return nil // the value fits more than one
		case off < least || list == nil:
			list, least = wrong, off
		case off == least:
			list = mergeAlternatives(list, wrong)
		}
	}
	if len(err.JSONPointer()) > 0 { // a wrong member does not make the whole another kind
		for i := range list {
			list[i].distance = min(list[i].distance, member)
		}
	}
	return list
}

// The degrees of a deviation. A value of another kind is hardly meant for the schema.
const (
	member = iota + 1
	missing
	kind
)

func distance(err *openapi3.SchemaError) int {
	itself := len(err.JSONPointer()) == 0
	switch {
	case itself && (err.SchemaField == "type" || err.SchemaField == "nullable"):
		return kind
	case err.SchemaField == "enum" && len(err.Schema.Enum) == 1:
		return kind
	case err.SchemaField == "required":
		return missing
	}
	return member
}

// mergeAlternatives combines the deviations from one schema with those from another: in one sentence, if there is only
// one deviation.
func mergeAlternatives(a, b []violation) []violation {
	if len(a) > maxCulprits {
		return a
	}
	if len(a) == 1 && len(b) == 1 && a[0].Field == b[0].Field && a[0].Message != b[0].Message {
		one := *a[0].Error
		one.Message += ", or " + b[0].Message
		return []violation{{&one, a[0].distance}}
	}
	for _, c := range b {
		if !slices.ContainsFunc(a, func(known violation) bool { return known.Error.Error() == c.Error.Error() }) {
			a = append(a, c)
		}
	}
	return a
}

// keyword returns the schema keyword that failed; for a type, with the wanted type.
func keyword(err *openapi3.SchemaError) string {
	if err.SchemaField == "type" && err.Schema.Type != nil {
		return "type " + strings.Join(err.Schema.Type.Slice(), " ")
	}
	return err.SchemaField
}

// reason returns, for a text that is too short or too long, the allowed and the actual length. It returns the same for
// one with wrong characters, if its length is limited; without a limit the text may be a key. It repeats no secret, and
// only the beginning of a long text.
func reason(err *openapi3.SchemaError) string {
	if message, is := unknownMember(err); is {
		return message
	}
	text, ok := err.Value.(string)
	matching := ""
	switch {
	case err.SchemaField == discriminator:
		return fmt.Sprintf("want one of %s", strings.Join(slices.Sorted(maps.Keys(err.Schema.Discriminator.Mapping)), ", "))
	case errors.Is(err.Origin, openapi3.ErrOneOfConflict):
		return "matches more than one of the allowed forms; want exactly one"
	case err.SchemaField == "not" && err.Schema.Not != nil && err.Schema.Not.Value.Pattern != "":
		return "want text that does not match " + err.Schema.Not.Value.Pattern
	case err.SchemaField == "not":
		return "want what does not match the schema under not"
	case err.SchemaField == "pattern" && err.Schema.MaxLength != nil && ok:
		matching = " that match " + err.Schema.Pattern
		if words := patternWords[err.Schema.Pattern]; words != "" {
			matching = ", " + words
		}
	case wanted(err) != "":
		return "want " + wanted(err) + shown(err)
	case !ok:
		return err.Reason
	case err.SchemaField != "minLength" && err.SchemaField != "maxLength":
		return err.Reason
	}
	if !specs.IsSecret(err.Schema) {
		matching += fmt.Sprintf(", not %d: %.300q", utf8.RuneCountInString(text), text)
	} else {
		matching += fmt.Sprintf(", not %d", utf8.RuneCountInString(text))
	}
	return fmt.Sprintf("want %s characters%s", lengths(err.Schema), matching)
}

func lengths(schema *openapi3.Schema) string {
	switch {
	case schema.MaxLength == nil:
		return fmt.Sprintf("%d or more", schema.MinLength)
	case schema.MinLength == 0:
		return fmt.Sprintf("at most %d", *schema.MaxLength)
	}
	return fmt.Sprintf("%d to %d", schema.MinLength, *schema.MaxLength)
}

// patternWords describes the texts that patterns of our documents allow. Those of other documents are shown.
var patternWords = map[string]string{
	`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`: "a duration such as 90s, 1h30m or 24h",
	`^[a-z]+\.[A-Za-z0-9]+$`:                    "the name of an operation such as core.issueJob",
	`^[a-z]+\.[a-z0-9-]+/.+$`:                   "an interface, a kind and an id such as workflow.pools/1",
	`^([1-5][0-9][0-9]|[1-5]xx|none)$`:          "a status such as 404, a class such as 4xx, or none",
	`^[1-9][0-9]*$`:                             "an integer above 0",
	`^(0|[1-9][0-9]*)$`:                         "an integer from 0",
	`^[0-9]+$`:                                  "digits",
	`^[a-z0-9_]+$`:                              "lower-case letters, digits and underscores",
	`^[A-Za-z0-9_]+$`:                           "letters, digits and underscores",
	`^\d{4}-\d{2}-\d{2}$`:                       "a date such as 2026-01-15",
	`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$`:     "a local time such as 2026-01-15T09:30:00",
	`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$`:    "a time such as 2026-01-15T09:30:00Z",
	`^SVC1 [0-9a-f/]+$`:                         "SVC1 and an API key",
	`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`: "1 to 64 letters, digits, dots, underscores or dashes, " +
		"the first a letter or a digit",
	`^[A-Za-z][A-Za-z0-9._-]{0,63}$`: "1 to 64 letters, digits, dots, underscores or dashes, " +
		"the first a letter",
	`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`: "letters, digits, underscores and dashes, " +
		"in parts with single dots between them",
	`^[^0-9+^@/\\:*?"<>|][^+^@/\\:*?"<>|]*$`: "a name that does not begin with a digit, " +
		`without any of + ^ @ / \ : * ? " < > |`,
	`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?)?$`: "a date or a time " +
		"such as 2026-01-15T09:30:00Z",
}

// formatWords describes the texts that formats allow.
var formatWords = map[string]string{
	"date-time": "a time such as 2026-01-15T09:30:00Z", "date": "a date such as 2026-01-15",
	"uuid": "a UUID such as 123e4567-e89b-42d3-a456-426614174000", "byte": "base64",
	"email": "an address such as user@example.com", "uri": "an absolute URL such as https://example.com",
}

// wanted returns what a text should be that fits no pattern, format or list of values, or the empty text.
func wanted(err *openapi3.SchemaError) string {
	switch schema := err.Schema; err.SchemaField {
	case "pattern":
		if words := patternWords[schema.Pattern]; words != "" {
			return words
		}
		return "text that matches " + schema.Pattern
	case "format":
		if words := formatWords[schema.Format]; words != "" {
			return words
		}
		return "text of the format " + schema.Format
	case "enum":
		var names []string
		for _, value := range schema.Enum {
			name, isText := value.(string)
			if !isText {
				return fmt.Sprintf("one of %v", schema.Enum)
			}
			names = append(names, name)
		}
		return source.OneOf(fmt.Sprint(err.Value), names)
	}
	return ""
}

// shown returns the beginning of a text for a message, unless it is secret. What a pattern or a format of another
// document is for may be as well.
func shown(err *openapi3.SchemaError) string {
	text, isText := err.Value.(string)
	known := err.SchemaField == "enum" || patternWords[err.Schema.Pattern] != "" || formatWords[err.Schema.Format] != ""
	if !isText || !known || specs.IsSecret(err.Schema) {
		return ""
	}
	return fmt.Sprintf(", not %.300q", text)
}

// unsupported finds the name of a member that an object must not have in a message of kin-openapi.
var unsupported = regexp.MustCompile(`^property "(.*)" is unsupported$`)

// unknownMember returns what to say of a member that an object must not have.
func unknownMember(err *openapi3.SchemaError) (message string, is bool) {
	found := unsupported.FindStringSubmatch(err.Reason)
	if found == nil {
		return "", false
	}
	names := slices.Sorted(maps.Keys(err.Schema.Properties))
	return fmt.Sprintf("unknown member %q; want %s", found[1], source.OneOf(found[1], names)), true
}

// HasWords reports whether a pattern is described in words.
func HasWords(pattern string) bool { return patternWords[pattern] != "" }
