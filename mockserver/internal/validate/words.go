package validate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

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
