package dig

import (
	"fmt"
	"strconv"
)

func failf(file string, line int, format string, args ...any) error {
	return &Error{File: file, Line: line, Reason: fmt.Sprintf(format, args...)}
}

// quote shows text of the caller in an error, cut so that no error grows with its cause.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}
