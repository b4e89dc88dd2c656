package main

import (
	"os"
	"os/exec"
	"syscall"
)

// otherSignals are none: a console that is closed sends SIGTERM.
var otherSignals []os.Signal

// passedOn are the signals that a command gets from its server. A console sends Ctrl-C to all of its processes.
var passedOn = []os.Signal{os.Interrupt, syscall.SIGTERM}

func isOfTerminal(s os.Signal) bool { return s == os.Interrupt }

func sharesTerminal() bool { return true }

func endWithParent(*exec.Cmd) {}

func signalOf(*os.ProcessState) int { return 0 }
