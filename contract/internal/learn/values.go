package learn

import (
	"regexp"
	"time"

	"github.com/tidwall/gjson"

	"svc.example/understudy/specs/recording"
)

// instant reads the forms of time that the interfaces have.
func instant(text string) time.Time {
	for _, form := range []string{
		time.RFC3339Nano, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05",
	} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// timeText returns a time as a scenario has it, or the empty text for none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// timeOf returns a time of an object as a scenario has it, or the empty text.
func timeOf(v gjson.Result) string { return timeText(instant(v.String())) }

var mark = regexp.MustCompile(`\[redacted(?::([0-9a-f]+))?\]`)

// clean returns a text with a word in the place of each secret.
func clean(text string) string { return mark.ReplaceAllString(text, "redacted-$1") }

// isRedacted reports whether a text is a secret, of which nothing is left.
func isRedacted(text string) bool {
	return len(text) >= len(recording.Mark) && mark.FindString(text) == text
}

// ids returns an id as a number where it is one, as the house writes them.
func idOf(text string) any {
	v := gjson.Parse(text)
	if v.Type == gjson.Number && v.Raw == text && v.Int() > 0 {
		return v.Int()
	}
	return text
}

// lengthText returns a length of time as a scenario has it, in whole milliseconds.
func lengthText(d time.Duration) string { return max(0, d.Round(time.Millisecond)).String() }

// durationText returns a length of time as a scenario has it, in whole milliseconds, or the empty text for none.
func durationText(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return lengthText(d)
}
