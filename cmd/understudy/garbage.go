package main

import (
	"os"
	"runtime/debug"
)

// tuneGarbageCollection lets a process that reads long recordings collect garbage less often, as long as it needs less
// memory than a limit. Those who set GOGC or GOMEMLIMIT have chosen otherwise.
func tuneGarbageCollection() {
	const (
		percent = 400       // of what is in use, before the next collection; Go's own default is 100
		limit   = 200 << 20 // bytes, beyond which it is collected as often as it has to be
	)
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
