//go:build unix && !linux

package main

import "syscall"

// endWithParent does nothing: only Linux ends a command when its parent is killed.
func endWithParent(*syscall.SysProcAttr) {}
