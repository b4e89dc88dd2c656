package mockserver

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"svc.example/understudy/fixtures"
	"svc.example/understudy/mockserver/certs"
	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/worlds"
	"svc.example/understudy/mockserver/query"
	"svc.example/understudy/scenarios"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/source"
)

// Validation describes what happens to a request that is off the contract.
type Validation string

// The modes of validation.
const (
	Strict Validation = "strict" // it is refused with a 4xx in the interface's own form
	Report Validation = "report" // it is served, and noted in the journal and the log
	Off    Validation = "off"    // it is served
)

// Option is a setting of a server or a transport. A wrong value is an error of New.
type Option func(*config) error

// set returns an option that cannot fail.
func set(change func(*config)) Option { return func(c *config) error { change(c); return nil } }

type config struct {
	scenario        string
	library         scenarios.Library
	scenarioFolder  string // of the library
	seed            *uint64
	clock           clock.Mode
	now             time.Time
	brand           specs.Brand
	bases           []baseURL
	documents       map[specs.Interface]string // interface → file of the user's own document
	overlays        specs.Overlays
	rules           []Rule            // of resources of the user's own
	interfaces      []specs.Interface // that are served: the platform's in their order, and then the user's own
	only            []specs.Interface // nil: all that there are
	faults          []fixtures.Fault
	extras          bool
	validation      Validation
	log             *slog.Logger
	recording       io.Writer
	limits          worlds.Limits
	recordLimit     int64
	engine          query.Engine
	token           string
	console         Console
	controlHosts    []string
	cors            []originPattern            // of pages that may call the interfaces
	targets         map[specs.Interface]string // interface → address of the service that answers it
	targetTransport http.RoundTripper          // to these; nil: the default one
	comparison      Comparison                 // of exchanges with these; nil: none
	profiles        http.Handler               // nil: none
	writeTimeout    time.Duration
	stateFile       string                 // empty: worlds are not kept
	savePause       time.Duration          // between two looks at whether there is anything to save
	ca              *certs.CA              // nil: no TLS
	failed          func(string)           // fails the running test
	helper          func()                 // keeps its caller out of the line that a failure of the test is reported at
	mutate          func(*loadedInterface) // in tests: breaks a rule, for the contract suite to notice
}

// WithScenario chooses the world that the server begins with: the name of an embedded scenario, or the path of a
// scenario of your own. The default is quickstart for a server and a transport alike.
func WithScenario(name string) Option { return set(func(c *config) { c.scenario = name }) }

// WithScenarios adds the scenarios and casts of a folder of your own, by their names: each folder in it with a
// scenario.yaml is a scenario, for WithScenario and for worlds that clients create, and each other one with YAML files
// is a cast, for the key uses of a scenario. A name that comes with the mock is an error.
func WithScenarios(folder string) Option {
	return func(c *config) (err error) {
		c.scenarioFolder = folder
		c.library, err = scenarios.OpenLibrary(folder)
		return err
	}
}

// WithSeed chooses what everything random comes from. The default is the scenario's own seed.
func WithSeed(seed uint64) Option { return set(func(c *config) { c.seed = &seed }) }

// WithClock chooses what moves the clocks of worlds. The default of New is ClockReal, that of Start and NewTransport is
// ClockAuto.
func WithClock(mode ClockMode) Option {
	return func(c *config) (err error) { c.clock, err = clock.ParseMode(string(mode)); return err }
}

// ClockMode is the mode of a world's clock, which decides what moves it.
type ClockMode string

// The modes of clocks.
const (
	ClockReal   ClockMode = "real"   // the wall clock moves it
	ClockFrozen ClockMode = "frozen" // only Advance and its like move it
	ClockAuto   ClockMode = "auto"   // asking for something that is under way moves it to the moment that changes it
)

// WithNow chooses the time at which worlds begin. The default is the scenario's own time, or the wall clock's for a
// real clock.
func WithNow(now time.Time) Option { return set(func(c *config) { c.now = now }) }

// WithBrand puts a word in place of SVC, in everything that the mock says and reads: exact identifiers, such as
// ACME1, X-ACME-Write-Key and acme_record_time, addresses, and the data of the scenarios that come with it.
func WithBrand(word specs.Brand) Option {
	return func(c *config) (err error) { c.brand, err = specs.ParseBrand(string(word)); return err }
}

// WithBaseURL gives an interface an address, such as https://workflow.svc.example, at which requests for it are known.
// It replaces the transport's default address of that interface.
func WithBaseURL(iface specs.Interface, address string) Option {
	return func(c *config) error {
		base, err := newBaseURL(iface, address)
		if err != nil {
			return err
		}
		c.bases = slices.DeleteFunc(c.bases, func(b baseURL) bool { return b.iface == iface })
		c.bases = append(c.bases, base)
		return nil
	}
}

