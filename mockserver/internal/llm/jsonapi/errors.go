package jsonapi

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"svc.example/understudy/mockserver/internal/op"
	"svc.example/understudy/specs"
)

// AttributesField is the field of the attributes in a body, and wholeField that of the resource.
const (
	AttributesField = "data.attributes"
	wholeField      = "data"
)

// Unprocessable returns a refusal of an attribute with a validation code: 422.
func Unprocessable(attribute, code, format string, args ...any) error {
	return &op.Error{
		Code: op.CodeUnprocessable, Field: AttributesField + "." + attribute, Reason: code,
		Message: fmt.Sprintf(format, args...),
	}
}

// UnprocessableResource returns a refusal of a resource as a whole, without naming an attribute: 422.
func UnprocessableResource(code, format string, args ...any) *op.Error {
	return &op.Error{Code: op.CodeUnprocessable, Field: wholeField, Reason: code, Message: fmt.Sprintf(format, args...)}
}

// BadRequest returns a refusal of a parameter or a member of the body: 400.
func BadRequest(field, reason, format string, args ...any) error {
	return &op.Error{Code: op.CodeInvalid, Field: field, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// errorList is the error form of resources.
type errorList struct {
	Errors []errorItem `json:"errors"`
}

type errorItem struct {
	Title  string         `json:"title"`
	Detail string         `json:"detail"`
	Code   string         `json:"code"`
	Status string         `json:"status"`
	Source *errorSource   `json:"source,omitempty"`
	Meta   map[string]any `json:"meta,omitempty"`
}

type errorSource struct {
	Pointer string `json:"pointer"`
}

// plainError is the form of all other errors. Its status is text, except in most 404 (public).
type plainError struct {
	Status  any      `json:"status"`
	Error   string   `json:"error"`
	Details []string `json:"details,omitempty"`
}

// ErrorReplies answers with errors in the forms of the document.
type ErrorReplies struct {
	// Reword replaces the statuses and codes of errors of the document's schemas, where the platform's differ from those
	// of other schemas.
	Reword func(o *specs.Operation, list op.Errors) op.Errors
}

// Reply answers in the form that the document has for the operation and the status.
func (f ErrorReplies) Reply(asked op.Asked, list op.Errors) op.Reply {
	o := asked.Operation
	list = f.Reword(o, readOnlyErrors(o, list))
	status := 0
	for _, e := range list { // a malformed request gets no other errors
		if s := statusOf(o, e); status == 0 || s == http.StatusBadRequest {
			status = s
		}
	}
	if !listed(o, status) {
		return PlainErrorReply(o, status, list.One())
	}
	body := errorList{Errors: []errorItem{}}
	for _, e := range list {
		if statusOf(o, e) == status {
			body.Errors = append(body.Errors, newErrorItem(status, e))
		}
	}
	return op.Reply{Status: status, Body: body}
}

// listed reports whether the document gives an operation's status a list of errors.
func listed(o *specs.Operation, status int) bool {
	if o == nil {
		return false
	}
	response := o.Spec.Responses.Status(status)
	return response != nil && response.Value.Content[MediaType] != nil
}

// PlainErrorReply answers with an error in the form that is not JSON:API.
func PlainErrorReply(o *specs.Operation, status int, e *op.Error) op.Reply {
	body := plainError{Status: strconv.Itoa(status), Error: e.Error()}
	if status == http.StatusNotFound && !textNotFound(o) {
		body.Status = status
	}
	body.Details, _ = e.Details["details"].([]string)
	return op.Reply{Status: status, Type: "application/json", Body: body}
}

// textNotFound reports whether an operation answers a plain 404 whose status is text (public).
func textNotFound(o *specs.Operation) bool {
	return o != nil && (o.ID == "runActionChatapp" || o.ID == "callbackAgentSchedule")
}

func newErrorItem(status int, e *op.Error) errorItem {
	code := codeOf(status, e)
	item := errorItem{Title: titleOf(code, e), Detail: detailOf(code, e), Code: code, Status: strconv.Itoa(status)}
	if status != http.StatusUnprocessableEntity {
		return item
	}
	item.Source = &errorSource{"/" + strings.ReplaceAll(e.Field, ".", "/")}
	item.Meta = map[string]any{"validationCode": ValidationCode(e.Reason)}
	maps.Copy(item.Meta, e.Details)
	return item
}

// detailOf returns the name of the field and the reason (public). Two codes have a sentence instead (public).
func detailOf(code string, e *op.Error) string {
	name := e.Field
	if attribute, ok := strings.CutPrefix(name, AttributesField+"."); ok {
		name = strings.ReplaceAll(attribute, ".", "/")
	}
	switch {
	case code == codeNotFound && e.Key != "":
		return fmt.Sprintf("The record identified by %s could not be found.", e.Key)
	case code == codeNotAllowed:
		return name + " is not allowed."
	case name == "" || name == wholeField:
		return e.Message
	}
	return name + " - " + e.Message
}

func codeOf(status int, e *op.Error) string {
	switch status {
	case http.StatusUnprocessableEntity:
		return codeInvalid
	case http.StatusNotFound:
		return codeNotFound
	}
	switch e.Reason {
	case reasonReadOnly, "additionalProperties":
		return codeNotAllowed
	case reasonMissing, "required":
		return codeMissing
	case reasonKey:
		return codeKey
	}
	parameter, _, _ := strings.Cut(e.Field, "[")
	parameter, _, _ = strings.Cut(parameter, ".") // include.0
	return cmp.Or(map[string]string{
		"filter": codeFilter, "include": codeInclude, "sort": codeSort, "page": codePage,
	}[parameter], codeValue)
}

// statuses replaces the statuses that the document does not have.
var statuses = op.Statuses{
	op.CodeConflict:      http.StatusUnprocessableEntity,
	op.CodeTooLarge:      http.StatusBadRequest,
	op.CodeNotAcceptable: http.StatusBadRequest,
	op.CodeRange:         http.StatusBadRequest,
}

// statusOf returns 400 for malformed requests and 422 for invalid values of attributes.
func statusOf(o *specs.Operation, e *op.Error) int {
	isAttribute := strings.HasPrefix(e.Field,
		AttributesField+".") && e.Reason != reasonReadOnly && e.Reason != "additionalProperties"
	status := statuses.Of(e.Code)
	switch {
	case e.Code == op.CodeInvalid && isAttribute:
		return http.StatusUnprocessableEntity
	case e.Code == op.CodeMediaType && o != nil && o.Spec.Responses.Status(status) == nil:
		return http.StatusBadRequest
	}
	return status
}

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

// titles holds the titles of errors, which depend only on the kind of error (public; the words of most are assumed).
var titles = map[string]string{
	codeNotAllowed: "Param not allowed",
	codeMissing:    "Missing parameter",
	codeFilter:     "Invalid filter value",
	codeKey:        "Key is not included in URL",
	codeInclude:    "Invalid include",
	codeSort:       "Invalid sort criteria",
	codePage:       "Invalid page value",
	codeNotFound:   "Record not found",
}

// validationTitles holds those of invalid attributes, by their validation codes.
var validationTitles = map[string]string{
	CannotBeBlank:  BlankReason,
	isTooLong:      "is too long",
	NotUnique:      "has already been taken",
	notAnInteger:   "is not an integer",
	inUse:          "cannot be deleted while others refer to it",
	Immutable:      "cannot be changed",
	InvalidJSON:    "is not valid JSON",
	OneInterface:   "exactly one interface is required",
	SomethingWrong: "something went wrong",
	LegacyTables:   "tables are available only with LEGACY_JSON",
}

func titleOf(code string, e *op.Error) string {
	switch {
	case code == codeInvalid:
		return cmp.Or(validationTitles[ValidationCode(e.Reason)], "is invalid")
	case e.Reason == reasonNoFilter:
		return "Filter not allowed"
	}
	return cmp.Or(titles[code], "Invalid field value")
}
