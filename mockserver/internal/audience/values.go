package audience

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// operand is the value of a condition, with which the values of profiles are compared.
type operand struct {
	kind jsontext.Kind // '"', '0', 't' for true and false, '{' for a moment
	text string
	at   moment
}

func (r *ruleReader) operand(at string, value jsontext.Value) (operand, bool) {
	switch kind := value.Kind(); kind {
	case '"', '0':
		return operand{kind: kind, text: gjson.ParseBytes(value).String()}, true
	case 't', 'f':
		return operand{kind: 't', text: string(value)}, true
	case '{':
		m, ok := r.moment(at, value, -1)
		return operand{kind: kind, at: m}, ok
	}
	r.fail(at, "is missing: want a string, a number, true or false, or a time, as {timestamp} or {last, unit}")
	return operand{}, false
}

// compare returns how a value stands to the operand, if the two can be compared: numbers with a number, and times with
// a moment. A text counts as a number in columns of numbers.
func (o operand) compare(value string, now time.Time, numeric bool) (order int, compares bool) {
	switch {
	case o.kind == '{':
		t, ok := timeOf(value)
		return t.Compare(o.at(now)), ok
	case o.kind == 't':
		return strings.Compare(strings.ToLower(value), o.text), true
	case o.kind == '0' || numeric:
		ok := !math.IsNaN(parseNumber(value)) && !math.IsNaN(parseNumber(o.text))
		return compareNumbers(value, o.text), ok
	}
	return strings.Compare(value, o.text), true
}

// timeOf reads a time: Unix seconds, or ISO 8601, without an offset in UTC (assumed).
func timeOf(text string) (time.Time, bool) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if math.IsNaN(seconds) || math.Abs(seconds) > maxSeconds {
			return time.Time{}, false
		}
		return time.Unix(int64(math.Floor(seconds)), 0).UTC(), true
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

const maxSeconds = 1e11 // beyond the year 5000, most likely milliseconds
