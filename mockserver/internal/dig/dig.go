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
	"time"
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
