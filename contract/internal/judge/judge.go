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

	"github.com/getkin/kin-openapi/openapi3filter"

	"svc.example/understudy/contract/engine"
	"svc.example/understudy/contract/internal/ownership"
	"svc.example/understudy/contract/report"
	"svc.example/understudy/internal/memo"
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
	headers   *memo.Map[headerKey, *openapi3filter.ResponseValidationInput]
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
		messages: newMemo(), places: &placeMemo{}, standard: &headerMemo{},
		headers:   &memo.Map[headerKey, *openapi3filter.ResponseValidationInput]{},
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

// Docs returns what the rules of single exchanges are about, in the order of reports. Their provenance is that of the
// least sure facts of the documents: each finding carries that of the one which it is about.
func Docs() []report.RuleDoc {
	return []report.RuleDoc{
		schemaDoc, undocumentedOperationDoc, undocumentedStatusDoc, undocumentedMediaTypeDoc, undeclaredFieldDoc,
		undeclaredHeaderDoc, authSchemeDoc, latencyDoc, probeDoc,
	}
}

var schemaDoc = report.RuleDoc{
	ID: Schema, Provenance: specs.Assumed,
	Title: "parameters, headers and bodies, in both directions, match their schemas, event by event in a stream; pages " +
		"agree with their links and totals, resources with their addresses, and included resources with what refers to " +
		"them",
	Watches: "The parameters of every request to a documented operation, every body that a document describes, and the " +
		"documented headers of every response.",
	Evidence: "A parameter, header or value in a body that its schema does not allow; a required one that is missing; a " +
		"body that is not JSON where JSON is documented, unless the recording may have cut or changed it; " +
		"a body of a response that has none, which are those to HEAD and those with 204 or 304; " +
		"or a response that contradicts itself. Two engines validate against the schemas; where they differ, the finding " +
		"is disputed, carries the verdicts of both, and does not fail a check by itself. By a document of your own, the " +
		"second one's vote counts only where it is known to look. A `readOnly` member of a request is a warning there, and " +
		"so is a `writeOnly` one of a response, unless it is a secret.",
	Inconclusive: "A body that the recording does not contain, or may not contain in full, and that cannot be read; or " +
		"one with a content coding that cannot be decoded. A value of which OpenAPI does not define how it is written, " +
		"such as objects in a list in a query, or a text whose schema is not one of a string; a pattern that cannot be " +
		"compiled.",
	Passes: "A request that does not match the document and was refused with 4xx is only a notice: tests do that on " +
		"purpose. A value that a recorder removed as a secret, where a string is documented; what a browser " +
		"has in its cache and shows as the body of a 304; headers that proxies remove; cases in which the second engine is " +
		"known to be wrong.",
}

var undocumentedOperationDoc = report.RuleDoc{
	ID: UndocumentedOperation, Provenance: specs.Documented,
	Title:   "the document describes the operation",
	Watches: "Every exchange below the base address of an interface.",
	Evidence: "The document does not have this path, or not with this method. The finding names the nearest operation. " +
		"It is a notice if the server refused the request, as it should.",
	Inconclusive: "An address that fits several interfaces equally well.",
	Passes: "Addresses below none of the base addresses, which are counted as unmatched; preflights, tunnels and " +
		"WebSockets, and the control interface of the mock.",
}

var undocumentedStatusDoc = report.RuleDoc{
	ID: UndocumentedStatus, Provenance: specs.Assumed,
	Title:   "the operation documents the status",
	Watches: "Every response of a documented operation.",
	Evidence: "The document has neither the status, nor its class, nor a default. The finding is as certain as the " +
		"least certain documented status of the same kind, since a list that is known from the code of clients may be " +
		"incomplete.",
	Inconclusive: "No response was recorded.",
	Passes: "Redirections, server errors, 407, 408 and 429 are a warning at most: they may come from an " +
		"intermediary.",
}

var undocumentedMediaTypeDoc = report.RuleDoc{
	ID: UndocumentedMediaType, Provenance: specs.Assumed,
	Title:   "the operation documents the media type",
	Watches: "Every recorded body of a documented operation, in both directions.",
	Evidence: "A body whose Content-Type is not among the documented ones, that has no Content-Type, or that is sent " +
		"where no body is documented.",
	Inconclusive: "A body without any headers, because the recording does not contain them. A body that was not " +
		"recorded is not judged.",
	Passes: "Parameters of the media type, such as charset, however they are written; ranges such as text/*; a request " +
		"of another media type that was refused, which is a notice.",
}

