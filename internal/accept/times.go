package accept

import (
	"errors"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Times holds the formats of dates and times as RFC 3339 has them: the days of the calendar, leap seconds at the end of
// a day in UTC, and t and z in either case. kin-openapi compares the form alone. It is not to be changed.
var Times = Formats{
	"date":      openapi3.NewCallbackValidator(hasFormat("date")),
	"date-time": quickFormat{isPlainTime, openapi3.NewCallbackValidator(hasFormat("date-time"))},
}

func hasFormat(name string) func(string) error {
	return func(text string) error {
		if hasForm(name)(text) != nil {
			return errors.New("want the form of RFC 3339, and a day of the calendar")
		}
		return nil
	}
}

// hasForm returns a check that a text has one of the formats of JSON Schema.
func hasForm(name string) func(string) error {
	has := jsonschema.Formats[name]
	return func(text string) error {
		if has(text) {
			return nil
		}
		return fmt.Errorf("not of the form of a %s", name)
	}
}

// isPlainTime recognizes the form in which times are mostly written, 2006-01-02T15:04:05Z with a fraction or without,
// on days that every month has.
func isPlainTime(text string) bool {
	const form = "0000-00-00T00:00:00"
	if len(text) <= len(form) || text[len(text)-1] != 'Z' {
		return false
	}
	for i := range len(form) {
		if isDigit(text[i]) != (form[i] == '0') || form[i] != '0' && text[i] != form[i] {
			return false
		}
	}
	month, day, hour, minute, second := text[5:7], text[8:10], text[11:13], text[14:16], text[17:19]
	if month < "01" || month > "12" || day < "01" || day > "28" || hour > "23" || minute > "59" || second > "59" {
		return false
	}
	fraction := text[len(form) : len(text)-1]
	return fraction == "" || len(fraction) > 1 && fraction[0] == '.' && areDigits(fraction[1:])
}
