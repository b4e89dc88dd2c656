package record

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ParseTime parses a time in any of the forms that recording tools write. It is zero for any other text.
func ParseTime(text string) time.Time {
	text = strings.TrimSpace(text)
	for _, layout := range []string{
		time.RFC3339Nano, http.TimeFormat, time.RFC1123Z, time.RFC1123, "2006-01-02T15:04:05.999999999Z0700",
		"2006-01-02 15:04:05.999999999 Z07:00", "2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05.999999999 Z",
	} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}

// ParseUnixSeconds reads seconds since 1970, with a fraction. It is zero for other texts, and for times far from now.
func ParseUnixSeconds(text string) time.Time { return unixTime(text, time.Second) }

// ParseUnixMilliseconds reads milliseconds since 1970.
func ParseUnixMilliseconds(text string) time.Time { return unixTime(text, time.Millisecond) }

func unixTime(text string, unit time.Duration) time.Time {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0) || n > float64(math.MaxUint32*int64(time.Second/unit)) {
		return time.Time{}
	}
	return time.UnixMicro(int64(n * float64(unit/time.Microsecond))).UTC()
}

// ParseMilliseconds reads a duration, 0 if it is none, or more than a day.
func ParseMilliseconds(text string) time.Duration {
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil || !(ms >= 0) || ms > float64(24*time.Hour/time.Millisecond) {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}
