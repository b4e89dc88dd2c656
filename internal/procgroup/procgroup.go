// Package procgroup signals a command together with all processes that it has started: a command may be a script, whose
// end does not end its children.
package procgroup
