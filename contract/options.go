package contract

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/compare"
	"svc.example/understudy/contract/internal/facts"
	"svc.example/understudy/contract/internal/history"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Option sets something about a check.
type Option func(*config) error

// set returns an option that cannot fail.
func set(change func(*config)) Option { return func(c *config) error { change(c); return nil } }

type config struct {
	bases      map[specs.Interface][]string
	specs      map[specs.Interface]string
	overlays   specs.Overlays
	only       []specs.Interface // nil: all that there are
	brand      specs.Brand
	trust      specs.Provenance
	engine     engine.Engine
	disputed   bool
	undeclared bool
	disabled   []string
	shapeDir   string
	label      string

	severities []severity
	baseline   *baseline
	thresholds []report.Threshold
	workers    int
	guess      bool
	noExtras   bool
	gapless    bool
	complete   Completeness

	maxInconclusive *float64
	ignoredHosts    []string
	ignoredPaths    []string
	ignoredHeaders  []string
	rewrites        []ownership.Rewrite
	mockOnAll       bool
	latency         []latencyLimit
	comparison      comparisonConfig
	found           func(*Finding, []report.ExchangeLine)
	changes         []ChangeRule
	salt            []byte
	effort          int // of learning, in exchanges
	accounts        map[uint64]string
}

// WithBaseURL adds a base address of an interface, such as https://workflow.example.com. The paths of its document
// follow after it; that of core ends in /v3. A * in its host is any text without a dot, but not in the last two labels:
// https://*.shop.example. An interface that was given one has no default addresses any more, but for those of a local
// mock.
func WithBaseURL(iface specs.Interface, address string) Option {
	return set(func(c *config) { c.bases[iface] = append(c.bases[iface], address) })
}

// WithSalt sets the salt of the marks that stand for secrets in reports, where equal ones have equal marks. By default
// it is random. Processes that judge parts of one recording need the same one, which should be a secret, too.
func WithSalt(salt []byte) Option {
	return func(c *config) error {
		c.salt = salt
		if len(salt) == 0 {
			return errors.New("salt: want some bytes")
		}
		return nil
	}
}

// DefaultEffort is enough for some hundred replays of a session.
const DefaultEffort = 40_000

// WithEffort bounds how many exchanges Learn replays to find out who may do what, about: DefaultEffort without it. The
// recording is replayed once in any case. A scenario that is tried counts as a quarter of the recording, beside what is
// replayed. With 0 users have what answers show.
func WithEffort(exchanges int) Option {
	return func(c *config) error {
		if exchanges < 0 {
			return fmt.Errorf("effort %d: want a number of exchanges, 0 or more", exchanges)
		}
		c.effort = exchanges
		return nil
	}
}

// WithBase does the same as WithBaseURL.
//
// Deprecated: use WithBaseURL, which has the name that it has in mockserver.
func WithBase(iface specs.Interface, address string) Option { return WithBaseURL(iface, address) }

// WithRewrite judges exchanges whose address begins with one prefix as if it began with another one, as behind a
// gateway that adds or changes prefixes; reports show addresses as they were recorded. The prefix from is a path, such
// as /gw/wf, and then that of any host, or a URL, whose host may be a pattern such as *.gw.example; a segment of either
// may be *. What it becomes is a path on the same host, such as /, or a URL. Prefixes are of whole segments. Of several
// options the first that fits decides. For a prefix on one host, WithBaseURL with a path is enough.
func WithRewrite(from, to string) Option {
	return func(c *config) error {
		rewrite, err := ownership.NewRewrite(from, to)
		c.rewrites = append(c.rewrites, rewrite)
		return err
	}
}

// CheckRewrite returns what is wrong with the prefixes of a WithRewrite, for a command that reads them long before it
// makes a checker.
func CheckRewrite(from, to string) error {
	_, err := ownership.NewRewrite(from, to)
	return err
}

// WithMockOnAllHosts takes every host for that of a mock, as it is with localhost anyway: an interface is below the
// path of its name, as in http://mock.example:4010/workflow. It is for what one mock recorded itself, under whichever
// names its clients know it: all addresses are of one installation.
func WithMockOnAllHosts() Option { return set(func(c *config) { c.mockOnAll = true }) }

// WithBrand sets the word that the platform's exact identifiers carry.
func WithBrand(brand specs.Brand) Option {
	return func(c *config) (err error) {
		c.brand, err = specs.ParseBrand(string(brand))
		return err
	}
}

// WithTrust sets the least sure provenance from which a deviation is an error: documented, public (the default), client
// or assumed.
func WithTrust(level specs.Provenance) Option {
	return func(c *config) error {
		trust, err := report.ParseTrust(string(level))
		c.trust = trust
		return err
	}
}

// WithEngine adds a second engine to the first one, which is kin-openapi, and jsonschema for documents of a user's own.
// The second engine judges whatever the first one faults, and of the rest the first 20 exchanges and more of each
// operation and status; where they differ, the finding is disputed. In a Go test that is libopenapi.New() of the
// package contract/engine/libopenapi, which takes minutes to compile for the first time. Without one the first judges
// alone.
func WithEngine(e engine.Engine) Option { return set(func(c *config) { c.engine = e }) }