// WithInterfaces chooses which interfaces are served, of the platform's and of those that WithSpec adds. The default is
// all of them.
func WithInterfaces(names ...specs.Interface) Option {
	return func(c *config) error {
		if len(names) == 0 {
			return errors.New("interfaces: want the name of one at least")
		}
		c.only = names
		return nil
	}
}

// WithSpec adds an interface that a document of your own describes: Swagger 2.0, or OpenAPI 3.0, 3.1 or 3.2, with the
// files beside it that it refers to. Its name stands in paths, host names and the names of operations, as shop does in
// shop.getProduct. What x-resources says of it, or what can be inferred by its paths, is remembered: what a POST
// sends, a GET shows. Everything else is answered with examples of the document, or samples of its schemas.
//
// With the name of an interface of the platform, the document is put in place of the embedded one. Requests are
// held against it. Its operations are ours by method and path, whatever their ids; operations of ours that it lacks are
// not served, and those that it adds answer 501, since the mock has no handler for them. The mock answers as by the
// embedded document: members that are null where yours does not allow it are left out if they are optional, and what
// does not fit otherwise is logged at the start, as far as it can be known, sent, and noted in the journal.
func WithSpec(iface specs.Interface, file string) Option {
	return func(c *config) error {
		if err := specs.CheckName(iface); err != nil {
			return err
		}
		c.documents[iface] = file
		return nil
	}
}

// WithOverlay changes the document of an interface by a file of OpenAPI Overlay 1.0, such as one with x-resources that
// understudy spec resources printed: a document that WithSpec gives, or else the platform's. Without a name it changes
// the only one that WithSpec gives. Several are applied in the order in which they are given.
func WithOverlay(iface specs.Interface, file string) Option {
	return func(c *config) error { return c.overlays.Add(iface, file) }
}

// WithExtras chooses whether the server also answers what clients call around the operations of the platform, such as
// imports of tables, users and their keys, and the version check; see understudy operations. It does by default.
func WithExtras(on bool) Option { return set(func(c *config) { c.extras = on }) }

func (c *config) unknownInterface(name specs.Interface) error {
	return fmt.Errorf("unknown interface %q; want %s", name, source.OneOf(string(name), specs.NamesOf(c.interfaces)))
}

// chooseInterfaces lists the interfaces that are served, once all options are known.
func (c *config) chooseInterfaces() error {
	errs := []error{c.overlays.Settle(c.documents), c.checkRules()}
	c.interfaces = c.set().Names()
	for _, name := range c.only {
		if !slices.Contains(c.interfaces, name) {
			errs = append(errs, c.unknownInterface(name))
		}
	}
	if errors.Join(errs...) == nil && c.only != nil {
		isLeftOut := func(name specs.Interface) bool { return !slices.Contains(c.only, name) }
		c.interfaces = slices.DeleteFunc(c.interfaces, isLeftOut)
	}
	errs = append(errs, c.checkTargets()...)
	for _, base := range c.bases {
		if !slices.Contains(c.interfaces, base.iface) && (c.only == nil || !slices.Contains(specs.Interfaces(), base.iface)) {
			errs = append(errs, c.unknownInterface(base.iface))
		}
	}
	c.bases = slices.DeleteFunc(c.bases, func(b baseURL) bool { return !slices.Contains(c.interfaces, b.iface) })
	return errors.Join(errs...)
}

// WithValidation chooses what happens to requests that are off the contract; Strict is the default. Answers are always
// validated; one that is off the contract where such requests are served is noted in the journal and the log.
func WithValidation(mode Validation) Option {
	return func(c *config) error {
		if mode != Strict && mode != Report && mode != Off {
			return fmt.Errorf("unknown validation %q; want strict, report or off", mode)
		}
		c.validation = mode
		return nil
	}
}

// WithLogger chooses where the server logs to. The default is nowhere.
func WithLogger(log *slog.Logger) Option { return set(func(c *config) { c.log = log }) }

// WithRecording writes every exchange to w as a line of NDJSON, in one call of Write, before its answer leaves, with
// secrets redacted. Calls of Write never overlap. An exchange that w does not take within a second, or of which it
// reports an error, is answered without: the answer has the header X-Understudy-Unrecorded, GET /_understudy/health
// counts it, the first one is logged and fails a running test, and Close returns an error. Half a line that w has
// written by then is cut off if w is a file, and otherwise ended by a newline.
func WithRecording(w io.Writer) Option { return set(func(c *config) { c.recording = w }) }

// WithJournalLimit bounds how many bytes of exchanges each world remembers. The default is 8 MiB.
func WithJournalLimit(bytes int) Option {
	return func(c *config) error {
		c.limits.Journal = bytes
		return positive("journal limit", int64(bytes), "a number of bytes")
	}
}

// DefaultRecordLimit is the default number of bytes of records that each world keeps.
const DefaultRecordLimit = 64 << 20

