// Package compare replays recorded requests, in their order and at their times, and compares the answers with the
// recorded ones.
//
// Ids that a server chose correspond to those of the other one through what earlier answers showed at the places that
// the documents describe as ids (x-resources), and then stand for each other in later requests and answers. Where
// recorded exchanges overlapped, their order is the first one in which the answers agree.
package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/specs"
	"svc.example/understudy/specs/recording"
)

// Kind is the kind of a difference.
type Kind string

// The kinds of differences.
const (
	Status    Kind = "status"    // another status
	Shape     Kind = "shape"     // a member is missing or extra, or has another type
	Value     Kind = "value"     // another value
	Behaviour Kind = "behaviour" // a later answer shows another effect of an earlier request
)

// Subject answers recorded requests: a mock, or whatever stands in for one. Its handler has every interface at
// /{interface}, followed by the path of the document's server, as a mock has.
type Subject struct {
	Name    string // such as the scenario my-account, for the report
	Handler http.Handler

	// Clock moves the subject's clock to a time, and never back. Nil if the clock cannot be moved.
	Clock func(time.Time) error

	// Fork returns a subject that begins as this one is now, and knows nothing of what this one does later. Nil if
	// there can be none; overlapping exchanges are then replayed in the order of their ends.
	Fork func() (Subject, error)

	// Close releases a fork. It may be nil.
	Close func()

	// Keys holds API keys by the digests of those that they stand for in the recording, see KeyDigest. Key is the one
	// for all others.
	Keys map[string]string
	Key  string

	First int // how many exchanges of each world are replayed, in the order in which they began; 0: all
}

// KeyDigest returns a short digest of a recorded key: that in its mark, if it was redacted.
func KeyDigest(key string) string {
	if m := mark.FindStringSubmatch(key); m != nil && m[0] == key && m[1] != "" {
		return m[1]
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:4])
}

// KeyFor returns the subject's key for a recorded one, as far as it is known: by its digest, or that of its mark.
func (c *Config) KeyFor(s *Subject, identity string) string {
	if key := s.Keys[KeyDigest(identity)]; key != "" || c.Redactor == nil || identity == "" {
		return key
	}
	return s.Keys[KeyDigest(c.Redactor.Hash(identity))]
}

func (s *Subject) close() {
	if s.Close != nil {
		s.Close()
	}
}

// Difference is a place at which the answer differs from the recorded one.
type Difference struct {
	Kind     Kind
	Pointer  string // into the exchange, such as /response/body/name
	Recorded string // what stands there, as JSON; empty if there is nothing, or a secret
	Answered string
	Message  string
	Since    *Exchange // the earlier exchange whose effect differs; nil unless Kind is Behaviour
	IsUnsure bool      // Since changed something else, by which it may have changed this
}

// Exchange is a recorded exchange with the answer that the subject gave.
type Exchange struct {
	*judge.Result

	Answer      *Answer // nil if the request was not replayed; without its content where nothing needs that any more
	Differences []Difference
	Omitted     int    // differences beyond those that are kept
	Skipped     string // why the request was not replayed, or its answer not compared

	abouts []about     // of each of the differences
	alike  []trait     // what the answers show alike
	times  []time.Time // at which the server may have taken the request, by its own clock, the likeliest first
	ids    *ids        // of the replay
}

// Agrees reports whether the answer was compared, and agrees.
func (e *Exchange) Agrees() bool { return e.Skipped == "" && len(e.Differences) == 0 }

// Counterpart returns the subject's id for a recorded one, or the same if the replay has not shown any.
func (e *Exchange) Counterpart(kind, id string) string { return e.ids.translate(kind, id) }

// Answer is an answer of the subject.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // its beginning, if it is larger than 64 MiB
	Size   int64
}

// Mask is a rule that leaves a place out of the comparison of values.
type Mask struct {
	Operation string // pattern, such as workflow.*
	Pointer   string // into the body, such as /message; ** stands for any beginning
	Reason    string
	Count     int // how often it hid a difference
}

// DefaultMasks returns the masks of places that no stand-in can know, or need not repeat.
func DefaultMasks() []Mask {
	const texts = "free text for people: servers word it differently"
	const inside = "an id inside of a text or a configuration"
	return []Mask{
		{Operation: "core.setJobResultExport", Pointer: "/query", Reason: inside},
		{Operation: "workflow.*", Pointer: "/**/config/**/session", Reason: inside},
		{Operation: "audience.*", Pointer: "/**/referencedBy/**", Reason: "no document describes the items"},
		{Operation: "core.*", Pointer: "/**/url", Reason: "the address of a page for people"},
		{Operation: "*", Pointer: "/headers/ETag", Reason: "the server chooses it"},
		{Operation: "workflow.*", Pointer: "/**/archiveMd5", Reason: "a digest of what cannot be seen"},
		{Operation: "*", Pointer: "error:/**/message", Reason: texts},
		{Operation: "*", Pointer: "error:/**/error", Reason: texts},
		{Operation: "*", Pointer: "error:/**/text", Reason: texts},
		{Operation: "*", Pointer: "error:/**/detail", Reason: texts},
		{Operation: "*", Pointer: "error:/**/title", Reason: texts},
		{Operation: "*", Pointer: "error:/**/details/**", Reason: texts},
	}
}

// Config says how to compare.
type Config struct {
	Documents []*specs.Document
	Masks     []Mask
	Tolerance time.Duration // by which times may differ
	Redactor  *recording.Redactor
	Timeout   time.Duration // for each answer; zero is a minute

	// Memory is that of earlier replays of the recording with this configuration. It may be nil.
	Memory *Memory

	// IsBrief leaves values and words out of differences. The recording must have no secrets: only then are no values
	// compared that are some.
	IsBrief bool

	// Stop is called after each exchange, and ends the replay if it returns true. It may be nil.
	Stop func(*Exchange) bool

	// Known returns the answer to a request that need not be sent, or nil. It may be nil.
	Known func(*judge.Result) *Answer
}
