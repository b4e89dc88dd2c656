package procgroup

import (
	"os"
	"os/exec"
	"syscall"
)

// Others are none: a console that is closed sends SIGTERM.
var Others []os.Signal

// PassedOn are the signals that a command gets from its server. A console sends Ctrl-C to all of its processes.
var PassedOn = []os.Signal{os.Interrupt, syscall.SIGTERM}

// IsOfTerminal reports whether a console sends a signal to all of its processes.
func IsOfTerminal(s os.Signal) bool { return s == os.Interrupt }

// SharesTerminal reports that a command gets what is typed on the console of this process.
func SharesTerminal() bool { return true }

// Separate does nothing: Windows has no process groups of this kind.
func Separate(*exec.Cmd) {}

// Signal ends the process: Windows knows no other signal.
func Signal(p *os.Process, _ os.Signal) error { return p.Kill() }
