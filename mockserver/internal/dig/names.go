package dig

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName     = 255
	maxTaskName = 640
	extension   = ".dig"

	// Refused in the names of projects and workflows (client), and of tasks (assumed), where + and ^ part the names.
	reserved = `+^@/\:*?"<>|`
)

// CheckProjectName returns an error that explains why a project cannot have this name, or nil.
func CheckProjectName(name string) error {
	if err := checkName("a project name", name); err != nil {
		return err
	}
	if name[0] >= '0' && name[0] <= '9' {
		return &Error{Reason: "a project name must not begin with a digit: " + quote(name)}
	}
	return nil
}

// checkWorkflowName is CheckProjectName without the rule on the leading digit: files called 01_load.dig are common, and
// that the engine refuses them is nowhere stated (assumed).
func checkWorkflowName(file, name string) error {
	if err := checkName("a workflow name", name); err != nil {
		return &Error{File: file, Reason: err.Error()}
	}
	return nil
}

func checkName(what, name string) error {
	switch {
	case name == "":
		return &Error{Reason: what + " must not be empty"}
	case len(name) > maxName:
		return failf("", 0, "%s has at most %d bytes, but this one has %d", what, maxName, len(name))
	case strings.HasSuffix(name, extension):
		return &Error{Reason: what + " must not end in " + extension + ": " + quote(name)}
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return &Error{Reason: what + " must be printable UTF-8: " + quote(name)}
	case strings.ContainsAny(name, reserved):
		return &Error{Reason: what + " must not contain any of " + reserved + ": " + quote(name)}
	}
	return nil
}

// CheckSecretKey returns an error that explains why a secret cannot have this key, or nil: it is made of dot-separated
// segments of letters, digits, _ and -, at most 255 bytes in all (client).
func CheckSecretKey(key string) error {
	if len(key) > maxName {
		return failf("", 0, "a secret key has at most %d bytes, but this one has %d", maxName, len(key))
	}
	for segment := range strings.SplitSeq(key, ".") {
		if segment == "" || strings.ContainsFunc(segment, notInSegment) {
			return &Error{Reason: "a secret key consists of segments of letters, digits, _ and -, separated by single dots: " +
				quote(key)}
		}
	}
	return nil
}

func notInSegment(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// checkTaskName checks one segment, the + included. The manual shows letters, digits, _ and -; anything else that
// cannot be mistaken for a path passes, in any script (assumed).
func checkTaskName(name string) string {
	switch rest := name[1:]; {
	case rest == "":
		return "a task needs a name after its +"
	case strings.ContainsAny(rest, reserved) || strings.ContainsFunc(rest, unicode.IsControl):
		return "a task name must not contain any of " + reserved + " after its +: " + quote(name)
	}
	return ""
}