// WithDisputed sets whether a finding on which the two judges differ makes a check fail. It does not by default.
func WithDisputed(fail bool) Option { return set(func(c *config) { c.disputed = fail }) }

// WithUndeclared sets whether fields and parameters that a user's own document does not name are as loud as other
// deviations from it. They are a notice by default, and parameters of the query a warning, since an object is open
// unless its schema closes it.
func WithUndeclared(loud bool) Option { return set(func(c *config) { c.undeclared = loud }) }

// WithViolations sets a function that is called with each violation as soon as it is found, and with the exchanges that
// show it: with the first of each fingerprint, one after another. The check then judges each exchange when it comes,
// for sources that are still being written. Rules between exchanges are judged at the end all the same.
func WithViolations(found func(*Finding, []report.ExchangeLine)) Option {
	return set(func(c *config) { c.found = found })
}

// WithRules leaves only these rules switched on.
func WithRules(ids ...string) Option {
	return func(c *config) error {
		for _, id := range Rules() {
			if !slices.Contains(ids, id) {
				c.disabled = append(c.disabled, id)
			}
		}
		return knownRules(ids)
	}
}

// WithoutRules switches rules off. Their checks are counted as skipped.
func WithoutRules(ids ...string) Option {
	return func(c *config) error {
		c.disabled = append(c.disabled, ids...)
		return knownRules(ids)
	}
}

func knownRules(ids []string) error {
	for _, id := range ids {
		if !slices.Contains(Rules(), id) {
			return fmt.Errorf("unknown rule %q; want one of %s", id, strings.Join(Rules(), ", "))
		}
	}
	return nil
}

// WithGaps sets whether a check fails when exchanges are missing in a recording, by the numbers that recordings of our
// own format have. By default what is missing between others is reported and inconclusive. If gaps fail, a recording
// also begins with the first exchange of its world, or goes on where another one ends.
func WithGaps(fail bool) Option { return set(func(c *config) { c.gapless = fail }) }

// Completeness states whether recordings are taken to hold all requests that an account was sent.
type Completeness = history.Completeness

// Recordings are complete until they show otherwise, always, or never.
const (
	CompleteAuto   = history.Auto
	CompleteAlways = history.Always
	CompleteNever  = history.Never
)

// WithComplete sets whether recordings are taken as complete. By default they are until one shows otherwise: something
// is there, gone or changed without a request, or numbers are missing. Then what a request that the recording lacks
// would explain is inconclusive for that account. A recording of everything that an account was sent, such as a
// Recorder's around the only client of a test's own account, is CompleteAlways; one of a client among others may be
// CompleteNever.
func WithComplete(complete Completeness) Option {
	return func(c *config) error {
		if !slices.Contains([]Completeness{CompleteAuto, CompleteAlways, CompleteNever}, complete) {
			return fmt.Errorf("unknown completeness %q; want auto, always or never", complete)
		}
		c.complete = complete
		return nil
	}
}

// WithAccount says that requests with some keys are of one account, whose name is free, and of no other one that is
// given. A key is as the recording shows it, without its scheme: whole, or what stands for it. By default the callers
// of one address are of one account, unless the recording shows what cannot be of one.
func WithAccount(name string, keys ...string) Option {
	return func(c *config) error {
		if name == "" || len(keys) == 0 || slices.Contains(keys, "") {
			return fmt.Errorf("account %q with the keys %d: want a name, and keys that are not empty", name, len(keys))
		}
		for _, key := range keys {
			caller := facts.CallerWith(key)
			if other, isGiven := c.accounts[caller]; isGiven && other != name {
				return fmt.Errorf("a key of account %s is given to account %s, too", other, name)
			}
			c.accounts[caller] = name
		}
		return nil
	}
}

// WithWorkers sets how many exchanges are judged at a time, by default one for each processor. The report is the same
// for any number.
func WithWorkers(n int) Option {
	return func(c *config) error {
		if n < 1 {
			return fmt.Errorf("%d workers: want at least 1", n)
		}
		c.workers = n
		return nil
	}
}

// WithGuess sets whether the base addresses of interfaces that were given none are guessed from the recording, where
// the default ones do not fit. The report says what was guessed. Of several interfaces the one that most of the first
// exchanges fit is taken, and of equal ones none; a guess is withdrawn when most of those exchanges do not fit. What is
// found below a guessed base is a warning at most: WithBaseURL confirms it.
func WithGuess(guess bool) Option { return set(func(c *config) { c.guess = guess }) }

// WithThreshold makes a check fail when less than so many percent of an axis of coverage was touched: operations,
// requests, responses, parameters, enums, properties or rules.
func WithThreshold(axis string, percent float64) Option {
	return func(c *config) error {
		if !slices.Contains(report.Axes(), axis) {
			return fmt.Errorf("unknown axis of coverage %q; want one of %s", axis, strings.Join(report.Axes(), ", "))
		}
		if !(percent >= 0 && percent <= 100) {
			return fmt.Errorf("coverage of %s: want a percentage between 0 and 100, not %v", axis, percent)
		}
		c.thresholds = append(c.thresholds, report.Threshold{Axis: axis, Want: percent})
		return nil
	}
}

