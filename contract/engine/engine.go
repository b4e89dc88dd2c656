// Package engine defines the interface of the second engine of a check: a validator of schemas that shares no code with
// the first one, kin-openapi. Its arguments and results are plain data, so that it can run in another process.
//
// Package engine/libopenapi is such an engine in this process, and engine/process one in a process of its own.
package engine

import "net/http"

// Names of engines: the first one, of documents of the platform and of a user's own, and a second one.
const (
	KinOpenAPI = "kin-openapi"
	JSONSchema = "jsonschema"
	Libopenapi = "libopenapi-validator"
)

// Engine judges messages by the schemas of a document. It is safe for concurrent use, and can be compared with ==.
type Engine interface {
	// About describes the engine, and why it failed to judge, if it did.
	About() About

	// Load prepares the schemas of one operation.
	Load(op Operation) (Schemas, error)
}

// About describes an engine.
type About struct {
	Name    string
	Version string // empty as long as it is not known, which may be until the first call
	Failure string // why it failed to judge some messages; empty if it did not
}

// Operation is an operation, with a document that has only this one.
type Operation struct {
	Method   string
	Template string // its path in the document, such as /api/pools/{id}
	Source   []byte
}

// Schemas judges the messages of one operation. Each method returns an error if the engine could not judge; the
// message then counts as not judged by it. An invalid message results in faults, not in an error. Their order may
// change from call to call, and their messages may hold values of the message.
type Schemas interface {
	RequestBody(contentType string, text []byte) ([]Fault, error)
	ResponseBody(status int, contentType string, text []byte) ([]Fault, error)
	Parameters(r Request) ([]Fault, error)
}

// Request is a request without its body.
type Request struct {
	Path     string // without the escapes
	RawPath  string
	RawQuery string
	Header   http.Header

	// Template is used to parse the path, instead of the template of the operation.
	Template string

	// Ignored names the header parameters that are not judged.
	Ignored []string
}

// Fault describes where a message is wrong, and why.
type Fault struct {
	Path    []string // of the value, below the body; of a parameter its place and its name come first
	Message string
	Keyword string // of the schema, that the value breaks; empty if the engine does not say
}
