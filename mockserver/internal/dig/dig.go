// Package dig reads what a workflow project is made of: the archive it is uploaded as, the definitions in its .dig
// files, the plan of tasks that each definition runs, and the times of its schedule.
//
// It is pure: bytes and times go in, values come out. It knows no world and no clock, and reads no file but the
// machine's table of time zones. Whatever it refuses is the caller's fault and an *Error. All input is hostile until
// read: every size is counted while reading, and nothing that a file merely promises (a loop of a million rounds, an
// alias of an alias) is ever laid out.
package dig

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxTasks is the number of tasks that one attempt may have (public). A workflow with more can be uploaded, but not
// started.
const MaxTasks = 1000

// Error describes a mistake in an upload: its place, what is wrong, and what would be right. File is empty when the
// archive as a whole is meant; Line counts from 1 and is 0 when no line is known.
type Error struct {
	File   string
	Line   int
	Reason string
}

// Error returns "file:line: reason", as far as they are known.
func (e *Error) Error() string {
	switch {
	case e.File == "" && e.Line == 0:
		return e.Reason
	case e.File == "":
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	case e.Line == 0:
		return e.File + ": " + e.Reason
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// Project is one revision: its workflows, sorted by name.
type Project struct {
	Workflows []Workflow
}

// Workflow is one definition. Config is the whole of it as a JSON object in the order of the file, aliases and merges
// resolved. Schedule is nil when it has none. Tasks is its plan: the root first, parents before children; it is nil
// when TaskCount is over MaxTasks.
type Workflow struct {
	Name, Timezone string
	Zone           *time.Location
	Config         json.RawMessage
	Schedule       *Schedule
	Tasks          []Task
	TaskCount      int
}

// Task is one entry of a plan. Parent and Upstreams are indexes into the plan; Parent is -1 for the root.
type Task struct {
	Name             string // the full name, "+daily_orders+load+insert"
	Parent           int
	Upstreams        []int           // must be over before this one starts
	Group            bool            // only groups, runs no operator
	Config           json.RawMessage // its own keys, in order, without its + children and its _export
	Export           json.RawMessage // its _export, an empty object when it has none
	Operator         string          // "echo" of `echo>: hello`, empty for groups
	Command          string          // "hello"; JSON when it is a list or mapping
	Retries          int
	RetryInterval    time.Duration
	RetryExponential bool // each further interval is twice the one before
	Generated        bool // made when its parent runs, as the rounds of a loop are
}

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
