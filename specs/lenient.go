package specs

import (
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
)

// lenientExtension lists, at the top of a document, what the framework behind its interface reads leniently.
const lenientExtension = "x-lenient"

const lenientWords = "query, bodies, vendor-types"

// Lenient describes what the framework behind an interface reads beyond what its document's schemas allow, as the
// document's x-lenient lists it. Three of ours have one, by the code of public clients.
type Lenient struct {
	// Query makes an empty query parameter absent, and a boolean one true when it is true or 1 in any case, and false
	// otherwise.
	Query bool

	// Bodies lets a JSON object come as a form, as multipart/form-data, in the query, or in parts of these, whatever the
	// document lists. In each of them a text may stand for a number, a boolean, a list or an object, an empty value that
	// the schema refuses is absent, and so is a null. A form may hold the parameters of the query.
	Bodies bool

	// VendorTypes lets JSON come with the versioned media type of a vendor, such as application/vnd.svc.v1+json or
	// application/vnd.svc.v1.js+json.
	VendorTypes bool
}

// lenientOf reads the extension.
func lenientOf(doc *openapi3.T) (lenient Lenient, err error) {
	value, found := doc.Extensions[lenientExtension]
	if !found {
		return lenient, nil
	}
	words, isList := value.([]any)
	if !isList {
		return lenient, fmt.Errorf("%s: want a list of %s", lenientExtension, lenientWords)
	}
	for _, word := range words {
		switch word {
		case "query":
			lenient.Query = true
		case "bodies":
			lenient.Bodies = true
		case "vendor-types":
			lenient.VendorTypes = true
		default:
			return lenient, fmt.Errorf("%s: want a list of %s, not %v", lenientExtension, lenientWords, word)
		}
	}
	return lenient, nil
}
