package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/beam/pipeline"
	"svc.example/understudy/specs"
)

// checkFlags are the flags of understudy check that say what is judged, and how, with its names and texts.
type checkFlags struct {
	bases          pairs
	rewrites       rewrites
	specs          pairs
	extras         choice
	guess          bool
	brand          string
	ignoredHosts   []string
	ignoredPaths   []string
	ignoredHeaders []string

	trust         choice
	disputed      choice
	complete      choice
	gaps          choice
	severities    severities
	minimums      minimums
	inconclusive  float64
	limits        latencyLimits
	baseline      string
	writeBaseline string
}

func (f *checkFlags) add(flags *pflag.FlagSet) {
	f.bases, f.specs = pairs{what: "URL", many: true}, pairs{what: "FILE"}
	flags.Var(&f.bases, "base", "the base address of an interface in the recording (repeatable)")
	flags.Var(&f.rewrites, "rewrite",
		"judge addresses that begin with FROM as if they began with TO: a path on any host, or a URL;\n"+
			"hosts and segments of FROM may be patterns, the first that matches applies (repeatable)")
	flags.BoolVar(&f.guess, "guess", true, "guess the addresses of interfaces without --base")
	flags.Var(&f.specs, "spec", "an OpenAPI document of your own for an interface (repeatable)")
	f.extras = choiceOf("all", "none")
	flags.Var(&f.extras, "extras",
		"which of the extras, which clients call beside the documented operations, to include")
	flags.StringArrayVar(&f.ignoredHosts, "ignore-host", nil,
		"ignore exchanges with hosts like `PATTERN`, such as *.cdn.example.com (repeatable)")
	flags.StringArrayVar(&f.ignoredPaths, "ignore-path", nil,
		"ignore exchanges with paths like `PATTERN`, such as /assets/** (repeatable)")
	flags.StringArrayVar(&f.ignoredHeaders, "ignore-header", nil,
		"do not judge headers with names like `PATTERN`, such as X-Acme-* (repeatable)")
	flags.StringVar(&f.brand, "brand", string(specs.Neutral), "the `WORD` that exact identifiers carry, as in SVC1")
	f.addVerdicts(flags)
}

// addVerdicts adds the flags that say what fails.
func (f *checkFlags) addVerdicts(flags *pflag.FlagSet) {
	f.trust = choiceOf(string(specs.Documented), string(specs.Public), string(specs.Client), string(specs.Assumed))
	f.trust.word = string(specs.Public)
	flags.Var(&f.trust, "trust", "the least certain source for which a deviation is an error")
	f.disputed = choiceOf("report", "fail")
	flags.Var(&f.disputed, "disputed", "what to do with findings on which the two engines differ")
	f.complete = choiceOf(string(contract.CompleteAuto), string(contract.CompleteAlways), string(contract.CompleteNever))
	flags.Var(&f.complete, "complete",
		"whether recordings contain all requests to an account: auto assumes so until one shows\notherwise")
	f.gaps = choiceOf("report", "fail")
	flags.Var(&f.gaps, "gaps", "what to do when exchanges are missing, according to the numbers in understudy recordings")
	flags.Var(&f.severities, "severity",
		"the severity of findings, as `RULE[@OPERATION]=LEVEL`: error, warning, notice or off; names may be\n"+
			"patterns, the first that matches applies (repeatable)")
	flags.Var(&f.minimums, "min",
		"fail when coverage of an axis is below a percentage; the axes are operations, requests, responses,\n"+
			"parameters, enums, properties and rules (repeatable)")
	flags.Float64Var(&f.inconclusive, "max-inconclusive", 100,
		"fail when more than `PERCENT` of the checks are inconclusive")
	flags.Var(&f.limits, "latency",
		"the time limit of an operation, as in workflow.listPools=300ms; names may be\n"+
			"patterns, the most specific one applies (repeatable)")
	flags.StringVar(&f.baseline, "baseline", "",
		"accept the findings in `FILE`, and fail when one of them no longer occurs")
	flags.StringVar(&f.writeBaseline, "write-baseline", "", "write all violations to `FILE` as a baseline")
}

func (f *checkFlags) options() pipeline.Options {
	o := pipeline.Options{
		Bases: f.bases.list, Rewrites: f.rewrites.list, Specs: f.specs.list, Brand: f.brand, Trust: f.trust.word,
		Guess: f.guess, NoExtras: f.extras.word == "none", Disputed: f.disputed.word == "fail",
		Gaps: f.gaps.word == "fail", Complete: f.complete.word, Severities: f.severities, Thresholds: f.minimums,
		IgnoredHosts: f.ignoredHosts, IgnoredPaths: f.ignoredPaths, IgnoredHeaders: f.ignoredHeaders, Latency: f.limits,
	}
	if f.inconclusive < 100 {
		o.MaxInconclusive = &f.inconclusive
	}
	if !f.isNewBaseline() {
		o.Baseline = f.baseline
	}
	return o
}

// isNewBaseline reports whether the baseline is to be written for the first time.
func (f *checkFlags) isNewBaseline() bool {
	_, err := os.Stat(f.baseline)
	return filepath.Clean(f.baseline) == filepath.Clean(f.writeBaseline) && errors.Is(err, fs.ErrNotExist)
}
