//go:build race

package contract_test

// raceFactor is how many times more is allocated under the race detector, which empties pools at random.
const raceFactor = 8
