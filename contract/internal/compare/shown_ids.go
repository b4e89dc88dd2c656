package compare

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"svc.example/understudy/contract/internal/judge"
	"svc.example/understudy/internal/jsontree"
)

// ShownID is an id in a recorded answer: where it stands, as jsontree finds it, and of what kind it is.
type ShownID struct{ Path, Kind, ID string }

// IDs lists the ids that an answer shows, in the order of their places.
func (t *Translation) IDs(r *judge.Result, answer any) (list []ShownID) {
	root := t.answerPlace(r)
	var walk func(path []string, p *place, value any)
	walk = func(path []string, p *place, value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				next := p.below(t.nodes, v, name)
				walk(append(slices.Clip(path), jsontree.Escape(name)), &next, v[name])
			}
		case []any:
			next := p.below(t.nodes, v, items)
			for i := range v {
				walk(append(slices.Clip(path), strconv.Itoa(i)), &next, v[i])
			}
		default:
			if text, isID := textOf(value); isID && p.id(t.nodes) != "" {
				list = append(list, ShownID{strings.Join(path, "."), p.id(t.nodes), text})
			}
		}
	}
	walk(nil, &root, answer)
	return list
}

func (t *Translation) answerPlace(r *judge.Result) place {
	root := place{nodes: []*node{t.nodes.answer(r.Operation())}}
	if response := r.Operation().Spec.Responses.Status(r.Status()); response != nil && response.Value != nil {
		if media := response.Value.Content.Get(r.Item.Response.Headers.Value("Content-Type")); media != nil {
			root.add(media.Schema)
		}
	}
	return root
}
