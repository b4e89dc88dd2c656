// Package judge finds the operation that each exchange of a recording belongs to, and judges the exchange by itself:
// its parameters, headers, bodies, status and credentials, by the document of that operation.
//
// Two engines judge by the schemas, independently of each other. Where both find a fault it is certain; where they
// differ the finding is disputed and carries the verdicts of both; where one of them is known to be wrong, a known
// case decides. The second engine judges whatever the first one finds faulty; of the rest it judges a sample, which is
// everything unless Sampling says otherwise. Before the engines see a body, its codings are undone. A body that cannot
// be read is inconclusive, never a pass.
//
// An exchange becomes a finding in this order, in which each function returns its product to Exchange or judgeBody:
//
//	item → Match → readBody → askEngines → compareEngines → addFaults → finding
package judge

import (
	"sync"
	"time"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Rules of single exchanges. Their names are part of the interface: baselines and other tools know them.
const (
	Schema                = "schema"
	UndocumentedOperation = "undocumented-operation"
	UndocumentedStatus    = "undocumented-status"
	UndocumentedMediaType = "undocumented-media-type"
	UndeclaredField       = "undeclared-field"
	UndeclaredHeader      = "undeclared-header"
	AuthScheme            = "auth-scheme"
	Latency               = "latency"
	Probe                 = "probe"
)

// Rules lists the rules of single exchanges.
func Rules() []string {
	return []string{
		Schema, UndocumentedOperation, UndocumentedStatus, UndocumentedMediaType, UndeclaredField, UndeclaredHeader,
		AuthScheme, Latency, Probe,
	}
}

// Config holds the settings of a judge.
type Config struct {
	Documents []*specs.Document
	Bases     map[specs.Interface][]string // base addresses by interface
	Brand     specs.Brand
	Trust     specs.Provenance // the least sure provenance that is still an error
	Engine    engine.Engine    // the second engine, or nil to judge with the first one alone

	// Undeclared makes fields and parameters that a user's own document does not name as loud as other deviations.
	Undeclared bool

	// Rewrites replace addresses in recordings. The first that fits is used.
	Rewrites []ownership.Rewrite

	// MockOnAllHosts means that every host is one of a local mock.
	MockOnAllHosts bool

	// IgnoresHeader reports whether headers of a name are not judged. Without one all are.
	IgnoresHeader func(name string) bool

	// Limits holds the longest durations of exchanges by the names of their operations. Other operations have no limit.
	Limits map[string]time.Duration

	// Redactor takes secrets out of the values that findings show. Without one they show no values.
	Redactor *recording.Redactor
}

// Judge judges exchanges one by one. It is safe for concurrent use.
type Judge struct {
	addresses *ownership.Addresses
	brand     specs.Brand
	scheme    string // of credentials
	trust     specs.Provenance
	engine    engine.Engine
	samples   func(*Result) bool // nil if the second engine judges all
	messages  *judgementMemo
	places    *placeMemo
	headers   *sync.Map // headerKey → *openapi3filter.ResponseValidationInput
	standard  *headerMemo
	largeBody *sync.Mutex // held while a large body is judged
	redactor  *recording.Redactor
	ignores   func(header string) bool
	limits    map[string]time.Duration

	undeclared bool // fields and parameters that a user's own document does not name are as loud as others
}

// New makes a judge.
func New(config Config) (*Judge, error) {
	addresses, err := ownership.NewAddresses(config.Documents, config.Bases, config.Rewrites)
	if err != nil {
		return nil, err
	}
	if config.MockOnAllHosts {
		addresses = addresses.OnAllHosts()
	}
	if config.Trust == "" {
		config.Trust = specs.Public
	}
	if config.IgnoresHeader == nil {
		config.IgnoresHeader = func(string) bool { return false }
	}
	return &Judge{
		addresses: addresses, brand: config.Brand, scheme: config.Brand.Scheme(), trust: config.Trust, engine: config.Engine,
		messages: newMemo(), places: &placeMemo{}, headers: &sync.Map{}, standard: &headerMemo{},
		largeBody: &sync.Mutex{},
		redactor:  config.Redactor, ignores: config.IgnoresHeader, limits: config.Limits,
		undeclared: config.Undeclared,
	}, nil
}

// Addresses returns the base addresses by which the judge finds the owner of an exchange.
func (j *Judge) Addresses() *ownership.Addresses { return j.addresses }

// At returns a judge for other base addresses, which shares the memory of this one.
func (j *Judge) At(a *ownership.Addresses) *Judge {
	at := *j
	at.addresses = a
	return &at
}

// Sampling returns a copy of the judge, which shares its memory. The copy asks the second engine only about messages in
// which the first one finds a fault, and about exchanges for which samples returns true. When samples is called, the
// result has an operation and a response, but no verdict yet.
func (j *Judge) Sampling(samples func(*Result) bool) *Judge {
	twin := *j
	twin.samples = samples
	return &twin
}
