package simulation_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain has rapid draw the same histories in each run, so that no build breaks by chance: -rapid.seed draws others.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == seed.DefValue {
		if err := flag.Set("rapid.seed", "1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
