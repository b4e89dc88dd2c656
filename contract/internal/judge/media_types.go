package judge

import (
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// mediaFor returns what is documented for a Content-Type, or nil: by the key that says most of it, a range such as
// application/* last. Names of types and of parameters are case-insensitive, blanks do not count, and neither does
// quoting (RFC 9110, 8.3.1). A key with a parameter is for messages that state the same; one that states no such
// parameter, or another charset, still has the type.
func mediaFor(content openapi3.Content, header string) *openapi3.MediaType {
	kind, stated, err := mime.ParseMediaType(header)
	if err != nil {
		return content.Get(header)
	}
	var best *openapi3.MediaType
	most := -1
	for _, key := range slices.Sorted(maps.Keys(content)) {
		if n := agreement(key, kind, stated); n > most {
			best, most = content[key], n
		}
	}
	return best
}

// agreement returns how much of a Content-Type a key of a document says, or a negative number if it is for others.
func agreement(key, kind string, stated map[string]string) int {
	const ofType, ofRange = 1000, 500
	wanted, parameters, err := mime.ParseMediaType(key)
	switch {
	case err != nil:
		return -1
	case wanted == "*/*":
		return 0
	case strings.HasSuffix(wanted, "/*"):
		if !strings.HasPrefix(kind, strings.TrimSuffix(wanted, "*")) {
			return -1
		}
		return ofRange
	case wanted != kind:
		return -1
	}
	n := ofType
	for name, value := range parameters {
		switch got, has := stated[name]; {
		case has && strings.EqualFold(got, value):
			n++
		case has && name != "charset":
			return -1
		default:
			n--
		}
	}
	return n
}