// WithMaxInconclusive makes a check fail when more than so many percent of the checks are inconclusive.
func WithMaxInconclusive(percent float64) Option {
	return func(c *config) error {
		if !(percent >= 0 && percent <= 100) {
			return fmt.Errorf("inconclusive checks: want a percentage between 0 and 100, not %v", percent)
		}
		c.maxInconclusive = &percent
		return nil
	}
}

// WithInterfaces chooses which interfaces are judged and counted, of the platform's and of those that WithSpec adds.
// The default is all of them.
func WithInterfaces(names ...specs.Interface) Option {
	return func(c *config) error {
		if len(names) == 0 {
			return errors.New("interfaces: want the name of one at least")
		}
		c.only = names
		return nil
	}
}

// WithSpec adds an interface that a document of the user's own describes, as the mock's option of the name does, or
// takes the document in place of that of an interface of the platform. Its servers are base addresses, unless
// WithBaseURL gives others. Exchanges are judged by what the document says alone: its security schemes are its
// credentials, nothing is read leniently unless it has an x-lenient, and members that no schema names are noticed only.
// Rules on the lives of resources hold in a version of an interface of the platform as in ours.
func WithSpec(iface specs.Interface, path string) Option {
	return func(c *config) error {
		if err := specs.CheckName(iface); err != nil {
			return err
		}
		c.specs[iface] = path
		return nil
	}
}

// WithOverlay changes the document of an interface by a file of OpenAPI Overlay 1.0, such as one with x-resources that
// understudy spec resources printed: a document that WithSpec gives, or else the platform's. Without a name it changes
// the only one that WithSpec gives. Several are applied in the order in which they are given.
func WithOverlay(iface specs.Interface, file string) Option {
	return func(c *config) error { return c.overlays.Add(iface, file) }
}

// WithExtras sets whether what clients call around the operations of the platform, such as imports of tables, is judged
// by documents of its own. It is by default, and is undocumented otherwise. It never counts as coverage of the
// operations.
func WithExtras(on bool) Option { return set(func(c *config) { c.noExtras = !on }) }

// WithShapeDir sets the folder of MatchShape's files, relative to the test's own. By default it is testdata/shapes.
func WithShapeDir(dir string) Option { return set(func(c *config) { c.shapeDir = dir }) }

// WithShapeLabel distinguishes shapes of the same operation and status, as in "while it runs" and "when it is done".
func WithShapeLabel(label string) Option { return set(func(c *config) { c.label = label }) }

// optionUse is a call that takes options. An option without effect there is an error: otherwise the mistake would go
// unnoticed.
type optionUse struct {
	name    string
	options []string
	without func(c *config) // takes the effect of these options away
}

var (
	checking = optionUse{
		name: "a check", options: []string{"every option but WithShapeDir and WithShapeLabel"},
		without: func(c *config) {
			shapeDir, label := c.shapeDir, c.label
			*c = newConfig()
			c.shapeDir, c.label = shapeDir, label
		},
	}
	matching = optionUse{
		name: "MatchShape and MatchShapes",
		options: []string{
			"WithBaseURL", "WithBrand", "WithExtras", "WithOverlay", "WithRewrite", "WithShapeDir", "WithShapeLabel", "WithSpec",
		},
		without: func(c *config) { c.withoutDocuments(); c.shapeDir, c.label = "", "" },
	}
	listing = optionUse{
		name: "Shapes", options: []string{"WithBaseURL", "WithBrand", "WithExtras", "WithOverlay", "WithRewrite", "WithSpec"},
		without: (*config).withoutDocuments,
	}
	recordingTraffic = optionUse{
		name: "NewRecorder", options: []string{"WithBrand", "WithSpec"},
		without: func(c *config) { c.brand, c.specs = "", newConfig().specs },
	}
)

func newConfig() config {
	return config{
		effort: DefaultEffort,
		trust:  specs.Public, bases: map[specs.Interface][]string{}, accounts: map[uint64]string{},
		specs:      map[specs.Interface]string{},
		overlays:   specs.Overlays{},
		comparison: comparisonConfig{masks: compare.DefaultMasks(), tolerance: DefaultTolerance},
	}
}

// withoutDocuments takes away what says which documents there are, and where the interfaces are.
func (c *config) withoutDocuments() {
	plain := newConfig()
	c.bases, c.specs, c.overlays, c.brand, c.noExtras, c.rewrites = plain.bases, plain.specs, plain.overlays, plain.brand,
		plain.noExtras, plain.rewrites
}

// check returns an error if an option was given that has no effect.
func (u optionUse) check(c config) error {
	if u.without(&c); reflect.DeepEqual(c, newConfig()) {
		return nil
	}
	return fmt.Errorf("an option has no effect here: %s takes %s", u.name, strings.Join(u.options, ", "))
}
