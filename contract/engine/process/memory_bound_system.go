//go:build linux && !race

package process

import "syscall"

// boundBySystem lets the system refuse memory beyond a limit, for what grows too fast to be watched.
func boundBySystem(limit uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit}) // the process is watched, too
}
