package coverage

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"svc.example/understudy/specs"
)

// A catalogue numbers the parts of an operation that traffic can touch. Those in bodies form a tree of nodes, which is
// made once of all schemas of a body, and along which a value is walked. What a message touches is a set of numbers,
// and two such sets are united by or.

// Aspect is a kind of documented part.
type Aspect int

// Aspects of coverage.
const (
	RequestParts   Aspect = iota // media types
	ResponseParts                // status and media type
	ParameterParts               // parameters
	EnumParts                    // values of enumerations
	PropertyParts                // properties of bodies

	Aspects
)

const (
	maxParts = 20_000 // of one operation: documents whose schemas multiply are cut there
	maxNest  = 64     // how deep a catalogue follows schemas
	maxWalk  = 64     // how many schemas one is combined of
)

// Catalogue lists the parts of one operation that can be touched. It never changes.
type Catalogue struct {
	Operation *specs.Operation

	parts      []Aspect       // of each part, by its number
	requests   map[string]int // by media type
	responses  map[string]int // by the documented status and media type, such as 200 application/json
	parameters []documentedParameter
	request    *node
	answers    map[string]*node // by the documented status
}

// documentedParameter is a parameter with the number of its part.
type documentedParameter struct {
	*openapi3.Parameter
	part int
	node *node
}

// node is a place in a body. Its part is the number of the property whose value it is, or -1.
type node struct {
	part          int
	values        map[string]int // numbers of enumerated values, by literal
	properties    map[string]*node
	elements      *node // items of a list, values of a map
	isList, isMap bool  // what the elements belong to
}

// counts returns how many parts there are of each aspect.
func (c *Catalogue) counts() (counts [Aspects]int) {
	for _, aspect := range c.parts {
		counts[aspect]++
	}
	return counts
}

// responseName returns the name of a response: its documented status, and its media type when it has one.
func responseName(status, media string) string {
	if media == "" {
		return status
	}
	return status + " " + media
}

// responseNames returns the names of a response, one for each media type.
func responseNames(status string, r *openapi3.Response) []string {
	if len(r.Content) == 0 {
		return []string{responseName(status, "")}
	}
	var names []string
	for _, media := range slices.Sorted(maps.Keys(r.Content)) {
		names = append(names, responseName(status, media))
	}
	return names
}
