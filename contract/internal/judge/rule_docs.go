package judge

import (
	"svc.example/understudy/contract/report"
	"svc.example/understudy/specs"
)

// Docs returns what the rules of single exchanges are about, in the order of reports. Their provenance is that of the
// least sure facts of the documents: each finding carries that of the one which it is about.
func Docs() []report.RuleDoc {
	return []report.RuleDoc{
		schemaDoc, undocumentedOperationDoc, undocumentedStatusDoc, undocumentedMediaTypeDoc, undeclaredFieldDoc,
		undeclaredHeaderDoc, authSchemeDoc, latencyDoc,
	}
}

var schemaDoc = report.RuleDoc{
	ID: Schema, Provenance: specs.Assumed,
	Title: "parameters, headers and bodies, in both directions, fit their schemas, event by event in a stream; pages agree " +
		"with their links and totals, resources with their addresses, what is included with what refers to it",
	Watches: "The parameters of every request to a documented operation, every body that a document describes, and the " +
		"documented headers of every answer.",
	Evidence: "A parameter, a header or a value in a body that its schema does not allow, one that is required and missing, " +
		"a body that is no JSON where JSON is documented, and that is recorded byte for byte, as its Content-Length says, or " +
		"an answer that contradicts itself. Two engines judge by the schemas; where they differ the finding is disputed, carries the verdicts of both, and fails no check by itself.",
	Inconclusive: "A body that the recording does not hold, or may not hold whole, and that cannot be read, or one that is " +
		"coded in a way that cannot be undone.",
	Passes: "A request off the contract that was refused with 4xx is a notice: tests do that on purpose. A value that a " +
		"recorder took out for being a secret, where a text was documented; answers to HEAD and 304, which have no body; " +
		"headers that proxies take away; cases in which the second engine is known to err.",
}

var undocumentedOperationDoc = report.RuleDoc{
	ID: UndocumentedOperation, Provenance: specs.Documented,
	Title:   "the document knows the operation",
	Watches: "Every exchange below the base address of an interface.",
	Evidence: "Its document has no such path, or not with this method. The nearest operation is told. It is a notice when " +
		"the server refused the request, as it should.",
	Inconclusive: "An address that belongs to several interfaces alike.",
	Passes: "Addresses below no base of an interface, which are counted as unmatched; preflights, tunnels and WebSockets, and the " +
		"control interface of the mock.",
}

var undocumentedStatusDoc = report.RuleDoc{
	ID: UndocumentedStatus, Provenance: specs.Assumed,
	Title:   "the operation documents the status",
	Watches: "Every answer of a documented operation.",
	Evidence: "Its document has neither the status, nor its class, nor a default. That is as sure as the least sure of the " +
		"documented ones of its kind, since a list that rests on the code of clients may lack some.",
	Inconclusive: "No answer was recorded.",
	Passes: "Redirections, failures of the server, 407, 408 and 429 are a warning at most: they may come from the way " +
		"between.",
}

var undocumentedMediaTypeDoc = report.RuleDoc{
	ID: UndocumentedMediaType, Provenance: specs.Assumed,
	Title:   "the operation documents the media type",
	Watches: "Every recorded body of a documented operation, in both directions.",
	Evidence: "A body whose Content-Type is none of the documented ones, that has no Content-Type, or that stands where none " +
		"is documented.",
	Inconclusive: "A body without any headers, which the recording then does not hold. One that was not recorded itself gives " +
		"it no chance.",
	Passes: "Parameters of the type, such as charset; ranges such as text/*; a request of another type that was refused, " +
		"which is a notice.",
}

var undeclaredFieldDoc = report.RuleDoc{
	ID: UndeclaredField, Provenance: specs.Assumed,
	Title: "bodies and queries have no fields and parameters that the document does not know",
	Watches: "Every body that can be read as its document describes it, also one that is invalid otherwise, and every " +
		"query.",
	Evidence: "A field that none of the schemas names which speak of its object, whichever way they are combined; a " +
		"parameter that the operation does not name. In an answer it is as loud as the schema is sure; in a request a " +
		"notice, since the platform ignores such fields, and in a query a warning at most.",
	Inconclusive: "A body that the recording does not hold whole, or that cannot be read.",
	Passes: "Fields of an object that says it is open, or of whose fields nothing is said; members of a body that may stand " +
		"in the query instead; parts of a parameter that is an object.",
}

var undeclaredHeaderDoc = report.RuleDoc{
	ID: UndeclaredHeader, Provenance: specs.Assumed,
	Title:   "answers have no headers of an interface's own that the document does not declare for their status",
	Watches: "The headers of every answer with a documented status.",
	Evidence: "A header that the document does not declare for the status, and that neither the standards of HTTP define nor " +
		"proxies, content delivery networks, tracing and browsers' security add. It is a notice, without the value.",
	Inconclusive: "Never: an answer that was recorded without headers gives it no chance.",
	Passes:       "Standard headers, those that are ignored, and what a document declares in another case.",
}

var authSchemeDoc = report.RuleDoc{
	ID: AuthScheme, Provenance: specs.Documented,
	Title: "credentials are in the documented form, and nobody is served without",
	Watches: "The Authorization header of every request. Whether it is there is another rule's question for events, whose " +
		"keys are looked at after the answer: a wrong scheme is answered with success like a wrong key.",
	Evidence: "A request was served whose header has another scheme, none where one is documented, or, while the recording " +
		"has the header elsewhere on the interface, that has no such header.",
	Inconclusive: "The recording hides credentials whole, scheme and all, says that it took them out, or has none on the " +
		"whole interface.",
	Passes: "A request that was refused, whatever its header; the scheme in capitals or small letters; a key that is hidden " +
		"behind its scheme; the bare key on the data warehouse interface, whose form is not documented.",
}

var latencyDoc = report.RuleDoc{
	ID: Latency, Provenance: specs.Documented,
	Title:    "operations that were given a limit answer within it",
	Watches:  "Every answer of an operation that was given a limit. Without limits it judges nothing.",
	Evidence: "From the beginning of the request to the end of the answer, as the recording has it, it took longer.",
	Inconclusive: "The recording does not say how long it took, or it took no time at all, as under the clock of a mock that " +
		"stands still: limits are for recordings of real services.",
	Passes: "A request without an answer.",
}
