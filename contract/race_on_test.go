//go:build race

package contract_test

// raceFactor is the factor by which allocations grow under the race detector, which empties pools at random.
const raceFactor = 8
