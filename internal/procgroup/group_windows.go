package procgroup

import (
	"os"
	"os/exec"
)

// Separate does nothing: Windows has no process groups of this kind.
func Separate(*exec.Cmd) {}

// Signal ends the process: Windows knows no other signal.
func Signal(p *os.Process, _ os.Signal) error { return p.Kill() }
