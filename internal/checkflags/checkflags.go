// Package checkflags holds the flags of a check, and writes its results to the files that they name. Two commands
// share it: understudy check, and understudy-beam in a module of its own.
package checkflags

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Flags are the flags that say what is judged, and how.
type Flags struct {
	Recording
	Baseline

	trust    Choice
	disputed Choice
	complete Choice
	accounts []string
	gaps     Choice

	undeclared Choice

	severities     []string
	minimums       Minimums
	inconclusive   float64
	ignoredHeaders []string
	limits         latencyLimits
}

// Add adds the flags to those of a command.
func (f *Flags) Add(flags *pflag.FlagSet) {
	f.Recording.Add(flags)
	f.Baseline.Add(flags, "findings", "violations")
	f.trust = ChoiceOf(string(specs.Documented), string(specs.Public), string(specs.Client), string(specs.Assumed))
	f.trust.Word = string(specs.Public)
	flags.Var(&f.trust, "trust", "the least certain source for which a deviation is an error")
	f.disputed = ChoiceOf("report", "fail")
	flags.Var(&f.disputed, "disputed", "what to do with findings on which the two engines differ")
	flags.StringArrayVar(&f.accounts, "account", nil,
		"requests with a key are of one account and of no other one that is given: `NAME=KEY`, the name is free, the key\n"+
			"as the recording shows it (repeatable; by default an address has one account unless the recording shows\n"+
			"what cannot be of one)")
	f.undeclared = ChoiceOf("notice", "error")
	flags.Var(&f.undeclared, "undeclared",
		"how loud a field or a parameter is that a document of your own does not name: an object\nis open unless its schema "+
			"closes it")
	f.complete = ChoiceOf(string(contract.CompleteAuto), string(contract.CompleteAlways), string(contract.CompleteNever))
	flags.Var(&f.complete, "complete",
		"whether recordings contain all requests to an account: auto assumes so until one shows\notherwise")
	f.gaps = ChoiceOf("report", "fail")
	flags.Var(&f.gaps, "gaps", "what to do when exchanges are missing, according to the numbers in understudy recordings")
	flags.StringArrayVar(&f.severities, "severity", nil,
		"the severity of findings, as `RULE[@OPERATION]=LEVEL`: error, warning, notice or off; names may be\n"+
			"patterns, the first that matches applies (repeatable)")
	f.minimums.Add(flags)
	flags.Float64Var(&f.inconclusive, "max-inconclusive", 100,
		"fail when more than `PERCENT` of the checks are inconclusive")
	flags.StringArrayVar(&f.ignoredHeaders, "ignore-header", nil,
		"do not judge headers with names like `PATTERN`, such as X-Acme-* (repeatable)")
	flags.Var(&f.limits, "latency",
		"the time limit of an operation, as in workflow.listPools=300ms; names may be\n"+
			"patterns, the most specific one applies (repeatable)")
}

// Options returns the options of the check that the flags describe.
func (f *Flags) Options() (Options, error) {
	o, err := f.Recording.Options()
	if err != nil {
		return o, err
	}
	o.Trust, o.Complete = f.trust.Word, f.complete.Word
	o.Disputed, o.Gaps = f.disputed.Word == "fail", f.gaps.Word == "fail"
	o.Undeclared = f.undeclared.Word == "error"
	o.IgnoredHeaders, o.Latency, o.Thresholds = f.ignoredHeaders, f.limits.most, f.minimums
	o.Baseline = f.accepted()
	if f.inconclusive < 100 {
		o.MaxInconclusive = &f.inconclusive
	}
	var errs []error
	for _, text := range f.accounts {
		name, key, found := strings.Cut(text, "=")
		if !found || name == "" || key == "" {
			errs = append(errs, errors.New("--account: want NAME=KEY, as in --account shop=1/1234"))
		}
		o.Accounts = append(o.Accounts, [2]string{name, key})
	}
	for _, text := range f.severities {
		severity, err := severityOf(text)
		o.Severities, errs = append(o.Severities, severity), append(errs, err)
	}
	return o, errors.Join(errs...)
}

// severityOf reads RULE[@OPERATION]=LEVEL.
func severityOf(text string) (Severity, error) {
	name, level, found := strings.Cut(text, "=")
	rule, operation, _ := strings.Cut(name, "@")
	if !found || rule == "" || level == "" {
		return Severity{}, fmt.Errorf("--severity %q: want RULE[@OPERATION]=LEVEL, as in schema=warning or "+
			"undeclared-field@core.*=off", text)
	}
	return Severity{rule, cmp.Or(operation, "*"), report.Severity(level)}, nil
}

// Files lists the files that a check of recordings writes and reads, without those of its report.
func (f *Flags) Files(recordings []string) (written, read []File) {
	written, read = f.Baseline.Files()
	return written, append(f.Recording.Files(recordings), read...)
}
