// Package checkflags holds the flags of a check, and writes its results to the files that they name. Two commands
// share it: understudy check, and understudy-beam in a module of its own.
package checkflags

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

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
	limits         List[limit]
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
	f.limits = ListOf("OPERATION=DURATION", readLimit)
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
	o.IgnoredHeaders, o.Thresholds = f.ignoredHeaders, f.minimums.Values
	for _, l := range f.limits.Values {
		if o.Latency == nil {
			o.Latency = map[string]time.Duration{}
		}
		o.Latency[l.operation] = l.most
	}
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

// AllExtras is the value of --extras that includes them.
const AllExtras = "all"

// Recording are the flags that say what is in a recording, and where.
type Recording struct {
	Bases    Pairs
	Rewrites Rewrites
	Specs    Pairs
	Extras   Choice
	Guess    bool
	Brand    string

	only         []string
	ignoredHosts []string
	ignoredPaths []string
}

// Add adds the flags to those of a command.
func (r *Recording) Add(flags *pflag.FlagSet) {
	r.Bases = Pairs{What: "URL", Many: true}
	flags.Var(&r.Bases, "base", "the base address of an interface in the recording (repeatable)")
	r.Rewrites.Add(flags)
	flags.BoolVar(&r.Guess, "guess", true, "guess the addresses of interfaces without --base")
	AddSpecs(flags, &r.Specs)
	flags.StringSliceVar(&r.only, "interfaces", nil,
		"judge and count only these interfaces, a list of `NAMES` such as shop,core (default: all)")
	AddExtras(flags, &r.Extras)
	flags.StringArrayVar(&r.ignoredHosts, "ignore-host", nil,
		"ignore exchanges with hosts like `PATTERN`, such as *.cdn.example.com (repeatable)")
	flags.StringArrayVar(&r.ignoredPaths, "ignore-path", nil,
		"ignore exchanges with paths like `PATTERN`, such as /assets/** (repeatable)")
	AddBrand(flags, &r.Brand)
}

// Documents returns the documents that the flags give.
func (r *Recording) Documents() (*specs.Set, error) { return r.Specs.Documents(r.only, r.Brand) }

// AddSpecs adds the flags with the user's documents, and with what changes them.
func AddSpecs(flags *pflag.FlagSet, value *Pairs) {
	*value = Pairs{What: "FILE"}
	flags.Var(value, "spec", "an OpenAPI document of your own: of a new interface, as in shop=openapi.yaml, or in place\n"+
		"of one of the platform's (repeatable)")
	flags.Var(overlays{value}, "overlay",
		"change a document by an OpenAPI Overlay 1.0, `[NAME=]FILE`: that of an interface, as in\n"+
			"shop=resources.yaml, or else the only one of --spec (repeatable)")
}

// AddExtras adds the flag that chooses among the extras.
func AddExtras(flags *pflag.FlagSet, value *Choice) {
	*value = ChoiceOf(AllExtras, "none")
	flags.Var(value, "extras", "which of the extras, which clients call beside the documented operations, to include")
}

// AddBrand adds the flag with the brand.
func AddBrand(flags *pflag.FlagSet, word *string) {
	flags.StringVar(word, "brand", string(specs.Neutral), "the `WORD` that exact identifiers carry, as in SVC1")
}

// Options returns the options that the flags describe.
func (r *Recording) Options() (Options, error) {
	if _, err := specs.ParseBrand(r.Brand); err != nil {
		return Options{}, err
	}
	return Options{
		Brand: r.Brand, Guess: r.Guess, NoExtras: r.Extras.Word != AllExtras, IgnoredHosts: r.ignoredHosts,
		IgnoredPaths: r.ignoredPaths, Bases: r.Bases.List, Rewrites: r.Rewrites.Values,
		Specs: r.Specs.List, Overlays: r.Specs.Overlays,
		Only: r.only,
	}, nil
}

// Files lists the recordings and the documents that are read.
func (r *Recording) Files(recordings []string) (read []File) {
	for _, path := range recordings {
		read = append(read, File{path, "the recording " + path})
	}
	return append(read, r.Specs.Files()...)
}

// Options are those of a contract.Checker in a form that travels to other processes as JSON. Files in it are read under
// the same name there.
type Options struct {
	Bases           [][2]string // interface and URL
	Rewrites        [][2]string // from and to
	Specs           [][2]string // interface and file
	Overlays        [][2]string // likewise
	Only            []string    // interfaces; nil for all
	Brand           string
	Trust           string // empty for the default
	Guess           bool
	NoExtras        bool
	Disputed        bool
	Undeclared      bool
	Gaps            bool
	Complete        string      // empty for the default
	Accounts        [][2]string // name and key
	Severities      []Severity
	Thresholds      []report.Threshold
	MaxInconclusive *float64
	IgnoredHosts    []string
	IgnoredPaths    []string
	IgnoredHeaders  []string
	Latency         map[string]time.Duration
	Baseline        string

	Salt    []byte         // of the marks of secrets, for processes that share a recording
	Guessed contract.Guess // from the whole of that recording
}

// Severity is that of the findings of a rule for operations, as contract.WithSeverity takes them.
type Severity struct {
	Rule, Operation string
	Level           report.Severity
}

// List returns the options as a contract.Checker takes them.
func (o *Options) List() []contract.Option {
	opts := []contract.Option{
		contract.WithGuess(o.Guess), contract.WithExtras(!o.NoExtras), contract.WithDisputed(o.Disputed),
		contract.WithUndeclared(o.Undeclared),
		contract.WithGaps(o.Gaps), contract.WithIgnoredHosts(o.IgnoredHosts...), contract.WithIgnoredPaths(o.IgnoredPaths...),
		contract.WithIgnoredHeaders(o.IgnoredHeaders...), contract.WithLatency(o.Latency),
	}
	if o.Brand != "" {
		opts = append(opts, contract.WithBrand(specs.Brand(o.Brand)))
	}
	if o.Trust != "" {
		opts = append(opts, contract.WithTrust(specs.Provenance(o.Trust)))
	}
	if o.Complete != "" {
		opts = append(opts, contract.WithComplete(contract.Completeness(o.Complete)))
	}
	if o.MaxInconclusive != nil {
		opts = append(opts, contract.WithMaxInconclusive(*o.MaxInconclusive))
	}
	if o.Baseline != "" {
		opts = append(opts, contract.WithBaseline(o.Baseline))
	}
	if len(o.Salt) > 0 {
		opts = append(opts, contract.WithSalt(o.Salt))
	}
	return append(opts, o.repeated()...)
}

// repeated returns the options that may be given more than once.
func (o *Options) repeated() (opts []contract.Option) {
	for _, base := range o.Bases {
		opts = append(opts, contract.WithBaseURL(specs.Interface(base[0]), base[1]))
	}
	for _, rewrite := range o.Rewrites {
		opts = append(opts, contract.WithRewrite(rewrite[0], rewrite[1]))
	}
	opts = append(opts,
		Documents(&Pairs{List: o.Specs, Overlays: o.Overlays}, contract.WithSpec, contract.WithOverlay)...)
	if len(o.Only) > 0 {
		opts = append(opts, contract.WithInterfaces(specs.InterfacesOf(o.Only)...))
	}
	for _, a := range o.Accounts {
		opts = append(opts, contract.WithAccount(a[0], a[1]))
	}
	for _, s := range o.Severities {
		opts = append(opts, contract.WithSeverity(s.Rule, s.Operation, s.Level))
	}
	for _, t := range o.Thresholds {
		opts = append(opts, contract.WithThreshold(t.Axis, t.Want))
	}
	return opts
}
