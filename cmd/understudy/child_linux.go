package main

import "syscall"

// endWithParent makes a command end when this process is killed.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGTERM }
