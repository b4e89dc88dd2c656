package specs

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// withoutNulls makes something of what a document leaves null and kin-openapi loads all the same: a media type without
// a value says nothing of its bodies, and all else is as if it were not there.
func withoutNulls(doc *openapi3.T) {
	doc.Servers = serversThatAre(doc.Servers)
	for _, item := range doc.Paths.Map() {
		if item == nil {
			continue
		}
		item.Servers = serversThatAre(item.Servers)
		for _, op := range item.Operations() {
			if op.Servers != nil {
				*op.Servers = serversThatAre(*op.Servers)
			}
			if op.RequestBody != nil && op.RequestBody.Value != nil {
				mediaTypesThatAre(op.RequestBody.Value.Content)
			}
			for _, ref := range slices.Concat(item.Parameters, op.Parameters) {
				if ref != nil && ref.Value != nil {
					mediaTypesThatAre(ref.Value.Content)
				}
			}
			for _, ref := range op.Responses.Map() {
				if ref != nil && ref.Value != nil {
					mediaTypesThatAre(ref.Value.Content)
				}
			}
		}
	}
}

func serversThatAre(servers openapi3.Servers) openapi3.Servers {
	for _, server := range servers {
		if server != nil {
			maps.DeleteFunc(server.Variables, func(_ string, v *openapi3.ServerVariable) bool { return v == nil })
		}
	}
	return slices.DeleteFunc(servers, func(server *openapi3.Server) bool { return server == nil })
}

func mediaTypesThatAre(content openapi3.Content) {
	for kind, media := range content {
		if media == nil {
			content[kind] = &openapi3.MediaType{}
			continue
		}
		maps.DeleteFunc(media.Encoding, func(_ string, e *openapi3.Encoding) bool { return e == nil })
		for _, encoding := range media.Encoding {
			maps.DeleteFunc(encoding.Headers, func(_ string, h *openapi3.HeaderRef) bool { return h == nil || h.Value == nil })
		}
	}
}
