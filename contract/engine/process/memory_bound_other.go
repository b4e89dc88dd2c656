//go:build !linux || race

package process

// boundBySystem does nothing: the process is only watched. The race detector takes many times the memory of the
// program.
func boundBySystem(uint64) {}
