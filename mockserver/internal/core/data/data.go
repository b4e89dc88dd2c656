// Package data holds databases and tables, the imports into them, and the connections to other systems.
package data

import (
	"strings"
	"unicode/utf8"

	"svc.example/understudy/mockserver/internal/op"
)

// The limits of the length of names of databases and tables (client).
const (
	minName = 3
	maxName = 255
)

const nameLetters = "abcdefghijklmnopqrstuvwxyz0123456789_"

// CheckName refuses a text that is not a valid name of a database or a table. The message gives the allowed and the
// actual length, and the name (client). The handlers check names themselves, since the validation of requests may be
// off.
func CheckName(field, name string) error {
	n := utf8.RuneCountInString(name)
	if n >= minName && n <= maxName && strings.Trim(name, nameLetters) == "" {
		return nil
	}
	return op.Invalid(field, "want %d to %d lower-case letters, digits and underscores, not %d characters: %q",
		minName, maxName, n, name)
}

// checkColumnName refuses a text that is not a valid name of a column. It may be shorter, but must not begin with a
// digit (public).
func checkColumnName(name string) error {
	n := utf8.RuneCountInString(name)
	if n >= 1 && n <= maxName && strings.Trim(name, nameLetters) == "" && (name[0] < '0' || name[0] > '9') {
		return nil
	}
	return op.Invalid("schema", "a column name has 1 to %d lower-case letters, digits and underscores and does not begin "+
		"with a digit, unlike %q, which has %d characters", maxName, name, n)
}
