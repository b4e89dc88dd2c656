package world_test

import (
	"testing"
	"unsafe"

	"svc.example/understudy/mockserver/internal/world"
)

// Each change copies the world: beyond this size, the copy is of the next size class.
func TestACopyOfAWorldIsSmall(t *testing.T) {
	t.Parallel()
	if size := unsafe.Sizeof(world.State{}); size > 1280 {
		t.Errorf("a world takes %d bytes, want at most 1280", size)
	}
}

//nolint:paralleltest // others would allocate as well
func TestAskingForAWaitingEventIsFree(t *testing.T) {
	w := &world.State{}
	if n := testing.AllocsPerRun(100, func() { w.WaitingAs(world.DueEvent{Kind: world.JobEvent, ID: 1}) }); n > 0 {
		t.Errorf("it allocates %g times, want never", n)
	}
}
