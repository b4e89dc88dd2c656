package op

import (
	"cmp"
	"net/http"
	"strconv"
	"time"
)

// Statuses holds the HTTP statuses with which an interface answers errors, by code, where they are not the usual ones.
type Statuses map[Code]int

// BadRequest returns statuses that are 400 for some codes: those whose usual status a document does not have.
func BadRequest(codes ...Code) Statuses {
	s := Statuses{}
	for _, code := range codes {
		s[code] = http.StatusBadRequest
	}
	return s
}

// StatusCode returns the code of errors that are answered with a status whatever the interface.
func StatusCode(status int) Code { return Code(strconv.Itoa(status)) }

// Of returns the HTTP status of a code.
func (s Statuses) Of(code Code) int { return cmp.Or(s[code], usualStatus(code)) }

func usualStatus(code Code) int {
	switch code {
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeUnauthorized:
		return http.StatusUnauthorized
	case CodeForbidden:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodeMethod:
		return http.StatusMethodNotAllowed
	case CodeNotAcceptable:
		return http.StatusNotAcceptable
	case CodeConflict:
		return http.StatusConflict
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeMediaType:
		return http.StatusUnsupportedMediaType
	case CodeRange:
		return http.StatusRequestedRangeNotSatisfiable
	case CodeUnprocessable:
		return http.StatusUnprocessableEntity
	case CodeTooMany:
		return http.StatusTooManyRequests
	case CodeNoHandler:
		return http.StatusNotImplemented
	case CodeInternal:
	}
	if status, err := strconv.Atoi(string(code)); err == nil {
		return status
	}
	return http.StatusInternalServerError
}

// TooMany returns an error that says which limit is reached, and asks to come back after a time, in whole seconds.
func TooMany(after time.Duration, format string, args ...any) error {
	seconds := max(1, int64((after+time.Second-1)/time.Second))
	return &Error{
		Code: CodeTooMany, Message: sentence(format, args...),
		Header: [][2]string{{RetryAfter, strconv.FormatInt(seconds, 10)}},
	}
}

// RetryAfter is the header that says in how many seconds a refused request may succeed.
const RetryAfter = "Retry-After"

// Instant returns a time as most interfaces write it, in UTC and whole seconds: 2026-01-15T09:30:00Z.
func Instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// OptionalInstant returns a time as Instant does, or nil for the zero time.
func OptionalInstant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := Instant(t)
	return &text
}

// IDText returns an id where a body carries it as text.
func IDText(id int64) string { return strconv.FormatInt(id, 10) }
