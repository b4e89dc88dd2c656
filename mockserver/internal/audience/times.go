package audience

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc.example/understudy/internal/jsontree"
)

// moment returns a time, which may depend on now.
type moment func(now time.Time) time.Time

func timeUnits() []string {
	return []string{"year", "quarter", "month", "week", "day", "hour", "minute", "second"}
}

// maxUnits keeps times within the years that a time can hold.
const maxUnits = 100_000

// timeTest returns the test of an operator on times. What the documents leave open of them is assumed: days and other
// units are those of UTC, weeks begin on Monday, and both ends of a span belong to it.
func (r *ruleReader) timeTest(at string, o *operator) test {
	switch o.Type {
	case "TimeToday":
		return calendarUnitTest("day", 0)
	case "TimeThis", "TimeNext":
		if !r.checkUnit(at+".unit", o.Unit) {
			return nil
		}
		return calendarUnitTest(o.Unit, map[string]int{"TimeThis": 0, "TimeNext": 1}[o.Type])
	case "TimeWithinPast", "TimeWithinNext":
		return r.relativeTimeTest(at, o)
	case "TimeInBetweenNext":
		from, hasFrom := r.moment(at+".from", o.From, 1)
		to, hasTo := r.moment(at+".to", o.To, 1)
		if !hasFrom || !hasTo {
			return nil
		}
		return betweenTest(from, to)
	case "TimeRange":
		return r.timeRangeTest(at, o)
	}
	r.fail(at+".type", "want a kind of comparison, such as Equal, Between or TimeWithinPast, not %q", o.Type)
	return nil
}

func betweenTest(from, to moment) test {
	return func(value string, now time.Time) bool {
		t, ok := timeOf(value)
		return ok && !t.Before(from(now)) && !t.After(to(now))
	}
}

// calendarUnitTest returns a test for times in the calendar unit that contains now, or in one so many units later.
func calendarUnitTest(unit string, later int) test {
	return func(value string, now time.Time) bool {
		t, ok := timeOf(value)
		begin := shift(startOf(now, unit), unit, later)
		return ok && !t.Before(begin) && t.Before(shift(begin, unit, 1))
	}
}

func (r *ruleReader) relativeTimeTest(at string, o *operator) test {
	n, err := strconv.Atoi(o.Value)
	if err != nil || n < 0 || n > maxUnits {
		r.fail(at+".value", "want a number of units, as a string, up to %d, not %q", maxUnits, o.Value)
	}
	if !r.checkUnit(at+".unit", o.Unit) || err != nil {
		return nil
	}
	present := func(now time.Time) time.Time { return now }
	if o.Type == "TimeWithinPast" {
		return betweenTest(func(now time.Time) time.Time { return shift(now, o.Unit, -n) }, present)
	}
	return betweenTest(present, func(now time.Time) time.Time { return shift(now, o.Unit, n) })
}

// timeRangeTest returns a test for times in a range that begins at from, or ends there if it is reversed.
func (r *ruleReader) timeRangeTest(at string, o *operator) test {
	from, hasFrom := r.moment(at+".from", o.From, -1)
	length, hasLength := r.duration(at+".duration", o.Duration)
	if !hasFrom || !hasLength {
		return nil
	}
	if o.Reverse {
		return betweenTest(func(now time.Time) time.Time { return from(now).Add(-length) }, from)
	}
	return betweenTest(from, func(now time.Time) time.Time { return from(now).Add(length) })
}

const maxLength = 100 * 365 * 24 * time.Hour

// duration reads numbers by unit: {day: 7, hour: 12}.
func (r *ruleReader) duration(at string, duration map[string]float64) (length time.Duration, ok bool) {
	epoch := time.Unix(0, 0).UTC()
	sum := 0.0
	for _, unit := range slices.Sorted(maps.Keys(duration)) {
		if !r.checkUnit(at, unit) {
			return 0, false
		}
		sum += duration[unit] * float64(shift(epoch, unit, 1).Sub(epoch))
	}
	if sum <= 0 || sum > float64(maxLength) {
		r.fail(at, "want a duration, such as {day: 7}, of up to a hundred years")
		return 0, false
	}
	return time.Duration(sum), true
}

func (r *ruleReader) checkUnit(at, unit string) bool {
	if slices.Contains(timeUnits(), unit) {
		return true
	}
	r.fail(at, "want one of %s, not %q", strings.Join(timeUnits(), ", "), unit)
	return false
}

// moment reads {timestamp}, or a number of units before or after now: {last, unit}, {next, unit}, or {value, unit},
// whose direction is the operator's (that the latter two exist is assumed).
func (r *ruleReader) moment(at string, value jsontext.Value, direction int) (moment, bool) {
	object := jsontree.Parse(value)
	if stamp := object.Get("timestamp"); stamp.Exists() {
		t, ok := timeOf(stamp.Text())
		if !ok {
			r.fail(at+".timestamp", "want Unix seconds or ISO 8601, not %s", stamp.Raw())
		}
		return func(time.Time) time.Time { return t }, ok
	}
	n := object.Get("value")
	if last := object.Get("last"); last.Exists() {
		n, direction = last, -1
	} else if next := object.Get("next"); next.Exists() {
		n, direction = next, 1
	}
	count, err := strconv.Atoi(n.Text())
	if err != nil || count < 0 || count > maxUnits {
		r.fail(at, "want a time, as {timestamp}, or {last, unit} with an integer up to %d", maxUnits)
		return nil, false
	}
	unit := object.Get("unit").Text()
	return func(now time.Time) time.Time { return shift(now, unit, direction*count) }, r.checkUnit(at+".unit", unit)
}

// lengths holds how long the units of time are.
var lengths = map[string]struct {
	months, days int
	time         time.Duration
}{
	"year": {months: 12}, "quarter": {months: 3}, "month": {months: 1}, "week": {days: 7}, "day": {days: 1},
	"hour": {time: time.Hour}, "minute": {time: time.Minute}, "second": {time: time.Second},
}

func shift(t time.Time, unit string, n int) time.Time {
	length := lengths[unit]
	return t.AddDate(0, n*length.months, n*length.days).Add(time.Duration(n) * length.time)
}

// startOf returns the start of the calendar unit that contains a time.
func startOf(t time.Time, unit string) time.Time {
	year, month, day := t.UTC().Date()
	switch unit {
	case "year":
		month, day = time.January, 1
	case "quarter":
		month, day = month-(month-1)%3, 1
	case "month":
		day = 1
	case "week":
		day -= (int(t.UTC().Weekday()) + 6) % 7
	case "hour":
		return t.UTC().Truncate(time.Hour)
	case "minute":
		return t.UTC().Truncate(time.Minute)
	case "second":
		return t.UTC().Truncate(time.Second)
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// operand is the value of a condition, with which the values of profiles are compared.
type operand struct {
	kind jsontext.Kind // '"', '0', 't' for true and false, '{' for a moment
	text string
	at   moment
}

func (r *ruleReader) operand(at string, value jsontext.Value) (operand, bool) {
	switch kind := value.Kind(); kind {
	case '"', '0':
		return operand{kind: kind, text: jsontree.Parse(value).Text()}, true
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
