//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"syscall"
)

// Separate makes a command the first of a process group of its own.
func Separate(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// Signal sends a signal to all processes in the group of a command that Separate was called for.
func Signal(p *os.Process, s os.Signal) error {
	if number, ok := s.(syscall.Signal); ok {
		return syscall.Kill(-p.Pid, number)
	}
	return p.Signal(s)
}
