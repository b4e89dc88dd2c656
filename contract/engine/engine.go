// Package engine describes the second engine of a check: a validator of schemas that shares nothing with the first one,
// which is kin-openapi. What it takes and gives is plain data, so that it can run in a process of its own.
//
// Package engine/libopenapi is such an engine in this process, and engine/process one in a process of its own.
package engine

import "net/http"

// Names of engines: the one that every check has, and the one that is made to be the second.
const (
	KinOpenAPI = "kin-openapi"
	Libopenapi = "libopenapi-validator"
)

// Engine judges messages by the schemas of a document. It is safe for concurrent use, and can be compared with ==.
type Engine interface {
	// About describes what the engine is, and what became of it so far.
	About() About

	// Load makes the schemas of one operation ready.
	Load(op Operation) (Schemas, error)
}

// About describes what an engine is.
type About struct {
	Name    string
	Version string // empty where it is not known, as long as the engine has judged nothing
	Trouble string // why it did not judge everything that it was asked; empty if it did
}

// Operation is an operation, with a document that has nothing else.
type Operation struct {
	Method   string
	Template string // its path in the document, such as /api/pools/{id}
	Source   []byte
}

// Schemas judges the messages of one operation. Each method returns an error if the engine could not judge, and so has
// no vote; a wrong message gives faults, not an error, and a right one gives none. Their order may change from call to
// call, and their messages may hold values of the message.
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

	// Template takes the path apart, in place of the operation's own.
	Template string

	// Ignored names the header parameters that are not judged.
	Ignored []string
}

// Fault describes where a message is wrong, and why.
type Fault struct {
	Path    []string // of the value, below the body
	Message string
}
