package checkflags

import (
	"time"

	"svc.example/understudy/contract"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

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
