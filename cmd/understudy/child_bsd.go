//go:build unix && !linux

package main

import "os/exec"

// endWithParent does nothing: only Linux ends a command when its parent is killed.
func endWithParent(*exec.Cmd) {}
