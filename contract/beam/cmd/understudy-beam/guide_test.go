package main_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	command "svc.example/understudy/contract/beam/cmd/understudy-beam"
)

var (
	inGuide = regexp.MustCompile("(?m)(?:^\\./understudy-beam |`|\\| `| )--([a-z][a-z_-]+)")
	counted = regexp.MustCompile("`((?:exchanges|entries|events)_?[a-z_]*|keys|violations)`")
)

// The guide names flags that there are, and all metrics.
func TestTheGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../docs/guide/beam.md")
	if err != nil {
		t.Fatal(err)
	}
	named := inGuide.FindAllStringSubmatch(string(text), -1)
	if len(named) < 15 {
		t.Errorf("the guide names %d flags", len(named))
	}
	for _, found := range named {
		if found[1] != "color" && found[1] != "engine" && found[1] != "minimize" && command.Flags().Lookup(found[1]) == nil {
			t.Errorf("the guide names --%s, which does not exist", found[1])
		}
	}
	_, stderr, code := understudyBeam(t, "-v", testdata+"pools.ndjson")
	for _, found := range counted.FindAllStringSubmatch(string(text), -1) {
		if code != 0 || !strings.Contains(stderr, "\n"+found[1]+" ") {
			t.Errorf("exit code %d; the guide names the metric %s, which is not in\n%s", code, found[1], stderr)
		}
	}
}
