// Package procgroup signals a command together with all processes that it has started: a command may be a script, whose
// end does not end its children. It also knows which signals a system has for a process and its command.
package procgroup