// WithRecordLimit bounds how many bytes of records, events among them, each world keeps: the values' JSON and 32 bytes
// a record. The default is DefaultRecordLimit. When there are more, the oldest records of the largest table go, up to
// 256 at a time; a table's count goes on counting them, and its last record stays.
func WithRecordLimit(bytes int64) Option {
	return func(c *config) error {
		c.recordLimit = bytes
		return positive("record limit", bytes, "a number of bytes")
	}
}

// DefaultWriteTimeout is the time that a client has by default to read each 64 KiB of an answer.
const DefaultWriteTimeout = 30 * time.Second

// WithWriteTimeout bounds how long a client may take for each 64 KiB of an answer, or for each part of a stream. The
// connection of a client that takes longer is closed. The default is DefaultWriteTimeout.
func WithWriteTimeout(limit time.Duration) Option {
	return func(c *config) error {
		if limit <= 0 {
			return fmt.Errorf("write timeout %v: want a duration above 0", limit)
		}
		c.writeTimeout = limit
		return nil
	}
}

// WithQueryEngine chooses what answers the queries of jobs that no queued result fits: sqlite.New() of package
// mockserver/query/sqlite, or an engine of your own. Without one such a query gives an empty result, and the journal
// says so.
func WithQueryEngine(engine query.Engine) Option { return set(func(c *config) { c.engine = engine }) }

// WithControlToken makes the control interface demand the header Authorization: Bearer with this token. Use it when
// the server listens beyond the machine.
func WithControlToken(token string) Option {
	return func(c *config) error {
		if token == "" {
			return errors.New("control token: want a string that is not empty")
		}
		c.token = token
		return nil
	}
}

func configure(defaults, opts []Option) (*config, error) {
	c := &config{
		scenario: "quickstart", clock: clock.Real, validation: Strict, extras: true,
		log: slog.New(slog.DiscardHandler), documents: map[specs.Interface]string{}, overlays: specs.Overlays{},
		targets:      map[specs.Interface]string{},
		recordLimit:  DefaultRecordLimit,
		writeTimeout: DefaultWriteTimeout, savePause: defaultSavePause, helper: func() {},
		limits: worlds.Limits{
			World: DefaultStateLimit, Server: DefaultMemoryLimit, Worlds: DefaultMaxWorlds, Idle: DefaultWorldTTL,
		},
	}
	var errs []error
	for _, opt := range append(slices.Clone(defaults), opts...) {
		errs = append(errs, opt(c))
	}
	errs = append(errs, c.chooseInterfaces())
	return c, errors.Join(errs...)
}

// The default limits of the worlds of a server.
const (
	DefaultStateLimit  = 256 << 20      // bytes of one world
	DefaultMemoryLimit = 1 << 30        // bytes of all worlds
	DefaultMaxWorlds   = 10_000         // worlds
	DefaultWorldTTL    = 24 * time.Hour // for which an unused world stays
)

// WithStateLimit bounds about how many bytes each world takes: its resources, archives, records, results of jobs, and
// what only its checkpoints have, or queries of jobs that are due and wait to be run. The default is DefaultStateLimit.
// When there are more, the results of jobs go, oldest first; then requests that would add to the world are refused as
// those with bodies that are too large, with 413 or 400, and its clock stands still.
func WithStateLimit(bytes int64) Option {
	return func(c *config) error {
		c.limits.World = bytes
		return positive("state limit", bytes, "a number of bytes")
	}
}

// WithMemoryLimit bounds about how many bytes all worlds of the server take, with their journals. What forks share
// counts once. The default is DefaultMemoryLimit. When there are more, the histories go, the largest first, and the
// longest journals lose their older halves, down to 64 KiB each; then what would add to a world is refused as beyond
// WithStateLimit, and no world can be made.
func WithMemoryLimit(bytes int64) Option {
	return func(c *config) error {
		c.limits.Server = bytes
		return positive("memory limit", bytes, "a number of bytes")
	}
}

// WithMaxWorlds bounds how many worlds the server has. The default is DefaultMaxWorlds. No more can be made then.
func WithMaxWorlds(count int) Option {
	return func(c *config) error {
		c.limits.Worlds = count
		return positive("number of worlds", int64(count), "a number")
	}
}

// WithWorldTTL sets for how long an unused world stays; 0 means for ever. The default is DefaultWorldTTL. The world
// default always stays.
func WithWorldTTL(ttl time.Duration) Option {
	return func(c *config) error {
		if ttl < 0 {
			return fmt.Errorf("time to live of worlds %v: want a duration, or 0", ttl)
		}
		c.limits.Idle = ttl
		return nil
	}
}

func positive(what string, n int64, want string) error {
	if n <= 0 {
		return fmt.Errorf("%s %d: want %s above 0", what, n, want)
	}
	return nil
}
