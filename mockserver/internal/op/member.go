package op

import (
	"strconv"
	"strings"
)

// Member returns the path of the field within the resource that the body of a request has, such as rule, conditions, 0.
func (e *Error) Member() []any {
	var path []any
	field := strings.TrimPrefix(e.Field, "data.")
	for step := range strings.SplitSeq(field, ".") {
		if n, err := strconv.Atoi(step); err == nil {
			path = append(path, n)
		} else if step != "" {
			path = append(path, step)
		}
	}
	return path
}
