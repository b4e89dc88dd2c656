//go:build !linux

package procgroup

import "os/exec"

// EndWithParent does nothing: only Linux ends a command when its parent is killed.
func EndWithParent(*exec.Cmd) {}
