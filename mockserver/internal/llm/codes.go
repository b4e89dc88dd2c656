package llm

import "strings"

// The reasons for a refusal with 400, each with its code on the wire. Those of validations, which are refused with 422,
// are the validation codes themselves.
const (
	reasonOwned   = "readOnly" // an attribute that the server owns, or that there is not (public)
	reasonMissing = "missing"  // a member of the body (assumed)
	reasonFilter  = "filter"   // the text of a filter (public)
	reasonKey     = "key"      // the id in the body is not that of the path (assumed)
	reasonSort    = "sort"     // an unknown field (assumed)
)

// The validation codes (public).
const (
	cannotBeBlank  = "CANNOT_BE_BLANK"
	isTooLong      = "IS_TOO_LONG"
	invalidFormat  = "INVALID_FORMAT_OR_ASSOCIATION"
	notUnique      = "VIOLATES_UNIQUENESS_CONSTRAINT"
	notAnInteger   = "NOT_AN_INTEGER"
	inUse          = "DEPENDENT_DESTROY_RESTRICTED_HAS_MANY"
	immutable      = "LLM_IMMUTABLE"
	invalidJSON    = "LLM_INVALID_JSON"
	oneInterface   = "LLM_EXACTLY_ONE_INTERFACE_REQUIRED"
	somethingWrong = "LLM_SOMETHING_ERROR"
	legacyTables   = "LLM_KNOWLEDGE_BASE_TABLES_AVAILABLE_ONLY_WITH_LEGACY_JSON"
)

// validationCode is the code of what the document's schema refuses; what rules refuse has its own.
func validationCode(reason string) string {
	switch reason {
	case "required", "minLength", "nullable":
		return cannotBeBlank
	case "maxLength", "maxItems":
		return isTooLong
	case "type integer":
		return notAnInteger
	case "", "type", "enum", "format", "pattern", "minimum", "maximum", "minItems", "oneOf", "allOf", "anyOf":
		return invalidFormat
	}
	if strings.HasPrefix(reason, "type ") {
		return invalidFormat
	}
	return reason
}