var undeclaredFieldDoc = report.RuleDoc{
	ID: UndeclaredField, Provenance: specs.Assumed,
	Title:   "bodies and queries have only fields and parameters that the document declares",
	Watches: "Every body that can be read as its document describes it, even if it is invalid otherwise, and every query.",
	Evidence: "A field that is not named by any of the schemas that apply to its object, however they are combined; a " +
		"parameter that the operation does not declare. In a response, the severity follows from how certain the schema " +
		"is; in a request body it is a notice, since the platform ignores such fields, and in a query a warning at " +
		"most. By a document of your own all fields are a notice, unless `--undeclared error` says otherwise.",
	Inconclusive: "A body that the recording does not contain in full, or that cannot be read.",
	Passes: "Fields of an object that is declared open, or whose fields are not described; members of a body that may " +
		"be sent in the query instead; parts of a parameter that is an object.",
}

var undeclaredHeaderDoc = report.RuleDoc{
	ID: UndeclaredHeader, Provenance: specs.Assumed,
	Title:   "responses have no interface-specific headers that the document does not declare for their status",
	Watches: "The headers of every response with a documented status.",
	Evidence: "A header that the document does not declare for the status, that the HTTP standards do not define, and " +
		"that proxies, content delivery networks, tracing and browser security do not add. It is a notice, without the " +
		"value.",
	Inconclusive: "Never: a response that was recorded without headers is not judged.",
	Passes:       "Standard headers, ignored headers, and headers that the document declares in different case.",
}

var authSchemeDoc = report.RuleDoc{
	ID: AuthScheme, Provenance: specs.Documented,
	Title: "credentials have the documented form, and requests without credentials are refused",
	Watches: "The Authorization header of every request. For events, another rule checks whether the header is present; " +
		"their keys are checked after the response, so a wrong scheme gets a success like a wrong key.",
	Evidence: "A request succeeded although its header has another scheme, or no scheme where one is documented; or " +
		"although it has no such header, while other requests to the interface in the recording have one.",
	Inconclusive: "The recording redacts the credentials in full, including the scheme, states that they were removed, " +
		"or has none on the whole interface.",
	Passes: "A request that was refused, whatever its header; the scheme in upper or lower case; a key that is redacted " +
		"behind its scheme; the bare key on the data warehouse interface, whose form is not documented. In a document of " +
		"your own, what its security schemes and requirements say.",
}

var latencyDoc = report.RuleDoc{
	ID: Latency, Provenance: specs.Documented,
	Title:    "operations that have a limit respond within it",
	Watches:  "Every response of an operation that has a limit. Without limits the rule judges nothing.",
	Evidence: "The recorded time from the start of the request to the end of the response is above the limit.",
	Inconclusive: "The recording does not contain the duration, or the duration is zero, as with a mock whose clock " +
		"stands still: limits are for recordings of real services.",
	Passes: "A request without a response.",
}

var probeDoc = report.RuleDoc{
	ID: Probe, Provenance: specs.Documented,
	Title:   "what understudy probe asks is answered without a server error, and refused if the document forbids it",
	Watches: "Every request of `understudy probe`, by its header `X-Understudy-Probe`.",
	Evidence: "A request, valid or not, is answered with 5xx: an error. A request with a fault, which the header names, " +
		"is accepted with 2xx: a warning, since some services take more than their documents say. A request gets none: " +
		"a warning. A list of fewer than ten lacks what was made, or a number, a truth value or one of some listed values " +
		"is not shown as it was set, by the header `X-Understudy-Expect`: a warning, since some services take " +
		"their time. The other rules judge neither a request with a fault " +
		"nor, where that is not documented, the status 4xx of its refusal.",
	Inconclusive: "A body that the recording does not contain in full, where something is expected in it.",
	Passes: "Any other answer: a service may refuse a valid request for reasons that no schema states. A status such as " +
		"503 that the operation documents by itself, but not 500.",
}
