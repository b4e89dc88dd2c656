package jsonapi

import (
	"strings"

	"svc.example/understudy/mockserver/internal/op"
)

// The reasons for a refusal with 400, each with its code on the wire. The reasons of validations, which are refused
// with 422, are the validation codes themselves.
const (
	reasonReadOnly = "readOnly"  // an attribute that the server sets, or that does not exist (public)
	reasonMissing  = "missing"   // a member of the body (assumed)
	ReasonFilter   = "filter"    // the text of a filter (public)
	reasonNoFilter = "no filter" // a filter that a list does not have (public)
	reasonKey      = "key"       // the id in the body differs from that of the path (assumed)
	reasonSort     = "sort"      // an unknown field (assumed)
)

// The validation codes (public).
const (
	CannotBeBlank  = "CANNOT_BE_BLANK"
	isTooLong      = "IS_TOO_LONG"
	InvalidFormat  = "INVALID_FORMAT_OR_ASSOCIATION"
	NotUnique      = "VIOLATES_UNIQUENESS_CONSTRAINT"
	notAnInteger   = "NOT_AN_INTEGER"
	inUse          = "DEPENDENT_DESTROY_RESTRICTED_HAS_MANY"
	Immutable      = "LLM_IMMUTABLE"
	InvalidJSON    = "LLM_INVALID_JSON"
	OneInterface   = "LLM_EXACTLY_ONE_INTERFACE_REQUIRED"
	SomethingWrong = "LLM_SOMETHING_ERROR"
	LegacyTables   = "LLM_KNOWLEDGE_BASE_TABLES_AVAILABLE_ONLY_WITH_LEGACY_JSON"
)

// ValidationCode returns the code for an error of the document's schema; handlers set codes of their own.
func ValidationCode(reason string) string {
	if IsBlank(reason) {
		return CannotBeBlank
	}
	switch reason {
	case "maxLength", "maxItems":
		return isTooLong
	case "type integer":
		return notAnInteger
	case "", "type", "enum", "format", "pattern", "minimum", "maximum", "minItems", "oneOf", "allOf", "anyOf":
		return InvalidFormat
	}
	if strings.HasPrefix(reason, "type ") {
		return InvalidFormat
	}
	return reason
}

// IsBlank reports whether the document's schema requires a value that is absent, null or an empty text.
func IsBlank(reason string) bool {
	return reason == "required" || reason == "nullable" || reason == "minLength"
}

// The codes of errors; 100, 105, 107 and 404 are public, the others assumed.
const (
	codeInvalid    = "100" // an attribute
	codeValue      = "103" // the value of another parameter, or of a member
	codeNotAllowed = "105"
	codeMissing    = "106"
	codeFilter     = "107"
	codeKey        = "110"
	codeInclude    = "112"
	codeSort       = "114"
	codePage       = "118"
	codeNotFound   = "404"
)

// titleOf returns the title of an error, which depends only on the kind of error (public; the words of most are
// assumed).
func titleOf(code string, e *op.Error) string {
	switch code {
	case codeInvalid:
		return validationTitle(ValidationCode(e.Reason))
	case codeNotAllowed:
		return "Param not allowed"
	case codeMissing:
		return "Missing parameter"
	case codeFilter:
		if e.Reason == reasonNoFilter {
			return "Filter not allowed"
		}
		return "Invalid filter value"
	case codeKey:
		return "Key is not included in URL"
	case codeInclude:
		return "Invalid include"
	case codeSort:
		return "Invalid sort criteria"
	case codePage:
		return "Invalid page value"
	case codeNotFound:
		return "Record not found"
	}
	return "Invalid field value"
}

func validationTitle(code string) string {
	switch code {
	case CannotBeBlank:
		return BlankReason
	case isTooLong:
		return "is too long"
	case NotUnique:
		return "has already been taken"
	case notAnInteger:
		return "is not an integer"
	case inUse:
		return "cannot be deleted while others refer to it"
	case Immutable:
		return "cannot be changed"
	case InvalidJSON:
		return "is not valid JSON"
	case OneInterface:
		return "exactly one interface is required"
	case SomethingWrong:
		return "something went wrong"
	case LegacyTables:
		return "tables are available only with LEGACY_JSON"
	}
	return "is invalid"
}
