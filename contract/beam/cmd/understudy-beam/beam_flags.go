package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	beamrunners "github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/spf13/pflag"

	"svc.example/understudy/specs/source"
)

// shown are the flags of Beam that help lists. The others are taken, too.
func shown() []string {
	return []string{
		"runner", "endpoint", "environment_type", "environment_config", "worker_binary", "job_name", "parallelism",
		"experiments",
	}
}

// runners are the runners of Beam that run a job to its end. Beam ends the process for a name that it does not know.
func runners() []string {
	return []string{
		"prism", "direct", "universal", "portable", "flink", "spark", "dataflow",
		"PrismRunner", "DirectRunner", "PortableRunner", "FlinkRunner", "SparkRunner", "DataflowRunner",
	}
}

func checkRunner(name string) error {
	if name == "" || slices.Contains(runners(), name) {
		return nil
	}
	return fmt.Errorf("--runner %s: want %s", name, source.OneOf(name, runners()))
}

// isEmbedded reports whether the runner is in this process.
func isEmbedded() bool {
	return *jobopts.Endpoint == "" && slices.Contains([]string{"", "prism", "direct"}, *beamrunners.Runner)
}

// addBeamFlags adds the flags that Beam's packages keep in flag.CommandLine.
func addBeamFlags(flags *pflag.FlagSet) {
	flag.VisitAll(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, "test.") || flags.Lookup(f.Name) != nil {
			return
		}
		added := flags.VarPF(beamFlag{f}, f.Name, "", f.Usage)
		added.Hidden = !slices.Contains(shown(), f.Name)
		if boolean, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && boolean.IsBoolFlag() {
			added.NoOptDefVal = "true"
		}
	})
}

// beamFlag is a flag of flag.CommandLine. It is set there, where Beam asks which flags were given.
type beamFlag struct{ flag *flag.Flag }

func (b beamFlag) String() string { return b.flag.Value.String() }

func (b beamFlag) Set(text string) error { return flag.Set(b.flag.Name, text) }

func (b beamFlag) Type() string { return "beam" }
