package process

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"
)

// memoryVariable is the environment variable with the number of bytes that a child may use.
const memoryVariable = "UNDERSTUDY_ENGINE_MEMORY"

// exitMemory is the exit code of a child that needs more memory than it may use.
const exitMemory = 3

// LimitMemory limits the memory of this process as its parent demands by an environment variable: its heap is collected
// more often when little is left, and beyond the limit the process ends.
func LimitMemory() {
	limit, err := strconv.ParseUint(os.Getenv(memoryVariable), 10, 63)
	if err != nil || limit == 0 {
		return
	}
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(int64(limit / 4 * 3))
	boundBySystem(2 * limit)
	go watch(limit)
}

// watch ends the process when its heap is beyond a limit.
func watch(limit uint64) {
	const interval = 50 * time.Millisecond
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(interval) {
		if metrics.Read(sample); sample[0].Value.Uint64() > limit {
			os.Exit(exitMemory)
		}
	}
}
